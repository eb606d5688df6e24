"""1,000,000 hypotheses times 4 observations of a line, and 100,001 exact hypotheses on a coin. Processor seconds of whole processes; the most
probable point and its probability must agree with numpy's."""
import subprocess
import sys

from bench import floor, module, of_children, turns

NUMPY = """
import numpy as np
a, b = np.meshgrid(np.linspace(0, 1, 1000), np.linspace(0, 1, 1000), indexing="ij")
logs = np.zeros_like(a)
for x, y in zip([1, 2, 3, 4], [1.1, 1.9, 3.2, 3.9]):
    logs += -0.5 * (y - (a + b * x)) ** 2
p = np.exp(logs - logs.max())
p /= p.sum()
i = np.unravel_index(p.argmax(), p.shape)
print(a[i], b[i], p[i])
"""


def compare(bench):
    module("numpy", "python3-numpy")

    def ours(work):
        out = subprocess.run([bench.program, "1000"], check=True, capture_output=True, text=True).stdout.split("\n")
        times = {line.split()[0]: float(line.split()[1]) for line in out if line.startswith(("line ", "coin "))}
        return times[work], [float(x) for x in out[0].replace("≈", "").replace('"', "").split()]

    def theirs():
        said = of_children(lambda: subprocess.run([sys.executable, "-c", NUMPY], check=True, capture_output=True, text=True).stdout)
        return said[0], [float(x) for x in said[1].split()]

    least = turns({"ours": lambda: ours("line"), "coin": lambda: ours("coin"), "numpy": theirs})
    mine, other = least["ours"][1], least["numpy"][1]
    bench.row("1,000,000 lines", least["ours"][0], peer="numpy", theirs=least["numpy"][0], floor=floor(bytes=8_000_000, operations=16_000_000),
              same=all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(mine, other)), check=f"posterior at the top {mine[2]:.6g}, {other[2]:.6g}")
    bench.row("100,001 coins in fractions", least["coin"][0])
