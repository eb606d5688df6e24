#!/usr/bin/python3
"""EM for five normals over 200,000 x 10 numbers, 50 iterations from one start: ours and scikit-learn's GaussianMixture in turns.

    OMP_NUM_THREADS=1 python3 tests/bench/gaussian_mixture.py build/release/bench/gaussian_mixture [REPEATS]

Both start from the table in memory, identity covariances and equal weights, on one thread; ours on two besides. The log-likelihoods a row
must agree to 1e-6.
"""
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

ROWS, COLUMNS, K, ITERATIONS = 200_000, 10, 5, 50


def data():
    rng = np.random.default_rng(7)
    w = np.array([.3, .25, .2, .15, .1])
    mu = rng.normal(0, 4, (K, COLUMNS))
    z = rng.choice(K, ROWS, p=w)
    x = np.empty((ROWS, COLUMNS))
    for j in range(K):
        a = rng.normal(0, 1, (COLUMNS, COLUMNS))
        s = a @ a.T / COLUMNS + .3 * np.eye(COLUMNS)
        x[z == j] = rng.multivariate_normal(mu[j], s, (z == j).sum())
    return x, x[rng.choice(ROWS, K, replace=False)]


def main():
    program = sys.argv[1]
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    warnings.filterwarnings("ignore")
    try:
        from sklearn.mixture import GaussianMixture
    except ImportError:
        GaussianMixture = None
    x, start = data()
    with tempfile.TemporaryDirectory() as folder:
        x.tofile(f"{folder}/rows.f64")
        start.tofile(f"{folder}/means.f64")
        for ours, theirs in [("full", "full"), ("diagonal", "diag"), ("spherical", "spherical"), ("tied", "tied")]:
            precision = {"full": np.repeat(np.eye(COLUMNS)[None], K, 0), "diag": np.ones((K, COLUMNS)), "spherical": np.ones(K),
                         "tied": np.eye(COLUMNS)}[theirs]
            one, two, them, log, their_log = [], [], [], 0.0, 0.0
            for _ in range(repeats):
                for threads, times in (("1", one), ("2", two)):
                    said = subprocess.run([program, f"{folder}/rows.f64", f"{folder}/means.f64", str(COLUMNS), ours, str(ITERATIONS), threads],
                                          check=True, capture_output=True, text=True).stdout.split()
                    times.append(float(said[0]))
                    log = float(said[1])
                if GaussianMixture:
                    g = GaussianMixture(K, covariance_type=theirs, max_iter=ITERATIONS, tol=0, reg_covar=1e-6, weights_init=np.ones(K) / K,
                                        means_init=start, precisions_init=precision, init_params="random", random_state=0)
                    begin = time.perf_counter()
                    g.fit(x)
                    them.append(time.perf_counter() - begin)
                    their_log = g.score(x)
            print(f"{ours:10} one thread {statistics.median(one):.3f} s, two {statistics.median(two):.3f} s, log-likelihood a row {log:.9f}", end="")
            if them:
                print(f"; scikit-learn {statistics.median(them):.3f} s ({statistics.median(them) / statistics.median(one):.1f} times ours), "
                      f"{their_log:.9f}, apart {abs(log / their_log - 1):.1e}", end="")
                assert abs(log / their_log - 1) < 1e-6
            print(flush=True)


if __name__ == "__main__":
    main()
