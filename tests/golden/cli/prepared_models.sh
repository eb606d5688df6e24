# A model is kept with what its preparations learned: cut points, components, columns.
cat >t.csv <<'END'
x,z,y
0,5,a
2,1,a
4,9,a
6,2,b
8,8,b
10,3,b
END
for learner in 'discretize(bins: 2) |> naive_bayes()' 'pca(k: 1) |> knn(k: 1)' 'filter_features(by: anova, keep: 1) |> discretize(bins: [1, 5]) |> id3()'; do
    echo "let m = train ($learner) on load(\"t.csv\", target: y); save(m, \"m.json\"); predict(m, <3, 4>)" | credence -
    echo 'let m = load("m.json"); m; predict(m, <3, 4>)' | credence - ; echo "status $?"
done
tr -d '\n' <m.json | sed 's/"cuts": *\[[^]]*\]/"cuts":[5,1]/' >damaged.json
echo 'load("damaged.json")' | credence - ; echo "status $?"
