"""Decision trees by entropy, the fit alone. Two thirds of the rows train, one third tests, drawn with seed 0. Label columns are ordinal codes for
scikit-learn, as is usual with it; our tree tests one label against the others."""
import os
import tempfile

from bench import accurate, data, floor, module, timed, turns

TABLES = (("mushroom", "edibility"), ("nursery", "class"), ("letter", "letter"))


def compare(bench):
    np, pd, trees = module("numpy", "python3-numpy"), module("pandas", "python3-pandas"), module("sklearn.tree", "python3-sklearn")
    for (name, target), path in zip(TABLES, data(*(f"tables/{name}.csv" for name, _ in TABLES))):
        frame = pd.read_csv(path)
        order = np.random.default_rng(0).permutation(len(frame))
        n = len(frame) * 2 // 3
        a, b = np.sort(order[:n]), np.sort(order[n:])
        y = frame[target].astype(str).to_numpy()
        x = frame.drop(columns=target)
        x = np.column_stack([x[c].astype("category").cat.codes if x[c].dtype == object else x[c] for c in x]).astype(np.float32)

        def theirs():
            model = trees.DecisionTreeClassifier(criterion="entropy", random_state=0)
            return timed(lambda: model.fit(x[a], y[a]))[0], (model.predict(x[b]) == y[b]).mean()

        with tempfile.TemporaryDirectory() as folder:
            train, test = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
            frame.iloc[a].to_csv(train, index=False)
            frame.iloc[b].to_csv(test, index=False)

            def ours():
                said = bench.ask(train, test, target, "binary", 1)
                return float(said[0]), (float(said[2]), int(said[6]))

            least = turns({"ours": ours, "theirs": theirs})
        right, depth = least["ours"][1]
        bench.row(name, least["ours"][0], peer="scikit-learn", theirs=least["theirs"][0], floor=floor(bytes=n * x.shape[1] * 4 * depth),
                  **accurate(right, least["theirs"][1]))
