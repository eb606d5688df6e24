"""Loads tables with pandas and with us: 1,000,000 x 11 labels (4 to 13 values a column) and 1,000,000 x 10 numbers."""
import os
import tempfile

from bench import floor, module, timed, turns


def write_labels(pd, np, path, rows=1_000_000):
    rng = np.random.default_rng(42)
    columns = {f"a{j}": np.array([f"v{j}_{k}" for k in range(4 + j)])[rng.integers(0, 4 + j, rows)] for j in range(10)}
    columns["class"] = np.array(["red", "green", "blue"])[rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])]
    pd.DataFrame(columns).to_csv(path, index=False)


def write_numbers(pd, np, path, rows=1_000_000):
    rng = np.random.default_rng(7)
    columns = {f"x{j}": rng.normal(0, 10, rows).round(4) for j in range(5)}
    columns |= {f"y{j}": rng.normal(0, 1, rows) for j in range(3)}  # 16 to 17 digits
    columns |= {f"n{j}": rng.integers(0, 10_000, rows) for j in range(2)}
    pd.DataFrame(columns).to_csv(path, index=False)


def compare(bench):
    np, pd = module("numpy", "python3-numpy"), module("pandas", "python3-pandas")
    with tempfile.TemporaryDirectory() as folder:
        for work, write, options in (("labels", write_labels, {"dtype": "category"}), ("numbers", write_numbers, {})):
            path = os.path.join(folder, work + ".csv")
            write(pd, np, path)

            def ours(threads=1):
                said = bench.ask(path, threads, 1)
                return float(said[0]), (int(said[1]), int(said[3]))

            least = turns({"ours": ours, "two": lambda: ours(2), "pandas": lambda: timed(lambda: pd.read_csv(path, **options).shape)})
            shape, theirs = least["ours"][1], least["pandas"][1]
            bench.row(f"load 1,000,000 rows of {work}", least["ours"][0], two=least["two"][0], peer="pandas", theirs=least["pandas"][0],
                      floor=floor(bytes=os.path.getsize(path)), same=shape == theirs, check=f"{shape[0]} x {shape[1]}, {theirs[0]} x {theirs[1]}")
