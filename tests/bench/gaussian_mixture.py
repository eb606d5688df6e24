"""EM for five normals over 200,000 x 10 numbers, 50 iterations from one start. Both begin with the table in memory, identity covariances and
equal weights; the log-likelihood of a row must agree to 1e-6."""
import tempfile
import warnings

from bench import floor, module, near, timed, turns

ROWS, COLUMNS, K, ITERATIONS = 200_000, 10, 5, 50


def rows(np):
    rng = np.random.default_rng(7)
    mu = rng.normal(0, 4, (K, COLUMNS))
    z = rng.choice(K, ROWS, p=[.3, .25, .2, .15, .1])
    x = np.empty((ROWS, COLUMNS))
    for j in range(K):
        a = rng.normal(0, 1, (COLUMNS, COLUMNS))
        s = a @ a.T / COLUMNS + .3 * np.eye(COLUMNS)
        x[z == j] = rng.multivariate_normal(mu[j], s, (z == j).sum())
    return x, x[rng.choice(ROWS, K, replace=False)]


def compare(bench):
    np, mixture = module("numpy", "python3-numpy"), module("sklearn.mixture", "python3-sklearn")
    warnings.filterwarnings("ignore")
    x, start = rows(np)
    # Multiplications and additions for a row, a component and an iteration: the distance in the E-step, the moments in the M-step.
    work = {"full": 2 * COLUMNS**2, "tied": COLUMNS**2, "diagonal": 6 * COLUMNS, "spherical": 6 * COLUMNS}
    precisions = {"full": np.repeat(np.eye(COLUMNS)[None], K, 0), "tied": np.eye(COLUMNS), "diagonal": np.ones((K, COLUMNS)), "spherical": np.ones(K)}
    with tempfile.TemporaryDirectory() as folder:
        x.tofile(f"{folder}/rows.f64")
        start.tofile(f"{folder}/means.f64")
        for shape, operations in work.items():
            def ours(threads=1):
                seconds, log = map(float, bench.ask(f"{folder}/rows.f64", f"{folder}/means.f64", COLUMNS, shape, ITERATIONS, threads))
                return seconds, log

            def theirs():
                model = mixture.GaussianMixture(K, covariance_type="diag" if shape == "diagonal" else shape, max_iter=ITERATIONS, tol=0, reg_covar=1e-6,
                                                weights_init=np.ones(K) / K, means_init=start, precisions_init=precisions[shape], init_params="random",
                                                random_state=0)
                return timed(lambda: model.fit(x))[0], model

            least = turns({"ours": ours, "two": lambda: ours(2), "theirs": theirs}, 3)
            bench.row(f"EM, {shape} covariances", least["ours"][0], two=least["two"][0], peer="scikit-learn", theirs=least["theirs"][0],
                      floor=floor(operations=ITERATIONS * ROWS * K * operations),
                      **near("log-likelihood of a row", least["ours"][1], least["theirs"][1].score(x), 1e-6))
