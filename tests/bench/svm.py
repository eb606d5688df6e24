"""Support vector machines by libsvm's svm-train and by us: whole processes, loading included. The synthetic set has 10,000 x 20 rows of two
overlapping classes; letter (UCI, 20,000 x 16) has two thirds to train, columns scaled to -1 .. 1."""
import shutil
import subprocess
import tempfile

from bench import Missing, accurate, data, module, timed, turns


def write(pd, datasets, folder, name, x, y):
    datasets.dump_svmlight_file(x, y, f"{folder}/{name}.svm", zero_based=False)
    pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])]).assign(y=[f"c{int(v)}" for v in y]).to_csv(f"{folder}/{name}.csv", index=False)


def synthetic(datasets):
    x, y = datasets.make_classification(15000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=4, flip_y=0.03, class_sep=0.8, random_state=5)
    x = (x - x.mean(0)) / x.std(0)
    return (x[:10000], y[:10000] * 2 - 1), (x[10000:], y[10000:] * 2 - 1)


def letter(pd, np):
    table = pd.read_csv(data("tables/letter.csv")[0])
    x = table.drop(columns="letter").to_numpy(float) / 7.5 - 1
    y = table["letter"].map(lambda c: ord(c) - 64).to_numpy()
    order = np.random.default_rng(0).permutation(len(y))
    n = len(y) * 2 // 3
    return (x[order[:n]], y[order[:n]]), (x[order[n:]], y[order[n:]])


def measure(bench, folder, name, c, gamma):
    def ours(threads=1):
        said = bench.ask(f"{folder}/train.csv", f"{folder}/test.csv", "y", c, repr((1 / (2 * gamma)) ** 0.5), threads)
        return float(said[0]), (int(said[1]), float(said[2]))

    def theirs():
        command = ["svm-train", "-q", "-t", "2", "-c", str(c), "-g", str(gamma), "-m", "200", f"{folder}/train.svm", f"{folder}/m"]
        return timed(lambda: subprocess.run(command, check=True))

    least = turns({"ours": ours, "two": lambda: ours(2), "theirs": theirs})
    vectors = next(int(line.split()[1]) for line in open(f"{folder}/m") if line.startswith("total_sv"))
    said = subprocess.run(["svm-predict", f"{folder}/test.svm", f"{folder}/m", f"{folder}/o"], check=True, capture_output=True, text=True).stdout
    (mine, right) = least["ours"][1]
    same = accurate(right, float(said.split("%")[0].split()[-1]) / 100, 0.002)
    same["same"] = same["same"] and abs(mine - vectors) <= 0.01 * vectors
    same["check"] += f"; support vectors {mine}, {vectors}"
    bench.row(name, least["ours"][0], two=least["two"][0], peer="libsvm", theirs=least["theirs"][0], **same)


def compare(bench):
    np, pd, datasets = module("numpy", "python3-numpy"), module("pandas", "python3-pandas"), module("sklearn.datasets", "python3-sklearn")
    if not shutil.which("svm-train"):
        raise Missing("libsvm-tools is not installed")
    for name, rows, c, gamma in (("synthetic, 10,000 x 20", lambda: synthetic(datasets), 1, 0.05), ("letter", lambda: letter(pd, np), 16, 0.5)):
        with tempfile.TemporaryDirectory() as folder:
            for part, (x, y) in zip(("train", "test"), rows()):
                write(pd, datasets, folder, part, x, y)
            measure(bench, folder, name, c, gamma)
