#!/usr/bin/python3
"""Fits decision trees by entropy with scikit-learn and with us, in turns in one run: times of the fit alone, accuracy on the test rows.

    ninja -C build bench_tree
    OMP_NUM_THREADS=1 python3 tests/bench/tree.py build/bench/tree FOLDER

FOLDER has mushroom.csv, nursery.csv and letter.csv (UCI). Two thirds of the rows train, one third tests, drawn with seed 0. Label columns
are ordinal codes for scikit-learn, as is usual with it; our tree tests one label against the others (splits: binary), or has a branch a
label (multiway). Machines are noisy: what counts is the ratio. Without scikit-learn its side is "not measured".
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
    from sklearn.tree import DecisionTreeClassifier
except ImportError:
    DecisionTreeClassifier = None

REPEATS = 7
TABLES = (("mushroom", "edibility"), ("nursery", "class"), ("letter", "letter"))


def split(frame):
    order = np.random.default_rng(0).permutation(len(frame))
    n = len(frame) * 2 // 3
    return np.sort(order[:n]), np.sort(order[n:])


def ours(program, train, test, target, shape):
    lines = subprocess.run([program, train, test, target, shape, "1"], check=True, capture_output=True, text=True).stdout.split("\n")
    return float(lines[0]), lines[1]


def compare(program, folder, scratch, name, target):
    frame = pd.read_csv(os.path.join(folder, name + ".csv"))
    a, b = split(frame)
    train, test = (os.path.join(scratch, f"{name}_{part}.csv") for part in ("train", "test"))
    frame.iloc[a].to_csv(train, index=False)
    frame.iloc[b].to_csv(test, index=False)
    y = frame[target].astype(str).to_numpy()
    x = frame.drop(columns=target)
    codes = [x[c].astype("category").cat.codes if x[c].dtype == object else x[c] for c in x]
    x = np.column_stack(codes).astype(np.float32)
    times = {"binary": [], "multiway": [], "scikit-learn": []}
    said = {}
    for _ in range(REPEATS):
        for shape in ("binary", "multiway"):
            seconds, said[shape] = ours(program, train, test, target, shape)
            times[shape].append(seconds)
        if DecisionTreeClassifier:
            model = DecisionTreeClassifier(criterion="entropy", random_state=0)
            start = time.perf_counter()
            model.fit(x[a], y[a])
            times["scikit-learn"].append(time.perf_counter() - start)
            accuracy = (model.predict(x[b]) == y[b]).mean()
            said["scikit-learn"] = f"accuracy {accuracy:.4f} nodes {model.tree_.node_count} depth {model.get_depth()}"
    for side, seconds in times.items():
        if seconds:
            print(f"{name:9} {side:12} minimum {min(seconds):.4f} s  median {statistics.median(seconds):.4f} s  {said[side]}")
        else:
            print(f"{name:9} {side:12} not measured")


def main():
    program, folder = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as scratch:
        for name, target in TABLES:
            compare(program, folder, scratch, name, target)


main()
