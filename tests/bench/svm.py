#!/usr/bin/python3
"""Trains support vector machines with libsvm's svm-train and with us, in turns in one run, and prints the times of whole processes.

    ./dev bench svm        (or: svm.py build/bench/svm [letter.csv])

The synthetic set is made here: 10,000 x 20 (and 5,000 to test), two overlapping classes. letter.csv (UCI, 20,000 x 16) is taken where it
is given or found in the development data: two thirds to train, columns scaled to -1 .. 1. Needs python3-sklearn, libsvm-tools.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file, make_classification

REPEATS = int(os.environ.get("REPEATS", "7"))


def write(folder, name, x, y):
    dump_svmlight_file(x, y, f"{folder}/{name}.svm", zero_based=False)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])]).assign(y=[f"c{int(v)}" for v in y])
    frame.to_csv(f"{folder}/{name}.csv", index=False)


def make_synthetic(folder):
    x, y = make_classification(15000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=4, flip_y=0.03, class_sep=0.8, random_state=5)
    x = (x - x.mean(0)) / x.std(0)
    write(folder, "synth_train", x[:10000], y[:10000] * 2 - 1)
    write(folder, "synth_test", x[10000:], y[10000:] * 2 - 1)


def make_letter(folder, path):
    table = pd.read_csv(path)
    target = "letter" if "letter" in table else table.columns[0]
    x = table.drop(columns=target).to_numpy(float) / 7.5 - 1
    y = table[target].map(lambda c: ord(c) - 64).to_numpy()
    order = np.random.default_rng(0).permutation(len(y))
    n = len(y) * 2 // 3
    write(folder, "letter_train", x[order[:n]], y[order[:n]])
    write(folder, "letter_test", x[order[n:]], y[order[n:]])


def theirs(folder, name, c, gamma):
    start = time.perf_counter()
    subprocess.run(["svm-train", "-q", "-t", "2", "-c", str(c), "-g", str(gamma), "-m", "200", f"{folder}/{name}_train.svm", f"{folder}/m"], check=True)
    return time.perf_counter() - start


def ours(program, folder, name, c, gamma, threads):
    sigma = (1 / (2 * gamma)) ** 0.5
    out = subprocess.run([program, f"{folder}/{name}_train.csv", f"{folder}/{name}_test.csv", "y", str(c), repr(sigma), str(threads)],
                         check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), int(out[1]), float(out[2])


def compare(program, folder, name, c, gamma):
    one, two, them = [], [], []
    vectors = accuracy = None
    for _ in range(REPEATS):
        seconds, vectors, accuracy = ours(program, folder, name, c, gamma, 1)
        one.append(seconds)
        two.append(ours(program, folder, name, c, gamma, 2)[0])
        if shutil.which("svm-train"):
            them.append(theirs(folder, name, c, gamma))
    print(f"{name}: ours {min(one):.3f} s, two threads {min(two):.3f} s, {vectors} support vectors, accuracy {accuracy:.4f}")
    if not them:
        print("  svm-train: not measured (libsvm-tools is not installed)")
        return
    count = next(int(line.split()[1]) for line in open(f"{folder}/m") if line.startswith("total_sv"))
    said = subprocess.run(["svm-predict", f"{folder}/{name}_test.svm", f"{folder}/m", f"{folder}/o"], check=True, capture_output=True, text=True).stdout
    print(f"  svm-train {min(them):.3f} s, {count} support vectors, {said.strip()}; ours / theirs {min(one) / min(them):.2f}")


def main():
    program = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    letter = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../../../shared/data/tables/letter.csv")
    with tempfile.TemporaryDirectory() as folder:
        make_synthetic(folder)
        compare(program, folder, "synth", 1, 0.05)
        if os.path.exists(letter):
            make_letter(folder, letter)
            compare(program, folder, "letter", 16, 0.5)
        else:
            print("letter: not measured (no letter.csv)")


main()
