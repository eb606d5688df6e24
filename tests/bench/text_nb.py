"""Tokenise, fit and predict over texts: the 20 newsgroups where they are, and texts of made-up words. Both sides leave out the 100 most
frequent words and those seen less than 3 times, and use alpha 1. A file has a label, a tab and a text on each line."""
import os
import random
import tempfile
import time

from bench import Missing, accurate, data, floor, module, turns


def write(path, seed, documents):
    rnd = random.Random(seed)
    words = [f"w{k}x" for k in range(60_000)]
    weights = [0.0]
    for k in range(len(words)):
        weights.append(weights[-1] + 1 / (k + 10))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(documents):
            label = rnd.randrange(20)
            own = [f"w{label * 1000 + rnd.randrange(1000)}x" for _ in range(40)]
            file.write(f"class{label}\t" + " ".join(own + rnd.choices(words, cum_weights=weights[1:], k=240)) + "\n")


def read(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    return [row[1] for row in rows], [row[0] for row in rows]


def measure(bench, np, extraction, bayes, work, train, test):
    (x, y), (xt, yt) = read(train), read(test)
    y, yt = np.array(y), np.array(yt)

    def theirs():
        start = time.perf_counter()
        vectors = extraction.CountVectorizer(token_pattern=r"(?u)\b\w+\b")
        counts = vectors.fit_transform(x)
        total = np.asarray(counts.sum(0)).ravel()
        keep = total >= 3
        keep[np.argsort(-total, kind="stable")[:100]] = False
        model = bayes.MultinomialNB(alpha=1.0).fit(counts[:, keep], y)
        said = model.predict(vectors.transform(xt)[:, keep])
        return time.perf_counter() - start, ((said == yt).mean(), int(keep.sum()))

    def ours(threads=1):
        said = bench.ask(train, test, threads, 1)
        return float(said[0]) + float(said[1]), (float(said[3]), int(said[5]))

    least = turns({"ours": ours, "two": lambda: ours(2), "theirs": theirs}, 3)
    (right, words), (other, others) = least["ours"][1], least["theirs"][1]
    same = accurate(right, other, 0.005)
    same["same"] = same["same"] and abs(words - others) <= 0.02 * others
    same["check"] += f"; words {words}, {others}"
    bench.row(work, least["ours"][0], two=least["two"][0], peer="scikit-learn", theirs=least["theirs"][0],
              floor=floor(bytes=os.path.getsize(train) + os.path.getsize(test)), **same)


def compare(bench):
    peer = module("numpy", "python3-numpy"), module("sklearn.feature_extraction.text", "python3-sklearn"), module("sklearn.naive_bayes", "python3-sklearn")
    with tempfile.TemporaryDirectory() as folder:
        train, test = os.path.join(folder, "train.tsv"), os.path.join(folder, "test.tsv")
        write(train, 1, 8_000)
        write(test, 2, 4_000)
        measure(bench, *peer, "12,000 texts of made-up words", train, test)
    try:
        measure(bench, *peer, "20 newsgroups", *data("text/newsgroups_train.tsv", "text/newsgroups_test.tsv"))
    except Missing as reason:
        print(f"20 newsgroups: not measured, {reason}")
