"""Gaussian process regression on 1,000 rows with three columns; alpha, rho and sigma are learned. Both sides must find the same peak of the
evidence. scikit-learn climbs from one start, we from six on a part of the rows. Times are of the processor."""
import tempfile
import time
import warnings

from bench import module, near, turns


def compare(bench):
    np, processes = module("numpy", "python3-numpy"), module("sklearn.gaussian_process", "python3-sklearn")
    kernels = module("sklearn.gaussian_process.kernels", "python3-sklearn")
    warnings.filterwarnings("ignore")
    rng = np.random.default_rng(11)
    x = rng.uniform(0, 3, (1000, 3))
    y = np.sin(3 * x[:, 0]) + 0.5 * np.cos(3 * x[:, 1]) + 0.1 * rng.normal(size=1000)

    def theirs():
        kernel = kernels.ConstantKernel(1) * kernels.RBF(1) + kernels.WhiteKernel(0.1)
        start = time.process_time()
        model = processes.GaussianProcessRegressor(kernel).fit(x, y - y.mean())
        return time.process_time() - start, model.log_marginal_likelihood_value_

    with tempfile.NamedTemporaryFile() as file:
        np.column_stack([x, y]).tofile(file.name)

        def ours():
            seconds, log = map(float, bench.ask(file.name, 1000, 4))
            return seconds, log

        least = turns({"ours": ours, "theirs": theirs}, 3)
    bench.row("1,000 rows", least["ours"][0], peer="scikit-learn", theirs=least["theirs"][0],
              **near("log evidence", least["ours"][1], least["theirs"][1], 1e-3))
