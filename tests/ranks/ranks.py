#!/usr/bin/python3
"""Scripts on several processes: ranks.py PROGRAM SOURCE_TREE [--all]

The same bytes and status for every number of ranks, and one clear message where a rank has other files, dies or is stopped.
Leaves with 77 where there is no mpirun, or a program without MPI.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, TREE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
EVERY = "--all" in sys.argv[3:]
PATIENCE = 120  # seconds until a run counts as hanging
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet"]

# Scripts of the project in which work is shared, or files are read and written: folds, chains, samples, restarts, EM, neighbours.
SCRIPTS = """
examples/bayes_rule/cancer_test.cred
examples/classify/prepared_learners.cred
examples/concepts/saved_spaces.cred
examples/continuous/change_point.cred
examples/gradient/identity_encoder.cred
examples/gradient/xor_hidden.cred
examples/instances/curse.cred
examples/instances/lazy_or_eager.cred
examples/instances/weighted_votes.cred
examples/learning/comparing_learners.cred
examples/learning/cross_validation.cred
examples/learning/learning_curve.cred
examples/mixtures/climbing.cred
examples/mixtures/death_notices.cred
examples/mixtures/eruptions.cred
examples/mixtures/k_means_and_em.cred
examples/nets/asia_sampling.cred
examples/nets/hidden_cause.cred
examples/nets/net_files.cred
examples/nets/sprinkler_sampling.cred
examples/plots/surfaces_and_fits.cred
examples/regression/overfitting.cred
examples/sequences/fever.cred
examples/tables/restaurant.cred
examples/trees/shortest_tree.cred
tests/golden/language/streams.cred
tests/golden/errors/E-FILE/file_format.cred
""".split()

# Scripts with loops that are long enough to be shared; rows.csv is made by `make_rows`.
SHARED = {
    "folds": """let t = load("rows.csv", target: t)
cross_validate(naive_bayes(), t, folds: 7)
compare(id3(), naive_bayes(), t, folds: 5)
""",
    "mixtures": """let t = drop(load("rows.csv"), [c, d, t])
train gaussian_mixture(k: 3) on t
train k_means(k: 4) on t
pca(t)
""",
    "samples": """net Lawn {
  Rain      : 0.2
  Sprinkler | Rain : { true: 0.01, false: 0.4 }
  Wet | Rain, Sprinkler : {
    true, true  : 0.99
    false, false: 0
    else        : 0.9
  }
}
P(Rain | Wet = true) by gibbs(40000)
P(Rain | Wet = true) by likelihood_weighting(200000)
P(Rain | Wet = true) by rejection(200000)
count(sample 300000 from P(*) in Lawn, by: Wet)
""",
    "chains": """net Coin { p ~ beta(2, 2); heads ~ binomial(20, p) }
E(p | heads = 14) by nuts(2000)
P(p > 0.5 | heads = 14) by nuts(2000)
""",
    "trees": """let t = load("rows.csv", target: t)
let f = train random_forest(trees: 12) on t
f
evaluate(f, t).accuracy
""",
    "neighbours": """let t = load("rows.csv", target: t)
evaluate(train knn(k: 5) on head(t, 3000), t)
""",
    "restarts": """let t = head(load("rows.csv", target: t), 200)
evaluate(train neural(hidden: [3], epochs: 30, restarts: 3) on t, t).accuracy
""",
    "hidden": """net Cause {
  H in {one, two} : ?
  c in {red, blue} | H : ?
  d in {a, b, c} | H : ?
  t in {yes, no} | H : ?
}
train Cause on select(load("rows.csv"), [c, d, t]) by em(iterations: 20)
train Cause on load("labels.csv", stream: true) by em(iterations: 20)
""",
    "streams": """let s = load("rows.csv", target: t, stream: true)
s
P(t | c, d) in s
train naive_bayes() on s
train logistic() on s
train gaussian_mixture(k: 2) on load("numbers.csv", stream: true)
train k_means(k: 3) on load("numbers.csv", stream: true)
train regression() on load("numbers.csv", target: y, stream: true)
train id3() on load("labels.csv", target: t, stream: true)
""",
    "spread": """let s = load("large.csv", target: t, stream: true)
s
P(t | c, d) in s
train naive_bayes() on s
train logistic() on s
train regression() on load("large.csv", target: x, types: {c: label}, stream: true)
train id3() on load("large.csv", target: t, types: {x: label}, stream: true)
""",
    "saved": """let t = head(load("rows.csv", target: t), 50)
