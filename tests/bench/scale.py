#!/usr/bin/python3
"""Scripts on one and two ranks, and a table that stays in its file: ./dev bench scale, or scale.py PROGRAM [rows [stream_rows]]

Prints the processor time of the first rank of each script, on 1 and on 2 ranks of one thread each, their ratio, and the bytes that a rank
sent. Processor time leaves out what else the machine does, and the waiting for other ranks; the wall time of 2 ranks is beside it. Then a file
of labels is streamed through naive Bayes: rows a second, and the peak memory. Files are made in a temporary folder.
Results: scale.md.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
STREAM_ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000_000
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet"]

SCRIPTS = {
    "naive_bayes, stream": 'train naive_bayes() on load("labels.csv", target: c, stream: true)',
    "logistic, stream": 'train logistic() on load("numbers.csv", target: c, stream: true)',
    "gaussian_mixture, stream": 'train gaussian_mixture(k: 3, restarts: 1, iterations: 5) on load("points.csv", stream: true)',
    "EM of a net": """net Hidden {
  H in {a, b, c} : ?
  l0 in {v0, v1, v2, v3} | H : ?
  l1 in {v0, v1, v2, v3} | H : ?
  l2 in {v0, v1, v2, v3} | H : ?
  l3 in {v0, v1, v2, v3} | H : ?
  l4 in {v0, v1, v2, v3} | H : ?
  l5 in {v0, v1, v2, v3} | H : ?
  l6 in {v0, v1, v2, v3} | H : ?
  l7 in {v0, v1, v2, v3} | H : ?
}
train Hidden on head(select(load("labels.csv"), [l0, l1, l2, l3, l4, l5, l6, l7]), 200000) by em(iterations: 40)""",
    "knn": """let t = load("numbers.csv", target: c)
evaluate(train knn(k: 5, index: brute) on head(t, 20000), head(t, 40000)).accuracy""",
    "cross_validate": 'cross_validate(id3(), head(load("labels.csv", target: c), 100000), folds: 8).accuracy',
}


def make_files(folder, rows, stream_rows):
    """Blocks of random rows, repeated: the contents do not matter, the number of bytes does."""
    draw = random.Random(4)
    makers = {
        "labels.csv": ("l0,l1,l2,l3,l4,l5,l6,l7,l8,l9,c", rows,
                       lambda: ",".join(f"v{draw.randrange(4)}" for _ in range(10)) + "," + draw.choice(["yes", "no"])),
        "large.csv": ("l0,l1,l2,l3,l4,l5,l6,l7,l8,c", stream_rows,
                      lambda: ",".join(f"{draw.choice('abcdefgh')}" for _ in range(9)) + "," + draw.choice("yn")),
        "numbers.csv": ("x0,x1,x2,x3,x4,c", rows,
                        lambda: (lambda x: ",".join(f"{v:.4f}" for v in x) + "," + ("yes" if x[0] + draw.gauss(0, 1) > 0 else "no"))(
                            [draw.gauss(0, 1) for _ in range(5)])),
        "points.csv": ("x0,x1,x2,x3,x4", rows, lambda: ",".join(f"{draw.gauss(3 * draw.randrange(3), 1):.4f}" for _ in range(5))),
    }
    for name, (header, count, row) in makers.items():
        block = 100_000
        text = "".join(row() + "\n" for _ in range(min(block, count)))
        with open(os.path.join(folder, name), "w") as out:
            out.write(header + "\n")
            for _ in range(max(1, count // block)):
                out.write(text)


def timed(command):
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return seconds, done


def processor_time(done):
    return float(re.search(r"([\d.]+) s of processor time", done.stderr).group(1))


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, ROWS, STREAM_ROWS)
        print(f"{ROWS} rows; seconds of processor time on one rank and on each of two, their ratio, bytes sent by a rank, wall time on two")
        for name, text in SCRIPTS.items():
            script = os.path.join(folder, "script.cred")
            with open(script, "w") as out:
                out.write(text + "\n")
            _, expected = timed([PROGRAM, "--stats", "run", script])
            one = processor_time(expected)
            if shutil.which("mpirun"):
                wall, done = timed([*MPIRUN, "-n", "2", PROGRAM, "--stats", "run", script])
                if done.stdout != expected.stdout:
                    sys.exit(f"{name}: other bytes on two ranks")
                sent = re.search(r"(\d+) bytes sent", done.stderr)
                two = processor_time(done)
                print(f"  {name:28} {one:7.2f} {two:7.2f} {one / two:6.2f} {sent.group(1) if sent else '?':>12} {wall:7.2f}", flush=True)
            else:
                print(f"  {name:28} {one:7.2f}")
        script = os.path.join(folder, "script.cred")
        with open(script, "w") as out:
            out.write('train naive_bayes() on load("large.csv", target: c, stream: true)\n')
        seconds, done = timed([PROGRAM, "--stats", "--threads", "2", "run", script])
        memory = re.search(r"(\d+) MB", done.stderr).group(1)
        used = processor_time(done)
        print(f"naive Bayes on a stream of {STREAM_ROWS} rows x 10 labels, 2 threads: {seconds:.1f} s, {used:.1f} s of processor time, "
              f"{STREAM_ROWS / used / 1e6:.2f} million rows a second of it, {memory} MB at most")


if __name__ == "__main__":
    main()
