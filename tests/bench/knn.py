"""Nearest neighbours: 100,000 points, 10,000 queries, k = 5, build and query together, against the best of scikit-learn's KDTree, BallTree and brute
force. What takes longest is asked a tenth of the queries, and its seconds are counted ten times: the trees where points are uniform in 20
dimensions, brute force below 20. The program alone compares our index with nanoflann's, where libnanoflann-dev is installed."""
import os
import subprocess
import tempfile

from bench import floor, module, timed, turns

K = 5
POINTS, QUERIES = 100_000, 10_000


def make(np, kind, d):
    rng = np.random.default_rng(3 + d)
    if kind == "uniform":
        return rng.random((POINTS, d)), rng.random((QUERIES, d))
    if kind == "clustered":
        centres = rng.random((20, d))
        return [centres[rng.integers(0, 20, n)] + rng.normal(0, 0.05, (n, d)) for n in (POINTS, QUERIES)]
    directions = rng.normal(size=(3, d))
    return [rng.random((n, 3)) @ directions + rng.normal(0, 0.01, (n, d)) for n in (POINTS, QUERIES)]


def compare(bench):
    np, neighbours = module("numpy", "python3-numpy"), module("sklearn.neighbors", "python3-sklearn")
    bench.lines = subprocess.run([bench.program], check=True, capture_output=True, text=True).stdout.splitlines()
    print("knn:", *bench.lines, sep="\n  ", flush=True)

    def tree(kind, points, queries, part):
        build, index = timed(lambda: kind(points))
        query, (_, rows) = timed(lambda: index.query(queries[: len(queries) // part], K))
        return build + query * part, rows

    def brute(points, queries, part):
        asked = queries[: len(queries) // part]
        seconds, rows = timed(lambda: neighbours.NearestNeighbors(n_neighbors=K, algorithm="brute").fit(points).kneighbors(asked)[1])
        return seconds * part, rows

    for d in (3, 8, 20):
        for kind in ("uniform", "clustered", "surface"):
            points, queries = make(np, kind, d)
            part = 10 if kind == "uniform" and d == 20 else 1
            with tempfile.TemporaryDirectory() as folder:
                files = [os.path.join(folder, name) for name in ("points", "queries", "rows")]
                points.tofile(files[0])
                queries.tofile(files[1])

                def ours():
                    seconds = float(bench.ask(files[0], files[1], d, "auto", files[2])[0])
                    return seconds, np.fromfile(files[2], dtype=np.uint32).reshape(-1, K)

                least = turns({"ours": ours, "KDTree": lambda: tree(neighbours.KDTree, points, queries, part),
                               "BallTree": lambda: tree(neighbours.BallTree, points, queries, part),
                               "brute force": lambda: brute(points, queries, 1 if d == 20 else 10)}, 3)
            seconds, mine = least.pop("ours")
            best = min(least, key=lambda name: least[name][0])
            asked = len(least["KDTree"][1])
            different = int((mine[:asked] != least["KDTree"][1]).sum())
            bench.row(f"{kind} points in {d} dimensions", seconds, peer=f"scikit-learn, {best}", theirs=least[best][0],
                      floor=floor(bytes=points.nbytes + queries.nbytes), same=different <= 1e-4 * asked * K,
                      check=f"{different} of {asked * K} neighbours differ")
