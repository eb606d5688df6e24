#!/usr/bin/python3
"""Naive Bayes on 1,000,000 x 10 labels with scikit-learn and with us, in turns in one run; prints the ratio of the times.

    ./dev bench tab_nb          or
    OMP_NUM_THREADS=1 python3 tests/bench/tab_nb.py build/release/bench/tab_nb [labels.csv]

The last column is the class. A table not given is made in a temporary folder. scikit-learn's CategoricalNB gets the codes that pandas made,
ours the columns as loaded; `total` is load + fit + predict on both sides. Without scikit-learn ours alone is timed.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

try:
    from sklearn.naive_bayes import CategoricalNB
except ImportError:
    CategoricalNB = None

REPEATS = 7


def make_table(path, rows=1_000_000):
    rng = np.random.default_rng(42)
    y = rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])
    columns = {}
    for j in range(10):
        values = 4 + j
        shares = rng.dirichlet(np.ones(values), size=3).cumsum(1)
        codes = (rng.random(rows)[:, None] > shares[y]).sum(1).clip(0, values - 1)
        columns[f"a{j}"] = np.array([f"v{j}_{k}" for k in range(values)])[codes]
    columns["class"] = np.array(["red", "green", "blue"])[y]
    pd.DataFrame(columns).to_csv(path, index=False)


def ours(program, path):
    lines = subprocess.run([program, path, "1", "1"], check=True, capture_output=True, text=True).stdout.split("\n")
    fit, predict, total = map(float, lines[0].split())
    return fit + predict, total, lines[1]


def theirs(path):
    start = time.perf_counter()
    table = pd.read_csv(path, dtype="category")
    features = table.iloc[:, :-1]
    x = np.column_stack([features[c].cat.codes.to_numpy() for c in features])
    y = table.iloc[:, -1].cat.codes.to_numpy()
    loaded = time.perf_counter()
    said = CategoricalNB(alpha=1).fit(x, y).predict(x)
    end = time.perf_counter()
    return end - loaded, end - start, f"accuracy {(said == y).mean():.5f}"


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "labels.csv")
        if len(sys.argv) <= 2:
            make_table(path)
        us, them = [], []
        for _ in range(REPEATS):
            us.append(ours(program, path))
            if CategoricalNB:
                them.append(theirs(path))
        print("ours", us[0][2], "scikit-learn", them[0][2] if them else "not measured: python3-sklearn is missing")
        for k, what in enumerate(("fit + predict", "load + fit + predict")):
            for name, pick in (("median", statistics.median), ("minimum", min)):
                mine = pick([u[k] for u in us])
                line = f"{what:20}  {name:8}  ours {mine:.3f} s"
                if them:
                    other = pick([t[k] for t in them])
                    line += f"  scikit-learn {other:.3f} s  ratio {other / mine:.1f}"
                print(line)


main()
