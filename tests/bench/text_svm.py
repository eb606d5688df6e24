#!/usr/bin/python3
"""Linear support vector machines on the 20 newsgroups with liblinear and with us, in turns in one run.

    ./dev bench text_svm   (or: text_svm.py build/bench/text_svm TRAIN.tsv TEST.tsv)

liblinear reads features that scikit-learn made beforehand (not timed); ours reads the texts themselves. Lines are "label TAB text".
Needs python3-sklearn and liblinear-tools.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

REPEATS = int(os.environ.get("REPEATS", "5"))


def read(path):
    lines = [line.rstrip("\n").split("\t", 1) for line in open(path, encoding="utf-8")]
    return [text for _, text in lines], [label for label, _ in lines]


def main():
    program = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    texts = os.path.join(here, "../../../shared/data/text/newsgroups_")
    train, test = sys.argv[2:4] if len(sys.argv) > 3 else (texts + "train.tsv", texts + "test.tsv")
    if not os.path.exists(train):
        print("not measured (no texts)")
        return
    liblinear = shutil.which("liblinear-train") or shutil.which("train")
    with tempfile.TemporaryDirectory() as folder:
        if liblinear:
            xa, ya = read(train)
            xb, yb = read(test)
            codes = {c: i + 1 for i, c in enumerate(sorted(set(ya)))}
            counts = CountVectorizer(min_df=2)
            a = counts.fit_transform(xa)
            weigh = TfidfTransformer(sublinear_tf=True).fit(a)
            dump_svmlight_file(weigh.transform(a), [codes[c] for c in ya], f"{folder}/train", zero_based=False)
            dump_svmlight_file(weigh.transform(counts.transform(xb)), [codes[c] for c in yb], f"{folder}/test", zero_based=False)
        us, two, them = [], [], []
        for _ in range(REPEATS):
            out = subprocess.run([program, train, test, "1"], check=True, capture_output=True, text=True).stdout.split()
            us.append(float(out[0]))
            two.append(float(subprocess.run([program, train, test, "2"], check=True, capture_output=True, text=True).stdout.split()[0]))
            if liblinear:
                start = time.perf_counter()
                subprocess.run([liblinear, "-q", "-s", "1", "-c", "1", f"{folder}/train", f"{folder}/m"], check=True)
                them.append(time.perf_counter() - start)
        print(f"ours {min(us):.3f} s (loading {out[1]}), two threads {min(two):.3f} s, {out[3]} words, accuracy {out[2]}")
        if not liblinear:
            print("liblinear: not measured (liblinear-tools is not installed)")
            return
        said = subprocess.run([liblinear.replace("train", "predict"), f"{folder}/test", f"{folder}/m", f"{folder}/o"], check=True,
                              capture_output=True, text=True).stdout
        print(f"liblinear -s 1 {min(them):.3f} s, {said.strip()}; ours / theirs {min(us) / min(them):.2f}")


main()
