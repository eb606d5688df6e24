"""Naive Bayes on 1,000,000 x 10 labels. CategoricalNB gets the codes that pandas made, ours the columns as loaded."""
import os
import tempfile
import time

from bench import accurate, floor, module, turns

ROWS = 1_000_000


def write(np, pd, path):
    rng = np.random.default_rng(42)
    y = rng.choice(3, size=ROWS, p=[0.5, 0.3, 0.2])
    columns = {}
    for j in range(10):
        values = 4 + j
        shares = rng.dirichlet(np.ones(values), size=3).cumsum(1)
        codes = (rng.random(ROWS)[:, None] > shares[y]).sum(1).clip(0, values - 1)
        columns[f"a{j}"] = np.array([f"v{j}_{k}" for k in range(values)])[codes]
    columns["class"] = np.array(["red", "green", "blue"])[y]
    pd.DataFrame(columns).to_csv(path, index=False)


def compare(bench):
    np, pd, bayes = module("numpy", "python3-numpy"), module("pandas", "python3-pandas"), module("sklearn.naive_bayes", "python3-sklearn")

    def theirs(path, load):
        start = time.perf_counter()
        table = pd.read_csv(path, dtype="category")
        x = np.column_stack([table[c].cat.codes.to_numpy() for c in table.columns[:-1]])
        y = table.iloc[:, -1].cat.codes.to_numpy()
        loaded = time.perf_counter()
        said = bayes.CategoricalNB(alpha=1).fit(x, y).predict(x)
        return time.perf_counter() - (start if load else loaded), (said == y).mean()

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels.csv")
        write(np, pd, path)

        def ours(load, threads=1):
            fit, predict, total, _, right = bench.ask(path, threads, 1)
            return (float(total) if load else float(fit) + float(predict)), float(right)

        for work, load, bytes in (("fit and predict", False, 2 * 11 * 4 * ROWS), ("load, fit and predict", True, os.path.getsize(path))):
            least = turns({"ours": lambda: ours(load), "two": lambda: ours(load, 2), "theirs": lambda: theirs(path, load)})
            bench.row(f"{work}, {ROWS:,} x 10", least["ours"][0], two=least["two"][0], peer="scikit-learn", theirs=least["theirs"][0],
                      floor=floor(bytes=bytes), **accurate(least["ours"][1], least["theirs"][1], 1e-4))
