"""Scripts on one and two ranks of one thread each, in turns: processor seconds of the first rank, so that the ratio is the speed-up without the time
in which a rank waits. The output must have the same bytes. Then a file of labels is streamed through naive Bayes. ROWS and STREAM_ROWS in the
environment give the rows. Results of a longer run: scale.md."""
import os
import random
import re
import shutil
import subprocess
import tempfile

from bench import Missing, turns

ROWS = int(os.environ.get("ROWS", "1000000"))
STREAM_ROWS = int(os.environ.get("STREAM_ROWS", "10000000"))
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet", "-n", "2"]

SCRIPTS = {
    "naive_bayes, stream": 'train naive_bayes() on load("labels.csv", target: c, stream: true)',
    "logistic, stream": 'train logistic() on load("numbers.csv", target: c, stream: true)',
    "gaussian_mixture, stream": 'train gaussian_mixture(k: 3, restarts: 1, iterations: 5) on load("points.csv", stream: true)',
    "EM of a net": """net Hidden {
  H : { a: 0.3, b: 0.7 }
  l0 | H : { a: { v0: ?, v1: ?, v2: ?, v3: ? }, b: { v0: ?, v1: ?, v2: ?, v3: ? } }
  l1 | H : { a: { v0: ?, v1: ?, v2: ?, v3: ? }, b: { v0: ?, v1: ?, v2: ?, v3: ? } }
}
train Hidden on select(load("labels.csv"), [l0, l1]) by em(iterations: 20)""",
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


def compare(bench):
    if not shutil.which("mpirun"):
        raise Missing("openmpi-bin is not installed")
    credence = os.path.join(os.path.dirname(os.path.dirname(bench.program)), "credence")
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, ROWS, STREAM_ROWS)
        script = os.path.join(folder, "script.cred")

        def run(*command):
            done = subprocess.run([*command, credence, "--stats", "--threads", "1", "run", script], check=True, capture_output=True, text=True)
            return float(re.search(r"([\d.]+) s of processor time", done.stderr).group(1)), done

        for name, text in SCRIPTS.items():
            with open(script, "w", encoding="utf-8") as out:
                out.write(text + "\n")
            least = turns({"one": run, "two": lambda: run(*MPIRUN)}, 2)
            (one, alone), (two, both) = least["one"], least["two"]
            sent = re.search(r"(\d+) bytes sent", both.stderr)
            bench.row(f"{name}, 2 ranks", two, peer="1 rank", theirs=one, same=alone.stdout == both.stdout,
                      check=f"the bytes of the output; a rank sent {sent.group(1) if sent else '?'}")
        with open(script, "w", encoding="utf-8") as out:
            out.write('train naive_bayes() on load("large.csv", target: c, stream: true)\n')
        seconds, done = run()
        memory = re.search(r"(\d+) MB", done.stderr).group(1)
        bench.row(f"naive Bayes on a stream of {STREAM_ROWS:,} x 10 labels", seconds,
                  check=f"{STREAM_ROWS / seconds / 1e6:.2f} million rows a second, {memory} MB at most")
