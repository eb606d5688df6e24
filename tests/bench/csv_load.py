#!/usr/bin/python3
"""Loads tables with pandas and with us, in turns in one run, and prints the ratio of the times.

    g++ -std=c++20 -O3 -march=x86-64-v3 -I. tests/bench/csv_load.cpp runtime/data/*.cpp runtime/core/*.cpp \
        runtime/core/variable.cpp -lgmp -lpthread -o csv_load
    OMP_NUM_THREADS=1 python3 tests/bench/csv_load.py ./csv_load [labels.csv [numbers.csv]]

Tables not given are made in a temporary folder: 1,000,000 x 11 labels (4 to 13 values a column) and 1,000,000 x 10 numbers.
Needs python3-pandas. Machines are noisy: what counts is the ratio; both sides run on one thread.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

REPEATS = 5


def make_labels(path, rows=1_000_000):
    rng = np.random.default_rng(42)
    columns = {f"a{j}": np.array([f"v{j}_{k}" for k in range(4 + j)])[rng.integers(0, 4 + j, rows)] for j in range(10)}
    columns["class"] = np.array(["red", "green", "blue"])[rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])]
    pd.DataFrame(columns).to_csv(path, index=False)


def make_numbers(path, rows=1_000_000):
    rng = np.random.default_rng(7)
    columns = {f"x{j}": rng.normal(0, 10, rows).round(4) for j in range(5)}
    columns |= {f"y{j}": rng.normal(0, 1, rows) for j in range(3)}  # 16 to 17 digits
    columns |= {f"n{j}": rng.integers(0, 10_000, rows) for j in range(2)}
    pd.DataFrame(columns).to_csv(path, index=False)


def ours(program, path):
    lines = subprocess.run([program, path, "1", "1"], check=True, capture_output=True, text=True).stdout.split()
    return float(lines[0])


def theirs(path, **options):
    start = time.perf_counter()
    pd.read_csv(path, **options)
    return time.perf_counter() - start


def compare(title, program, path, **options):
    us, them = [], []
    for _ in range(REPEATS):
        us.append(ours(program, path))
        them.append(theirs(path, **options))
    for name, pick in (("median", statistics.median), ("minimum", min)):
        print(f"{title}  {name:8}  ours {pick(us):.3f} s  pandas {pick(them):.3f} s  ratio {pick(them) / pick(us):.1f}")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        labels, numbers = (sys.argv[2:] + [None, None])[:2]
        if labels is None:
            labels = os.path.join(folder, "labels.csv")
            make_labels(labels)
        if numbers is None:
            numbers = os.path.join(folder, "numbers.csv")
            make_numbers(numbers)
        compare("labels ", program, labels, dtype="category")
        compare("numbers", program, numbers)


main()
