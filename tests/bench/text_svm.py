"""Linear support vector machines on the 20 newsgroups. liblinear reads features that scikit-learn made beforehand (not timed); ours reads the
texts themselves."""
import os
import shutil
import subprocess
import tempfile

from bench import Missing, accurate, data, floor, module, timed, turns


def read(path):
    lines = [line.rstrip("\n").split("\t", 1) for line in open(path, encoding="utf-8")]
    return [text for _, text in lines], [label for label, _ in lines]


def write_features(folder, train, test):
    datasets, text = module("sklearn.datasets", "python3-sklearn"), module("sklearn.feature_extraction.text", "python3-sklearn")
    (xa, ya), (xb, yb) = read(train), read(test)
    codes = {c: i + 1 for i, c in enumerate(sorted(set(ya)))}
    counts = text.CountVectorizer(min_df=2)
    a = counts.fit_transform(xa)
    weigh = text.TfidfTransformer(sublinear_tf=True).fit(a)
    datasets.dump_svmlight_file(weigh.transform(a), [codes[c] for c in ya], f"{folder}/train", zero_based=False)
    datasets.dump_svmlight_file(weigh.transform(counts.transform(xb)), [codes[c] for c in yb], f"{folder}/test", zero_based=False)


def compare(bench):
    train, test = data("text/newsgroups_train.tsv", "text/newsgroups_test.tsv")
    liblinear = shutil.which("liblinear-train") or shutil.which("train")
    if not liblinear:
        raise Missing("liblinear-tools is not installed")
    with tempfile.TemporaryDirectory() as folder:
        write_features(folder, train, test)

        def ours(threads=1):
            said = bench.ask(train, test, threads)
            return float(said[0]), float(said[2])

        def theirs():
            return timed(lambda: subprocess.run([liblinear, "-q", "-s", "1", "-c", "1", f"{folder}/train", f"{folder}/m"], check=True))

        least = turns({"ours": ours, "two": lambda: ours(2), "theirs": theirs})
        predict = liblinear.replace("train", "predict")
        said = subprocess.run([predict, f"{folder}/test", f"{folder}/m", f"{folder}/o"], check=True, capture_output=True, text=True).stdout
    bench.row("20 newsgroups", least["ours"][0], two=least["two"][0], peer="liblinear", theirs=least["theirs"][0],
              floor=floor(bytes=os.path.getsize(train)), **accurate(least["ours"][1], float(said.split("%")[0].split()[-1]) / 100, 0.02))
