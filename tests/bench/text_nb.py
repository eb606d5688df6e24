#!/usr/bin/python3
"""Tokenise + fit + predict over texts with scikit-learn and with us, in turns in one run, on one thread; prints the ratio of the times.

    OMP_NUM_THREADS=1 python3 tests/bench/text_nb.py build/release/bench/text_nb train.tsv test.tsv

Files: a label, a tab and a text a line (20 newsgroups, 2/3 and 1/3, is what the figures in the documentation are of). Without files, texts of
a made-up vocabulary are used. Both sides leave out the 100 most frequent words and those seen less than 3 times, and use alpha 1.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

try:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
except ImportError:
    CountVectorizer = None

REPEATS = 7


def make_texts(path, seed, documents):
    rnd = random.Random(seed)
    words = [f"w{k}x" for k in range(60_000)]
    weights = np.cumsum([1 / (k + 10) for k in range(len(words))]).tolist()
    with open(path, "w", encoding="utf-8") as f:
        for _ in range(documents):
            label = rnd.randrange(20)
            own = [f"w{label * 1000 + rnd.randrange(1000)}x" for _ in range(40)]
            f.write(f"class{label}\t" + " ".join(own + rnd.choices(words, cum_weights=weights, k=240)) + "\n")


def read(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        rows = [line.rstrip("\n").split("\t", 1) for line in f]
    return [r[1] for r in rows], np.array([r[0] for r in rows])


def ours(program, train, test):
    lines = subprocess.run([program, train, test, "1", "1"], check=True, capture_output=True, text=True).stdout.split("\n")
    return sum(map(float, lines[0].split())), lines[1]


def theirs(train, test):
    (x, y), (xt, yt) = train, test
    start = time.perf_counter()
    vectors = CountVectorizer(token_pattern=r"(?u)\b\w+\b")
    counts = vectors.fit_transform(x)
    total = np.asarray(counts.sum(0)).ravel()
    keep = total >= 3
    keep[np.argsort(-total, kind="stable")[:100]] = False
    model = MultinomialNB(alpha=1.0).fit(counts[:, keep], y)
    said = model.predict(vectors.transform(xt)[:, keep])
    end = time.perf_counter()
    return end - start, f"accuracy {(said == yt).mean():.4f} vocabulary {keep.sum()}"


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        train, test = (sys.argv[2:] + [None, None])[:2]
        if train is None:
            train, test = os.path.join(folder, "train.tsv"), os.path.join(folder, "test.tsv")
            make_texts(train, 1, 8_000)
            make_texts(test, 2, 4_000)
        data = (read(train), read(test)) if CountVectorizer else None
        us, them = [], []
        for _ in range(REPEATS):
            us.append(ours(program, train, test))
            if CountVectorizer:
                them.append(theirs(*data))
        print("ours", us[0][1])
        print("scikit-learn", them[0][1] if them else "not measured: python3-sklearn is missing")
        for name, pick in (("median", statistics.median), ("minimum", min)):
            mine = pick([u[0] for u in us])
            line = f"tokenise + fit + predict  {name:8}  ours {mine:.3f} s"
            if them:
                other = pick([t[0] for t in them])
                line += f"  scikit-learn {other:.3f} s  ratio {other / mine:.1f}"
            print(line)


main()
