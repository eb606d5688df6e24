"""Principal components of 100,000 x 50 numbers."""
import tempfile

from bench import floor, module, near, timed, turns

ROWS, COLUMNS = 100_000, 50


def compare(bench):
    np, decomposition = module("numpy", "python3-numpy"), module("sklearn.decomposition", "python3-sklearn")
    rng = np.random.default_rng(11)
    x = rng.normal(size=(ROWS, COLUMNS)) @ rng.normal(size=(COLUMNS, COLUMNS))

    def theirs():
        seconds, model = timed(lambda: decomposition.PCA(10, svd_solver="full").fit(x))
        return seconds, model.explained_variance_[9]

    with tempfile.NamedTemporaryFile() as file:
        x.tofile(file.name)

        def ours():
            said = bench.ask(file.name, ROWS, COLUMNS)
            return float(said[0]), float(said[2])

        least = turns({"ours": ours, "theirs": theirs})
    bench.row(f"{ROWS:,} x {COLUMNS}", least["ours"][0], peer="scikit-learn", theirs=least["theirs"][0],
              floor=floor(bytes=x.nbytes, operations=ROWS * COLUMNS**2), **near("tenth eigenvalue", least["ours"][1], least["theirs"][1], 1e-8))
