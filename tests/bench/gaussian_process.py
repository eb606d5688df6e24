#!/usr/bin/python3
"""Gaussian process regression on 1,000 rows with three columns, alpha, rho and sigma learned, with scikit-learn and with us, in one run.

    ./dev bench gaussian_process        (or: OMP_NUM_THREADS=1 gaussian_process.py build/bench/gaussian_process)

Needs python3-sklearn. Both sides must find the same peak of the evidence; scikit-learn climbs from one start, we from six on a part of the rows.
"""
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

warnings.filterwarnings("ignore")
REPEATS = 3


def main():
    rng = np.random.default_rng(11)
    x = rng.uniform(0, 3, (1000, 3))
    y = np.sin(3 * x[:, 0]) + 0.5 * np.cos(3 * x[:, 1]) + 0.1 * rng.normal(size=1000)
    us, them = [], []
    with tempfile.NamedTemporaryFile() as file:
        np.column_stack([x, y]).tofile(file.name)
        for _ in range(REPEATS):
            out = subprocess.run([sys.argv[1], file.name, "1000", "4"], check=True, capture_output=True, text=True).stdout.split()
            us.append(float(out[0]))
            start = time.process_time()
            model = GaussianProcessRegressor(ConstantKernel(1) * RBF(1) + WhiteKernel(0.1)).fit(x, y - y.mean())
            them.append(time.process_time() - start)
    theirs = model.log_marginal_likelihood_value_
    if abs(float(out[1]) - theirs) > 1e-3 * abs(theirs):
        sys.exit(f"not the same peak: log evidence {out[1]} and {theirs}")
    print(f"ours {min(us):.3f} s, scikit-learn {min(them):.3f} s of processor time, ratio {min(them) / min(us):.1f}; "
          f"log evidence {float(out[1]):.4f} and {theirs:.4f}")


main()
