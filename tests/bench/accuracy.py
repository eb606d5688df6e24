#!/usr/bin/python3
"""Accuracy of the learners with their defaults, beside scikit-learn's with its own, on the same folds.

    python3 tests/bench/accuracy.py build/release/credence [FOLDER] [--seeds 3] [--rows 2000] [--only knn,svm] [--tables car,iris] [--write FILE]

FOLDER has the tables of the development data (car.csv, iris.csv, ...). Besides them, scikit-learn's digits and wine and three generated
tables are used. Of a larger table --rows rows are drawn, stratified; tables of fewer than 200 rows take ten times the seeds, and those of
fewer than 50 a hundred times. Each seed puts the rows in another order and deals them to five stratified folds, which both sides read from
a column. The order matters: scikit-learn's nearest neighbours take whichever of equally near rows come first, and equal votes go to a first
label. Label columns are 0/1 columns for scikit-learn (ordinal codes for its trees, its usual ways); its learners see the columns as they
are otherwise. It has no default for missing cells of most learners: there numbers become the mean of their column, and labels "?" a label
of their own. Its linear SVC is stopped after a million steps: on columns that are not scaled it has no end. Numbers are percentages: ours,
scikit-learn's, the difference, and two standard errors of it. That over the seeds says how far other orders and folds of these rows could
move it; that over the rows (a row counts with the share of the seeds in which it is right) how far other rows could: more seeds do not make
a table of 24 rows larger. The last lines have the mean over the tables. --write: the same as a page.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything reads it

import numpy as np
import pandas as pd
import sklearn
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

warnings.filterwarnings("ignore")
FILES = {"iris": "species", "car": "class", "breast_cancer_wdbc": "diagnosis", "spambase": "spam", "nursery": "class", "mushroom": "edibility",
         "letter": "letter", "adult_train": "income", "adult_test": "income", "contact_lenses": "contact-lenses", "alarm_3000": "BP",
         "alarm_3000_missing10": "BP"}


class Bayes:
    """GaussianNB where all columns are numbers, CategoricalNB where all are labels."""

    def fit(self, x, y, codes, labels):
        self.model = CategoricalNB(min_categories=codes.max(0).astype(int) + 1) if labels.all() else GaussianNB()
        self.model.fit(codes if labels.all() else x, y)
        self.labels = labels.all()
        return self

    def predict(self, x, codes):
        return self.model.predict(codes if self.labels else x)


# our learner: (theirs, which form of the columns it sees)
LEARNERS = {
    "naive_bayes": (Bayes, "both"),
    "knn": (KNeighborsClassifier, "0/1"),
    "decision_tree": (lambda: DecisionTreeClassifier(random_state=0), "codes"),
    "id3": (lambda: DecisionTreeClassifier(random_state=0), "codes"),
    "c45": (lambda: DecisionTreeClassifier(random_state=0), "codes"),
    "logistic": (LogisticRegression, "0/1"),
    "perceptron": (lambda: Perceptron(random_state=0), "0/1"),
    "neural": (lambda: MLPClassifier(random_state=0), "0/1"),
    "svm": (lambda: SVC(kernel="linear", max_iter=1_000_000), "0/1"),
    "random_forest": (lambda: RandomForestClassifier(random_state=0, n_jobs=2), "codes"),
    "boosted_trees": (HistGradientBoostingClassifier, "codes"),
}


def tables(folder, rows):
    out = {}
    for name, target in FILES.items():
        path = os.path.join(folder, name + ".csv") if folder else ""
        if os.path.exists(path):
            frame = pd.read_csv(path, na_values=["?"], keep_default_na=False, skipinitialspace=True)
            for c in frame:  # TRUE and FALSE are labels, also where cells are missing
                if frame[c].dtype == bool or frame[c].dtype == object:
                    frame[c] = frame[c].map(lambda v: v if pd.isna(v) else str(v))
            frame = frame[frame[target].notna()] if target in frame else frame
            if target not in frame:
                target = frame.columns[-1]
            out[name] = (frame, target)
    for name, source in (("digits", datasets.load_digits()), ("wine", datasets.load_wine())):
        frame = pd.DataFrame(source.data, columns=[f"x{i}" for i in range(source.data.shape[1])])
        out[name] = (frame.assign(y=[f"c{t}" for t in source.target]), "y")
    for name, options in (("made_easy", dict(n_informative=6, class_sep=1.5)), ("made_hard", dict(n_informative=8, n_classes=3, class_sep=0.7)),
                          ("made_wide", dict(n_features=60, n_informative=10, flip_y=0.05))):
        x, t = datasets.make_classification(1000, **{"n_features": 20, "random_state": 1, **options})
        frame = pd.DataFrame(x.round(6), columns=[f"x{i}" for i in range(x.shape[1])])
        out[name] = (frame.assign(y=[f"c{v}" for v in t]), "y")
    for name, (frame, target) in out.items():
        if len(frame) > rows:
            share = rows / len(frame)
            frame = frame.groupby(target, group_keys=False).apply(lambda g: g.sample(max(2, round(len(g) * share)), random_state=0))
        out[name] = (frame.sample(frac=1, random_state=0).reset_index(drop=True), target)
    return out


def forms(frame, target):
    x = frame.drop(columns=target)
    labels = np.array([x[c].dtype == object for c in x])
    x = x.copy()
    for c, label in zip(x, labels):
        x[c] = x[c].fillna("?") if label else x[c].fillna(x[c].mean())
    codes = x.to_numpy() if not labels.any() else np.column_stack(
        [OrdinalEncoder().fit_transform(x[[c]]) if label else x[[c]].to_numpy() for c, label in zip(x, labels)])
    ones = x.to_numpy() if not labels.any() else np.column_stack(
        [OneHotEncoder(sparse_output=False).fit_transform(x[[c]]) if label else x[[c]].to_numpy() for c, label in zip(x, labels)])
    return ones.astype(float), codes.astype(float), labels


def theirs(name, frame, target, fold, prepared):
    ones, codes, labels = prepared
    y = frame[target].astype(str).to_numpy()
    make, form = LEARNERS[name]
    right = np.zeros(len(y))
    for k in range(5):
        a, b = fold != k, fold == k
        if form == "both":
            said = make().fit(ones[a], y[a], codes, labels).predict(ones[b], codes[b]) if not labels.all() else None
            if said is None:
                model = CategoricalNB(min_categories=codes.max(0).astype(int) + 1).fit(codes[a], y[a])
                said = model.predict(codes[b])
        else:
            x = ones if form == "0/1" else codes
            said = make().fit(x[a], y[a]).predict(x[b])
        right[b] = said == y[b]
    return right


def ours(program, names, path, target, fold):
    script = [f'let t = load("{path}", target: `{target}`)', "let all = as_labels(t, `%s`)" % target if target == "spam" else "let all = t"]
    for k in range(5):
        script.append(f"let a{k} = drop(where(all, r -> r.fold != {k}), fold)")
        script.append(f"let b{k} = drop(where(all, r -> r.fold == {k}), fold)")
    for name in names:
        for k in range(5):
            said = f"{name}_said{k}"
            script.append(f"let {said} = predict(train {name}() on a{k}, b{k})")
            script.append(f'"{name} misses in {k}: {{join_text([i for i in 1..rows(b{k}) if {said}[i] != b{k}.`{target}`[i]], " ")}}."')
    done = subprocess.run([program, "-"], input="\n".join(script) + "\n", capture_output=True, text=True)
    out = {}
    for name, k, missed in re.findall(r"(\w+) misses in (\d): ([0-9 ]*)\.", done.stdout):
        right = out.setdefault(name, np.ones(len(fold)))
        right[np.flatnonzero(fold == int(k))[[int(i) - 1 for i in missed.split()]]] = 0
    if done.returncode != 0:
        print(done.stderr[-600:], file=sys.stderr)
    return out


def standard_error(numbers):
    return np.std(numbers, ddof=1) / np.sqrt(len(numbers)) if len(numbers) > 1 else np.nan


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", nargs="?", default="")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--rows", type=int, default=2000)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--tables", default="")
    arguments.add_argument("--write", default="")
    options = arguments.parse_args()
    names = options.only.split(",") if options.only else list(LEARNERS)
    apart = {name: [] for name in names}
    lines = {}
    print(f"{'table':20} {'learner':14} {'ours':>7} {'sklearn':>8} {'difference':>11} {'seeds':>6} {'rows':>5}")
    with tempfile.TemporaryDirectory() as scratch:
        for table, (frame, target) in tables(options.folder, options.rows).items():
            if options.tables and table not in options.tables.split(","):
                continue
            two = frame[target].nunique() == 2
            run = [n for n in names if two or n != "perceptron"]
            us = {n: [] for n in run}
            them = {n: [] for n in run}
            for seed in range(options.seeds * (100 if len(frame) < 50 else 10 if len(frame) < 200 else 1)):
                order = np.random.default_rng(seed).permutation(len(frame))
                rows = frame.iloc[order].reset_index(drop=True)
                fold = np.zeros(len(rows), int)
                for k, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(rows, rows[target].astype(str))):
                    fold[test] = k
                path = os.path.join(scratch, f"{table}_{seed}.csv")
                rows.assign(fold=fold).to_csv(path, index=False, na_rep="?")
                back = np.argsort(order)  # from here on, rows are in the order of the table
                for name, value in ours(options.program, run, path, target, fold).items():
                    us[name].append(value[back])
                prepared = forms(rows, target)
                for name in run:
                    them[name].append(theirs(name, rows, target, fold, prepared)[back])
            for name in run:
                they_are = 100 * np.mean(them[name])
                if not us[name]:
                    print(f"{table:20} {name:14} {'failed':>7} {they_are:8.1f}")
                    continue
                we_are = 100 * np.mean(us[name])
                apart_by = 100 * (np.array(us[name]) - np.array(them[name]))  # seeds × rows
                error = standard_error(apart_by.mean(axis=0))
                lines.setdefault((table, len(frame)), {})[name] = (we_are, they_are, error)
                apart[name].append(we_are - they_are)
                print(f"{table:20} {name:14} {we_are:7.1f} {they_are:8.1f} {apart[name][-1]:+11.1f} "
                      f"{standard_error(apart_by.mean(axis=1)):6.1f} {error:5.1f}", flush=True)
    print()
    for name, differences in apart.items():
        if differences:
            print(f"{'mean':20} {name:14} {'':7} {'':8} {np.mean(differences):+11.2f}   least {min(differences):+.1f}")
    if options.write:
        write_page(options, names, lines, apart)


def write_page(options, names, lines, apart):
    command = f"python3 tests/bench/accuracy.py build/release/credence TABLES --seeds {options.seeds} --rows {options.rows}"
    if options.tables:
        command += f" --tables {options.tables}"
    with open(options.write, "w", encoding="utf-8") as page:
        page.write("# Accuracy of the learners with their defaults\n\n"
                   "Percent of rows right in five-fold cross-validation: ours, and in brackets how far that is from scikit-learn's default\n"
                   f"(version {sklearn.__version__}) on the same rows in the same order and folds, ± its standard error over the rows; the mean of {options.seeds} seed{'s' if options.seeds > 1 else ''}. "
                   f"Larger tables are samples of {options.rows:,} rows, stratified; tables of fewer than 200 rows take ten times the seeds, of fewer than 50 a hundred times.\n"
                   "The head of `accuracy.py` says what is compared with what. This page is written by\n\n"
                   f"```sh\n{command} --write {options.write}\n```\n\n")
        page.write("| table | rows | " + " | ".join(names) + " |\n|---|---:|" + "---:|" * len(names) + "\n")
        for (table, rows), cells in lines.items():
            page.write(f"| {table} | {rows} |")
            for name in names:
                ours_is, theirs_is, error = cells.get(name, (np.nan, np.nan, np.nan))
                page.write(" |" if np.isnan(ours_is) else f" {ours_is:.1f} ({ours_is - theirs_is:+.1f} ± {error:.1f}) |")
            page.write("\n")
        page.write("| mean difference | |" + "".join(f" {np.mean(apart[n]):+.2f} |" if apart[n] else " |" for n in names) + "\n")


main()
