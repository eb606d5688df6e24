"""Memory that ends is a message: an allocation that fails anywhere, and --max-memory."""
import os
import shutil
import subprocess

from support import run

LITTLE = [  # scripts that --max-memory 64M stops, or that it has to bear
    ("let a = 3^40000\nlet b = [a + x for x in 1..200000]", 1),
    ('fold(1..60, "ab", (a, x) -> "{a}{a}")', 1),
    ("let a = fold(1..60, [1], (a, x) -> flatten([a, a]))", 1),
    ("let t = to_table([{a: x, b: x, c: x} for x in 1..20000000])", 1),
    ('let t = with_target(to_table([{a: sin(i), d: if sin(3 * i) > 0 then "x" else "y"} for i in 1..500]), d)\n'
     "cross_validate(neural(hidden: [20000, 20000], epochs: 1), t, folds: 4).accuracy", 1),
    ("let a = fold(1..100000, [1], (a, x) -> [a])\nlet g = fold(1..100000, x -> x, (f, i) -> (x -> f(x)))", None),
]

MANY_TARGETS = 'let t = with_target(to_table([{{a: i mod 7, y: "w{{i}}"}} for i in 1..20000]), y)\nlet m = train {0} on t\npredict(m, <3>)'
MANY_LABELS = [MANY_TARGETS.format(learner) for learner in ("naive_bayes(m: 1)", "baseline()", "c45()", "knn(k: 1)")]


def library(c):
    """The one that lets allocations fail; nothing where it cannot be made."""
    compiler = shutil.which("cc")
    made = c.path("failing.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failing.c")
    if compiler and subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, source, "-ldl"], capture_output=True).returncode == 0:
        return made
    print("  no C compiler: allocations do not fail")
    return None


def allocations(c, failing, scripts):
    def with_faults(path, **what):
        return run([c.program, "--threads", c.rng.choice("13"), "--timeout", "20", path], cwd=os.path.dirname(path), env={**os.environ, "LD_PRELOAD": failing, **what})

    def count(path):
        done = with_faults(path, COUNT_TO=c.path("count"))
        return done, int(open(c.path("count")).read())

    started = count(c.write("empty.cred", "1\n"))[1]
    for path in scripts:
        plain, total = count(path)
        if plain.status != 0 or plain.seconds > 1:
            continue
        for _ in range(6):
            where = ({"FAIL_AT": str(c.rng.randint(started, max(total, started + 1)))} if c.rng.random() < 0.7 else
                     {"FAIL_AT": str(c.rng.randint(1, 60)), "FAIL_FROM": "20000"})
            done = with_faults(path, **where)
            name = f"{os.path.basename(path)} with {where}"
            if c.sound(done, name):
                c.expect(done.status == 1 or done.out == plain.out, f"{name}: another answer, and no error")


def check(c):
    for script, status in LITTLE:
        done = c.script(script, "--max-memory", "64M", "--threads", "2", "--timeout", "20", seconds=60)
        c.sound(done, script[:60])
        if status is not None:
            c.expect(done.status == status and b"E-MEMORY" in done.err, f"{script[:60]}: {done.err[:120]!r}")
    for script in MANY_LABELS:
        done = c.script(script, "--max-memory", "512M", "--timeout", "20", seconds=60)
        c.expect(done.status == 0, f"{script[:100]}: {done.err[:120]!r}")
    failing = library(c)
    scripts = c.scripts("examples")
    first = True
    while failing and (first or c.time_left()):
        allocations(c, failing, c.rng.sample(scripts, min(6, len(scripts))))
        first = False
