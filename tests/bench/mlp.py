"""Trains a network (64 inputs, 64 sigmoid units, softmax) on scikit-learn's digits: 50 epochs of plain stochastic gradient descent, batches of 1
and of 32. MLPClassifier follows the mean gradient of a batch, ours the sum: the rate is divided by the batch."""
import tempfile
import warnings

from bench import accurate, floor, module, timed, turns

EPOCHS = 50


def compare(bench):
    np, pd = module("numpy", "python3-numpy"), module("pandas", "python3-pandas")
    datasets, networks = module("sklearn.datasets", "python3-sklearn"), module("sklearn.neural_network", "python3-sklearn")
    warnings.filterwarnings("ignore")
    digits = datasets.load_digits()
    x, y = digits.data / 16, digits.target
    order = np.random.default_rng(0).permutation(len(y))
    n = len(y) * 2 // 3
    a, b = order[:n], order[n:]
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("train", a), ("test", b)):
            pd.DataFrame(x[rows], columns=[f"p{i}" for i in range(64)]).assign(digit=y[rows]).to_csv(f"{folder}/{name}.csv", index=False)
        for batch, rate, momentum in ((32, 0.1, 0.9), (1, 0.05, 0.0)):
            def ours():
                said = bench.ask(f"{folder}/train.csv", f"{folder}/test.csv", "digit", batch, rate / batch, momentum, EPOCHS)
                return float(said[0]), float(said[1])

            def theirs():
                model = networks.MLPClassifier((64,), activation="logistic", solver="sgd", batch_size=batch, learning_rate_init=rate, momentum=momentum,
                                               nesterovs_momentum=False, alpha=0, max_iter=EPOCHS, tol=0, n_iter_no_change=1000, random_state=0)
                return timed(lambda: model.fit(x[a], y[a]))[0], model.score(x[b], y[b])

            least = turns({"ours": ours, "theirs": theirs}, 3)
            # Forward, backward and the step: each weight is used three times, with two operations.
            bench.row(f"digits, batches of {batch}", least["ours"][0], peer="scikit-learn", theirs=least["theirs"][0],
                      floor=floor(operations=EPOCHS * n * 6 * (64 * 64 + 64 * 10)), **accurate(least["ours"][1], least["theirs"][1], 0.02))
