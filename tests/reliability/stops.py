"""--timeout holds everywhere: work without an end, or with one far away, is stopped soon after its time, and the end is a message."""
TIME = 0.5
GRACE = 1.0  # seconds: on a busy computer; the program itself takes a tenth

WIDE = 4000
BRACKETS = 30_000

TRAIN = ("candidate_elimination()", "bayes_optimal()", "map_learner()", "list_then_eliminate()", "chow_liu()", "tan()", "pc()", "hill_climb()",
         "tabu()", "logistic()", "gaussian_mixture(k: 2)", "c45()", "joint_bayes(m: 1)")
ROWS = ('let t = with_target(to_table([{a: sin(i), b: cos(i), c: sin(5 * i), y: if sin(3 * i) > 0 then "x" else "z"} for i in 1..6000]), y)\n'
        "let u = with_target(to_table([{a: sin(i), b: cos(i), c: sin(5 * i), y: sin(3 * i)} for i in 1..6000]), y)\n")
LONG_TRAINING = (("rbf_network(centers: 500, width: cross_validation)", "u"), ("svm(kernel: rbf(1))", "t"), ("random_forest(trees: 100000)", "t"), ("boosted_trees(rounds: 100000, rate: 0.001)", "t"), ("neural(hidden: [200, 200], epochs: 100000)", "t"),
                 ("gaussian_mixture(k: 200)", "u"), ("k_means(k: 2000)", "u"), ("knn(axes: learned)", "t"), ("hill_climb()", "discretize(t, 10)"),
                 ("lazy(neural(epochs: 1000), k: 50)", "t"))


def scripts(c):
    """Names and texts."""
    c.write("wide.csv", ",".join(f"c{i}" for i in range(WIDE)) + ",y\n" +
            "".join(",".join("pqrst"[i * j % 5] for i in range(WIDE)) + f",{'xz'[j % 2]}\n" for j in range(3)))
    c.write("labels.arff", "@relation r\n@attribute a {" + ",".join(f"v{i}" for i in range(100_000)) + "}\n@data\nv5\n")
    variables = ", ".join(f"X[{i}]" for i in range(1, 28))
    dealt = "net Cards {{ for i in 1..{0} {{ Card[i] : uniform([c for c in 1..{1} if not (c in Card[1..i - 1])]) }} }}\nP(Card[{0}])"
    yield "the joint of 27", f"net A {{ for i in 1..27 {{ X[i] : 1/2 }} }}\nlet f = P({variables})"
    yield "5 of 52 cards", dealt.format(5, 52)
    yield "8 cards in a row", dealt.format(8, 8)
    yield "an exact power", "set numbers exact\n3^10^8"
    yield "exact squares", "set numbers exact\nfold(1..100, 3/7, (a, x) -> a * a)"
    yield "a harmonic sum", "set numbers exact\nfold(1..1000000, 0, (a, x) -> a + 1/x)"
    yield "labels of an ARFF file", 'let t = load("labels.arff")'
    yield "two loops", "sum([sum([x * y for x in 1..100000]) for y in 1..1000000])"
    yield "recursion", "fn f(n) = if n < 2 then n else f(n - 1) + f(n - 2)\nf(60)"
    yield "equal shared lists", "fold(1..40, [1], (a, x) -> [a, a]) == fold(1..40, [1], (a, x) -> [a, a])"
    yield "shown shared lists", "fold(1..40, [1], (a, x) -> [a, a])"
    yield "ticks", "plot([1e308, -1e308])\nplot([5e-324, 0])"
    c.write("numbers.csv", ",".join(f"c{i}" for i in range(10_000)) + ",y\n" +
            "".join(",".join(f"{(i * j * 7919 + i) % 1009}" for i in range(10_000)) + f",{j}\n" for j in range(1, 4)))
    for learner in ("regression()", "ridge(1)", "regression(noise: laplace)"):
        yield f"{learner} of 10,000 columns", f'let t = load("numbers.csv", target: y)\nlet m = train {learner} on t'
    for learner in TRAIN:
        yield f"{learner} of {WIDE} columns", f'let t = load("wide.csv", target: y)\nlet m = train {learner} on t'
    for learner, rows in LONG_TRAINING:
        yield learner, ROWS + f"let m = train {learner} on {rows}"


def texts():
    """What takes long to read, not to run."""
    n = BRACKETS
    yield "brackets", "(" * n + "1" + ")" * n
    yield "texts in texts", '"{' * n + "1" + '}"' * n
    yield "conditions", "if true then " * n + "1"
    yield "open brackets", "[" * n
    yield "a long name", "a" * 100_000
    yield "unknown names", "\n".join(f"let a{i} = unknown_{i}" for i in range(40_000))
    yield "unknown names of one list", "let a = [" + ", ".join(f"unknown_{i}" for i in range(40_000)) + "]"
    yield "wrong statements", "let = \n" * 50_000


def check(c):
    latest = (0, "")
    def one(name, text, *before):
        nonlocal latest
        done = c.script(text, "--timeout", str(TIME), "--max-memory", "6000M", *before, seconds=30)
        c.sound(done, name)
        c.expect(done.seconds < TIME + GRACE, f"{name}: {done.seconds:.1f} s with --timeout {TIME}")
        latest = max(latest, (done.seconds - TIME, name))

    for name, text in scripts(c):
        one(name, text)
    for name, text in texts():
        one(name, text)
        one("report of " + name, text, "report")
    print(f"  the latest: {latest[0]:.2f} s after its time, {latest[1]}")
