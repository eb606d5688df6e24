#!/usr/bin/python3
"""1,000,000 hypotheses times 4 observations of a line, with numpy and with us: CPU seconds of whole processes, in turns in one run.

    ./dev bench grid        (or: OMP_NUM_THREADS=1 grid.py build/bench/grid)

Needs python3-numpy. Both print the most probable point and its probability, which must agree.
"""
import resource
import subprocess
import sys

REPEATS = 5
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


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    us, them, coins = [], [], []
    for _ in range(REPEATS):
        out = subprocess.run([sys.argv[1], "1000"], check=True, capture_output=True, text=True).stdout.split("\n")
        times = {line.split()[0]: float(line.split()[1]) for line in out if line.startswith(("line ", "coin "))}
        us.append(times["line"])
        coins.append(times["coin"])
        start = cpu_seconds()
        theirs = subprocess.run([sys.executable, "-c", NUMPY], check=True, capture_output=True, text=True).stdout.split()
        them.append(cpu_seconds() - start)
    ours = out[0].replace("≈", "").replace('"', "").split()
    assert all(abs(float(u) - float(t)) <= 1e-9 * abs(float(t)) for u, t in zip(ours, theirs)), (ours, theirs)
    print(f"line: ours {min(us):.4f} s, numpy {min(them):.4f} s, ratio {min(them) / min(us):.1f}; posterior at the top {ours[2]} and {theirs[2]}")
    print(f"exact coin, 100,001 hypotheses: {min(coins):.4f} s")


main()
