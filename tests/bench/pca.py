#!/usr/bin/python3
"""Principal components of 100,000 x 50 numbers with scikit-learn and with us, in turns in one run.

    ./dev bench pca        (or: OMP_NUM_THREADS=1 pca.py build/bench/pca)

Needs python3-sklearn.
"""
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.decomposition import PCA

REPEATS = 5


def main():
    rng = np.random.default_rng(11)
    x = rng.normal(size=(100_000, 50)) @ rng.normal(size=(50, 50))
    with tempfile.NamedTemporaryFile() as file:
        x.tofile(file.name)
        us, them = [], []
        for _ in range(REPEATS):
            out = subprocess.run([sys.argv[1], file.name, "100000", "50"], check=True, capture_output=True, text=True).stdout.split()
            us.append(float(out[0]))
            start = time.perf_counter()
            model = PCA(10, svd_solver="full").fit(x)
            them.append(time.perf_counter() - start)
        print(f"ours {min(us):.4f} s, scikit-learn {min(them):.4f} s, ratio {min(them) / min(us):.1f}; "
              f"first eigenvalues {out[1]} and {model.explained_variance_[0]:.9f}")


main()
