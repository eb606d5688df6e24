#!/usr/bin/python3
"""Least squares on 200,000 x 20 numbers: ours and scikit-learn's LinearRegression in turns in one run, minimum and median of 7.

    OMP_NUM_THREADS=1 python3 tests/bench/regression.py build/release/bench/regression

Both sides start from the table in memory and run on one thread. Ours also gives residuals and standard errors.
"""
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

REPEATS = 7
ROWS, COLUMNS = 200_000, 20


def main():
    program = sys.argv[1]
    rng = np.random.default_rng(1)
    x = rng.normal(size=(ROWS, COLUMNS)).round(6)
    y = (x @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS)).round(6)
    try:
        from sklearn.linear_model import LinearRegression
    except ImportError:
        LinearRegression = None
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/numbers.csv"
        frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(COLUMNS)])
        frame["y"] = y
        frame.to_csv(path, index=False)
        us, them = [], []
        for _ in range(REPEATS):
            ours = [float(v) for v in subprocess.run([program, path, "y"], check=True, capture_output=True, text=True).stdout.split()]
            us.append(ours[0])
            if LinearRegression:
                start = time.perf_counter()
                peer = LinearRegression().fit(x, y)
                them.append(time.perf_counter() - start)
                assert np.allclose(peer.coef_, ours[1:], rtol=1e-8), "the weights differ"
    for name, pick in (("median", statistics.median), ("minimum", min)):
        peer = f"scikit-learn {pick(them):.3f} s  ratio {pick(them) / pick(us):.1f}" if them else "scikit-learn not measured: python3-sklearn is missing"
        print(f"least squares {ROWS} x {COLUMNS}  {name:8}  ours {pick(us):.3f} s  {peer}")


main()
