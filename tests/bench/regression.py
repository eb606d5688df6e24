"""Least squares on 200,000 x 20 numbers. Both sides begin with the table in memory; ours also gives residuals and standard errors."""
import tempfile

from bench import floor, module, timed, turns

ROWS, COLUMNS = 200_000, 20


def compare(bench):
    np, pd, linear = module("numpy", "python3-numpy"), module("pandas", "python3-pandas"), module("sklearn.linear_model", "python3-sklearn")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(ROWS, COLUMNS)).round(6)
    y = (x @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS)).round(6)

    def theirs():
        seconds, model = timed(lambda: linear.LinearRegression().fit(x, y))
        return seconds, model.coef_

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/numbers.csv"
        pd.DataFrame(x, columns=[f"x{j}" for j in range(COLUMNS)]).assign(y=y).to_csv(path, index=False)

        def ours():
            said = [float(v) for v in bench.ask(path, "y")]
            return said[0], said[1:]

        least = turns({"ours": ours, "theirs": theirs}, 7)
    apart = float(np.max(np.abs(np.array(least["ours"][1]) / least["theirs"][1] - 1)))
    bench.row(f"least squares, {ROWS:,} x {COLUMNS}", least["ours"][0], peer="scikit-learn", theirs=least["theirs"][0],
              floor=floor(bytes=x.nbytes, operations=ROWS * COLUMNS**2), same=apart < 1e-8, check=f"weights, {apart:.0e} apart")
