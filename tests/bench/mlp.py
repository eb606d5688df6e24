#!/usr/bin/python3
"""Trains a network (64 inputs, 64 sigmoid units, softmax) on scikit-learn's digits with MLPClassifier and with us, in turns in one run.

    ./dev bench mlp        (or: OMP_NUM_THREADS=1 mlp.py build/bench/mlp)

50 epochs of plain stochastic gradient descent, batches of 1 and of 32. MLPClassifier follows the mean gradient of a batch, ours the sum: the
rate is divided by the batch. Needs python3-sklearn.
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore")
REPEATS = int(os.environ.get("REPEATS", "3"))


def main():
    program = sys.argv[1]
    digits = load_digits()
    x, y = digits.data / 16, digits.target
    order = np.random.default_rng(0).permutation(len(y))
    n = len(y) * 2 // 3
    a, b = order[:n], order[n:]
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("train", a), ("test", b)):
            frame = pd.DataFrame(x[rows], columns=[f"p{i}" for i in range(64)]).assign(digit=y[rows])
            frame.to_csv(f"{folder}/{name}.csv", index=False)
        for batch, rate, momentum in ((32, 0.1, 0.9), (1, 0.05, 0.0)):
            us, them = [], []
            for _ in range(REPEATS):
                out = subprocess.run([program, f"{folder}/train.csv", f"{folder}/test.csv", "digit", str(batch), str(rate / batch), str(momentum), "50"],
                                     check=True, capture_output=True, text=True).stdout.split()
                us.append(float(out[0]))
                start = time.perf_counter()
                model = MLPClassifier((64,), activation="logistic", solver="sgd", batch_size=batch, learning_rate_init=rate, momentum=momentum,
                                      nesterovs_momentum=False, alpha=0, max_iter=50, tol=0, n_iter_no_change=1000, random_state=0).fit(x[a], y[a])
                them.append(time.perf_counter() - start)
            print(f"batch {batch}: ours {min(us):.3f} s, accuracy {float(out[1]):.4f}; MLPClassifier {min(them):.3f} s, "
                  f"accuracy {model.score(x[b], y[b]):.4f}; ratio {min(them) / min(us):.1f}")


main()
