#!/usr/bin/python3
"""Fits forests and boosted trees with scikit-learn, XGBoost and us, in turns in one run: accuracy on the test rows, then times of the fit.

    ninja -C build bench_ensembles
    python3 tests/bench/ensembles.py build/bench/ensembles FOLDER

FOLDER has letter.csv, adult_train.csv and adult_test.csv (UCI). Of letter two thirds of the rows train, one third tests. Label columns
are ordinal codes for the others (categories for boosting), as is usual with them. All sides use THREADS threads (default 1), and REPEATS
fits each (default 3). The trees are as many and as large: 100 rounds of 31 leaves at a rate of 0.1, 100 trees of a forest. Where another side
of boosting is less accurate, a second line has our time with as few rounds as are as accurate. Times are of the processor, all threads together;
the ratio is theirs to ours: above 1 we are faster. Without a package its side is left out.
"""
import os
import subprocess
import sys
import tempfile
import time

THREADS = int(os.environ.get("THREADS", "1"))
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # before anything reads it

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

try:
    import xgboost
except ImportError:
    xgboost = None

REPEATS = int(os.environ.get("REPEATS", "3"))


def tables(folder, scratch):
    letter = pd.read_csv(os.path.join(folder, "letter.csv"))
    order = np.random.default_rng(0).permutation(len(letter))
    n = len(letter) * 2 // 3
    yield "letter", "letter", letter.iloc[order[:n]], letter.iloc[order[n:]]
    adult = [pd.read_csv(os.path.join(folder, f"adult_{part}.csv"), na_values=["?"]) for part in ("train", "test")]
    target = adult[0].columns[-1]
    for part in adult:
        part[target] = part[target].str.strip(". ")
    yield "adult", target, *adult


def numbers(train, test, target):
    both = pd.concat([train, test])
    x = both.drop(columns=target)
    kinds = [x[c].dtype == object for c in x]
    codes = np.column_stack([x[c].astype("category").cat.codes.replace(-1, np.nan) if kind else x[c] for c, kind in zip(x, kinds)])
    y = both[target].astype("category").cat.codes.to_numpy()
    return codes.astype(np.float32), y, np.array(kinds)


def ours(program, paths, target, kind, rounds=100):
    lines = subprocess.run([program, *paths, target, kind, str(THREADS), "1", str(rounds)], check=True, capture_output=True, text=True).stdout.split("\n")
    return float(lines[0]), float(lines[1].split()[-1])


def timed(model, x, y, n):
    start = time.process_time()
    model.fit(x[:n], y[:n])
    return time.process_time() - start, (model.predict(x[n:]) == y[n:]).mean()


def compare(program, scratch, name, target, train, test):
    paths = [os.path.join(scratch, f"{name}_{part}.csv") for part in ("train", "test")]
    for path, frame in zip(paths, (train, test)):
        frame.to_csv(path, index=False, na_rep="?")
    x, y, kinds = numbers(train, test, target)
    filled = np.where(np.isnan(x), -1, x)
    n = len(train)
    sides = {
        "boosted": {"scikit-learn": lambda: timed(HistGradientBoostingClassifier(early_stopping=False, categorical_features=kinds), x, y, n)},
        "forest": {"scikit-learn": lambda: timed(RandomForestClassifier(n_jobs=THREADS, random_state=0), filled, y, n)},
    }
    if xgboost:
        sides["boosted"]["XGBoost hist"] = lambda: timed(
            xgboost.XGBClassifier(tree_method="hist", n_estimators=100, learning_rate=0.1, max_leaves=31, max_depth=0, grow_policy="lossguide",
                                  n_jobs=THREADS, verbosity=0), x, y, n)
    for kind, others in sides.items():
        times = {side: [] for side in ("ours", *others)}
        right = {}
        for _ in range(REPEATS):
            seconds, right["ours"] = ours(program, paths, target, kind)
            times["ours"].append(seconds)
            for side, run in others.items():
                seconds, right[side] = run()
                times[side].append(seconds)
        least = min(times["ours"])
        for side, seconds in times.items():
            ratio = "" if side == "ours" else f"  ratio {min(seconds) / least:.2f}"
            print(f"{name:7} {kind:8} {side:13} accuracy {right[side]:.4f}  minimum {min(seconds):.3f} s{ratio}", flush=True)
            if kind == "boosted" and side != "ours" and right[side] < right["ours"]:
                as_accurate(program, paths, target, name, right[side], seconds, others[side])


def as_accurate(program, paths, target, name, wanted, seconds, run):
    """Our time with the fewest rounds, in tens, that are as accurate as the other side's 100, in turns with it."""
    rounds = 10
    while ours(program, paths, target, "boosted", rounds)[1] < wanted:
        rounds += 10
    least = []
    for _ in range(REPEATS):
        least.append(ours(program, paths, target, "boosted", rounds))
        seconds.append(run()[0])
    print(f"{name:7} boosted  ours, {rounds} rounds: accuracy {least[0][1]:.4f}  minimum {min(least)[0]:.3f} s  ratio {min(seconds) / min(least)[0]:.2f}",
          flush=True)


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../../../shared/data/tables")
    if not os.path.exists(os.path.join(folder, "letter.csv")):
        sys.exit(print("the tables of the development data are not there"))
    with tempfile.TemporaryDirectory() as scratch:
        for name, target, train, test in tables(folder, scratch):
            compare(program, scratch, name, target, train, test)


main()
