"""Forests and boosted trees, the fit alone, in processor seconds: 100 rounds of 31 leaves at a rate of 0.1, 100 trees of a forest. Of letter two thirds
of the rows train, one third tests. "like covtype" is made up in the shape of the forest covertype data: 10 numbers, 44 columns of 0 and 1,
seven labels, 15,000 rows to train on. Label columns are ordinal codes for the others (categories for boosting), as is usual with them. Where another
side of boosting is less accurate than ours, our time is that of as few rounds, in tens, as are as accurate."""
import os
import tempfile
import time

from bench import Missing, accurate, data, module, turns


def tables(np, pd):
    path, first, second = data("tables/letter.csv", "tables/adult_train.csv", "tables/adult_test.csv")
    letter = pd.read_csv(path)
    order = np.random.default_rng(0).permutation(len(letter))
    n = len(letter) * 2 // 3
    yield "letter", "letter", letter.iloc[order[:n]], letter.iloc[order[n:]]
    adult = [pd.read_csv(part, na_values=["?"]) for part in (first, second)]
    target = adult[0].columns[-1]
    for part in adult:
        part[target] = part[target].str.strip(". ")
    yield "adult", target, *adult
    yield "like covtype", "cover", *like_covtype(np, pd)


def like_covtype(np, pd):
    random = np.random.default_rng(7)
    n, numbers, areas, soils, labels = 20_000, 10, 4, 40, 7
    z = random.normal(size=(n, numbers))
    area = random.integers(0, areas, n)
    soil = np.minimum(np.abs(6 * z[:, 0] + 4 * z[:, 4] + 3 * random.normal(size=n)).astype(int), soils - 1)
    score = z @ random.normal(size=(numbers, labels)) + np.sin(2 * z) @ random.normal(size=(numbers, labels)) / 2
    score += random.normal(size=(soils, labels))[soil] + random.normal(size=(areas, labels))[area]
    score += np.array([1.5, 2, 0, -2, -1, 0, -0.5]) + random.gumbel(size=score.shape) * 0.3
    frame = pd.DataFrame(np.column_stack([np.round(100 * z), np.eye(areas)[area], np.eye(soils)[soil]]).astype(int))
    frame.columns = [f"x{c}" for c in frame.columns]
    frame["cover"] = [f"c{k}" for k in score.argmax(1)]
    return frame[:15_000], frame[15_000:]


def compare(bench):
    np, pd, ensemble = module("numpy", "python3-numpy"), module("pandas", "python3-pandas"), module("sklearn.ensemble", "python3-sklearn")
    for name, target, train, test in tables(np, pd):
        both = pd.concat([train, test])
        labels = both.drop(columns=target)
        kinds = np.array([labels[c].dtype == object for c in labels])
        x = np.column_stack([labels[c].astype("category").cat.codes.replace(-1, np.nan) if kind else labels[c]
                             for c, kind in zip(labels, kinds)]).astype(np.float32)
        y = both[target].astype("category").cat.codes.to_numpy()
        n = len(train)

        def theirs(model, x):
            start = time.process_time()
            model.fit(x[:n], y[:n])
            return time.process_time() - start, (model.predict(x[n:]) == y[n:]).mean()

        def sides():
            filled = np.where(np.isnan(x), -1, x)
            yield "forest", "scikit-learn", lambda: theirs(ensemble.RandomForestClassifier(n_jobs=1, random_state=0), filled)
            yield "boosted", "scikit-learn", lambda: theirs(ensemble.HistGradientBoostingClassifier(early_stopping=False, categorical_features=kinds), x)
            try:
                xgboost = module("xgboost", "python3-xgboost")
            except Missing as reason:
                print(f"XGBoost: not measured, {reason}")
                return
            yield "boosted", "XGBoost hist", lambda: theirs(
                xgboost.XGBClassifier(tree_method="hist", n_estimators=100, learning_rate=0.1, max_leaves=31, max_depth=0, grow_policy="lossguide",
                                      n_jobs=1, verbosity=0), x)

        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, part) for part in ("train.csv", "test.csv")]
            for path, frame in zip(paths, (train, test)):
                frame.to_csv(path, index=False, na_rep="?")

            def ours(kind, rounds=100):
                said = bench.ask(*paths, target, kind, 1, 1, rounds)
                return float(said[0]), float(said[4])

            for kind, peer, run in sides():
                rounds = 100
                wanted = run()[1]
                if kind == "boosted" and wanted < ours(kind)[1]:
                    rounds = next(r for r in range(10, 101, 10) if ours(kind, r)[1] >= wanted)
                least = turns({"ours": lambda: ours(kind, rounds), "theirs": run}, 3)
                bench.row(f"{kind} trees, {name}" + (f", {rounds} rounds for 100" if rounds < 100 else ""), least["ours"][0], peer=peer,
                          theirs=least["theirs"][0], **accurate(least["ours"][1], least["theirs"][1]))