save(t, "saved.csv")
expect load("saved.csv", target: t) == t
save(train naive_bayes() on t, "saved.json")
load("saved.json")
save(t, "saved.db", table: rows)
rows(load("saved.db"))
""",
    "random": """sample 3 from normal(0, 1)
sample from uniform(0, 1)
""",
}


def make_rows(folder, rows=6000):
    state = 12345
    texts = {"rows.csv": ["x,y,c,d,t"], "numbers.csv": ["x,y"], "labels.csv": ["c,d,t"]}
    for _ in range(rows):
        drawn = []
        for _ in range(4):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            drawn.append((state >> 40) / 2**24)
        x, y, c, d = drawn
        color, letter = ("red" if c > 0.5 else "blue"), "abc"[int(d * 3)]
        label = "yes" if x + 0.3 * c + 0.4 * y * d > 0.7 else "no"
        first = x * 4 + (3 if c > 0.5 else 0)
        texts["rows.csv"].append(f"{first:.4f},{y:.4f},{color},{letter},{label}")
        texts["numbers.csv"].append(f"{first:.4f},{first * 2 + y:.4f}")
        texts["labels.csv"].append(f"{color},{letter},{label}")
    for name, lines in texts.items():
        write(folder, name, "\n".join(lines) + "\n")
    # several parts, one of them with a line end inside quotes
    few = [f"{i % 37},\"{'line' if i % 50 else 'two' + chr(10) + 'lines'}\",{'abcd'[i * i % 7 % 4]},{'yes' if i % 37 > i % 11 else 'no'}" for i in range(5000)]
    write(folder, "large.csv", "x,c,d,t\n" + ("\n".join(few) + "\n") * 160)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def alone(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=PATIENCE, **options)


def mpirun(arguments, **options):
    return subprocess.run([*MPIRUN, *arguments], capture_output=True, timeout=PATIENCE, **options)


def on_ranks(ranks, *arguments, **options):
    return mpirun(["-n", str(ranks), PROGRAM, *arguments], **options)


def on_two(first, second):
    """Two ranks with other arguments."""
    return mpirun(["-n", "1", PROGRAM, *first, ":", "-n", "1", PROGRAM, *second])


FAILURES = []
COMPARED = [0]


def said(done):
    return f"status {done.returncode}\n{done.stdout.decode(errors='replace')}\n{done.stderr.decode(errors='replace')}"


def check(what, condition, *details):
    if condition:
        return
    FAILURES.append(what)
    print(f"FAILED: {what}")
    for detail in details:
        print("   ", detail if isinstance(detail, str) else said(detail))


def same_bytes(folder):
    make_rows(folder)
    paths = [write(folder, name + ".cred", text) for name, text in SHARED.items()] + [os.path.join(TREE, script) for script in SCRIPTS]
    for path in paths:
        expected = alone("run", path)
        if path.startswith(folder):
            check(f"{os.path.basename(path)} runs clean", expected.returncode == 0, expected)
        for ranks in (1, 2, 3, 4) if EVERY else (3,):
            for threads in ("1", "2") if EVERY else ("1",):
                done = on_ranks(ranks, "run", path, "--threads", threads)
                COMPARED[0] += 1
                same = (done.stdout, done.stderr, done.returncode) == (expected.stdout, expected.stderr, expected.returncode)
                check(f"{os.path.basename(path)} on {ranks} ranks with {threads} threads", same, expected, done)
    done = on_ranks(3, "run", "-", input=b"1 + 1\nP(x) == 2\n")
    expected = alone("run", "-", input=b"1 + 1\nP(x) == 2\n")
    check("standard input", (done.stdout, done.stderr, done.returncode) == (expected.stdout, expected.stderr, expected.returncode), expected, done)
    done = on_ranks(2, "-q", "-e", "expect 1 == 2")
    check("a failed expectation", done.returncode == 1 and done.stderr.count(b"E-EXPECT") == 1, done)
    done = on_ranks(2, "--stats", "run", os.path.join(folder, "mixtures.cred"))
    check("--stats tells what was sent", b"2 ranks" in done.stderr and b" 0 bytes sent" not in done.stderr, done)


def one_error(done, *texts):
    """Status 1, and one message, which has these texts."""
    return done.returncode == 1 and done.stderr.count(b"error[") == 1 and all(text.encode() in done.stderr for text in texts)


def unequal_files(folder):
    for place in ("a", "b"):
        os.mkdir(os.path.join(folder, place))
        write(folder, f"{place}/s.cred", 'rows(load("data.csv"))\n')
        write(folder, f"{place}/data.csv", "x\n1\n2\n")
    scripts = (["run", os.path.join(folder, "a/s.cred")], ["run", os.path.join(folder, "b/s.cred")])
    done = on_two(*scripts)
    check("equal files in other folders", done.returncode == 0 and done.stdout == b"2\n", done)
    write(folder, "b/data.csv", "x\n1\n3\n")
    done = on_two(*scripts)
    check("a file with other bytes", one_error(done, "E-FILE", "is not the same file", "rank 1 of 2"), done)
    write(folder, "b/data.csv", "x\n1\n")
    done = on_two(*scripts)
    check("a shorter file", one_error(done, "E-FILE", "is not the same file", "8 bytes") or one_error(done, "6 bytes and 4 bytes"), done)
    os.remove(os.path.join(folder, "b/data.csv"))
    done = on_two(*scripts)
    check("a file that one rank lacks", one_error(done, "E-FILE", "rank 1 of 2", "there is no file"), done)
    write(folder, "b/s.cred", "1\n")
    done = on_two(*scripts)
    check("another script", one_error(done, "E-FILE", "is not the same file"), done)
    os.remove(os.path.join(folder, "b/s.cred"))
    done = on_two(*scripts)
    check("no script on one rank", one_error(done, "E-FILE", "rank 1 of 2", "there is no file"), done)
    os.remove(os.path.join(folder, "a/s.cred"))
    done = on_ranks(2, "run", os.path.join(folder, "a/s.cred"))
    check("no script at all", one_error(done, "E-FILE", "there is no file"), done)
    os.symlink("/dev/full", os.path.join(folder, "full.csv"))
    script = write(folder, "full.cred", 'save(to_table([{x: 1}]), "full.csv")\n2\n')
    done = on_ranks(3, "run", script)
    check("a full disk", one_error(done, "E-FILE", "No space left"), done)


# Sampling without an end, in loops that are shared.
ENDLESS = """net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }
P(Rain | Wet = true) by likelihood_weighting(10000000000)
"""


def rank_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environment:
            for entry in environment.read().split(b"\0"):
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    return int(entry.split(b"=")[1])
    except OSError:
        pass
    return None


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as stat:
                if int(stat.read().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(name))
        except (OSError, ValueError, IndexError):
            continue
    return found


def dying_ranks(folder):
    script = write(folder, "endless.cred", ENDLESS)
    done = on_ranks(2, "--timeout", "3", "run", script)
    check("--timeout", done.returncode == 1 and done.stderr.count(b"E-TIMEOUT") == 1, done)
    for victim in (0, 1):
        running = subprocess.Popen([*MPIRUN, "-n", "2", PROGRAM, "run", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pid = None
        for _ in range(200):
            pid = next((child for child in children(running.pid) if rank_of(child) == victim), None)
            if pid:
                break
            time.sleep(0.05)
        time.sleep(2)
        if pid:
            os.kill(pid, signal.SIGKILL)
        try:
            out, err = running.communicate(timeout=60)
            check(f"rank {victim} is killed", pid and running.returncode not in (0, None) and not out, err.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            running.kill()
            check(f"rank {victim} is killed: nothing hangs", False)


def commands(folder):
    done = on_ranks(2, "check", os.path.join(folder, "endless.cred"))
    check("other commands refuse", done.returncode == 2 and done.stderr.count(b"start it without mpirun") == 1, done)
    done = on_ranks(2, "--no-such-option", "-e", "1")
    check("wrong usage is said once", done.returncode == 2 and done.stderr.count(b"no-such-option") == 1, done)
    lonely = os.path.join(folder, "bin")
    os.mkdir(lonely)
    program = shutil.copy(PROGRAM, lonely)
    done = mpirun(["-n", "2", program, "-e", "1"])
    check("a build without MPI", one_error(done, "this build has no MPI") and not done.stdout, done)
    done = mpirun(["-n", "1", program, "-e", "1"])
    check("a build without MPI, as one process", done.returncode == 0 and done.stdout == b"1\n", done)


def main():
    if not shutil.which("mpirun") or b"no MPI" in on_ranks(2, "-e", "1").stderr:
        print("skipped: there is no mpirun, or the program is built without MPI")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for part in (same_bytes, unequal_files, dying_ranks, commands):
            part(folder)
    print(f"{COMPARED[0]} runs compared, {len(FAILURES)} failures")
    sys.exit(1 if FAILURES else 0)


if __name__ == "__main__":
    main()
