#!/usr/bin/python3
"""Nearest neighbours with scikit-learn and with us, in turns in one run: 100,000 points, 10,000 queries, k = 5, build and query together.

    ninja -C build bench_knn
    OMP_NUM_THREADS=1 python3 tests/bench/knn.py build/bench/knn [ROUNDS]

First what the program itself compares, our index and nanoflann's. Then the least seconds of ROUNDS (3) for scikit-learn's KDTree, BallTree
and brute force and for our index as it is chosen, the ratio of ours to the best of theirs, and how many of the neighbours differ. What takes
longest is asked a tenth of the queries, and its seconds are counted ten times: the trees where points are uniform in 20 dimensions, brute
force below 20. Without scikit-learn its side is "not measured".
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

try:
    from sklearn.neighbors import BallTree, KDTree, NearestNeighbors
except ImportError:
    KDTree = None

K = 5
POINTS, QUERIES = 100_000, 10_000


def make(kind, d):
    rng = np.random.default_rng(3 + d)
    if kind == "uniform":
        return rng.random((POINTS, d)), rng.random((QUERIES, d))
    if kind == "clustered":
        centres = rng.random((20, d))
        return [centres[rng.integers(0, 20, n)] + rng.normal(0, 0.05, (n, d)) for n in (POINTS, QUERIES)]
    directions = rng.normal(size=(3, d))
    return [rng.random((n, 3)) @ directions + rng.normal(0, 0.01, (n, d)) for n in (POINTS, QUERIES)]


def timed(work):
    start = time.perf_counter()
    out = work()
    return time.perf_counter() - start, out


def tree(kind, points, queries, part):
    build, index = timed(lambda: kind(points))
    query, (_, rows) = timed(lambda: index.query(queries[: len(queries) // part], K))
    return build + query * part, rows


def brute(points, queries, part):
    asked = queries[: len(queries) // part]
    seconds, rows = timed(lambda: NearestNeighbors(n_neighbors=K, algorithm="brute").fit(points).kneighbors(asked)[1])
    return seconds * part, rows


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    subprocess.run([program], check=True)
    for d in (3, 8, 20):
        for kind in ("uniform", "clustered", "surface"):
            points, queries = make(kind, d)
            part = 10 if kind == "uniform" and d == 20 else 1
            least = {}
            rows = {}
            with tempfile.TemporaryDirectory() as folder:
                files = [os.path.join(folder, name) for name in ("points", "queries", "rows")]
                points.tofile(files[0])
                queries.tofile(files[1])
                for _ in range(rounds):
                    said = subprocess.run([program, files[0], files[1], str(d), "auto", files[2]], check=True, capture_output=True, text=True)
                    least["ours"] = min(least.get("ours", 1e9), float(said.stdout))
                    if KDTree is None:
                        continue
                    for name, run in (
                        ("KDTree", lambda: tree(KDTree, points, queries, part)),
                        ("BallTree", lambda: tree(BallTree, points, queries, part)),
                        ("brute", lambda: brute(points, queries, 1 if d == 20 else 10)),
                    ):
                        seconds, rows[name] = run()
                        least[name] = min(least.get(name, 1e9), seconds)
                mine = np.fromfile(files[2], dtype=np.uint32).reshape(-1, K)
            line = f"{kind:9s} d={d:<2d}  ours {least['ours']:.3f} s"
            if KDTree is None:
                print(line + "  scikit-learn: not measured")
                continue
            best = min(least[name] for name in rows)
            line += "".join(f"  {name} {least[name]:.3f}" for name in rows)
            different = (mine[: len(rows["KDTree"])] != rows["KDTree"]).sum()
            print(line + f"  ratio to the best {least['ours'] / best:.3f}  different neighbours {different}", flush=True)


main()
