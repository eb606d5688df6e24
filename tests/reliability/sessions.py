"""Long sessions: what nothing reaches goes, what a closure or a model reaches stays, and a statement's time does not grow."""
import json
import os
import subprocess

from support import run


class Session:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--json-repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, code):
        self.process.stdin.write((json.dumps({"op": "execute", "code": code}) + "\n").encode())
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def answer(self, code):
        outputs = self.ask(code)["outputs"]
        return outputs[-1]["text"].strip() if outputs else ""

    def kilobytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return sum(int(x) for x in stat.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# Statements and what the last of them says, by the rule that a name means what it meant where it was written.
MEANINGS = [
    (["let x = 1", "fn f() = x", "let x = 2"], "f()", "1"),
    (["let x = 1", "let g = [y -> x + y]", "let x = 10"] + ["let x = 100"] * 80, "g[1](5)", "6"),
    (["fn f(n) = if n < 2 then 1 else n * f(n - 1)", "let old = f", "fn f(n) = 0", "fn f(n) = 7"], "old(5)", "120"),
    (["fn even(n) = if n == 0 then true else odd(n - 1)\nfn odd(n) = if n == 0 then false else even(n - 1)", "let keep = [even]",
      "fn even(n) = false", "fn odd(n) = false"], "keep[1](10)", "true"),
    (["let a = 3", "fn f(x) = a * x", "fn g(x) = f(x) + 1", "fn f(x) = 0", "let a = 0"], "g(2)", "7"),
    (["let k = 2", "table t { a -> y\n 1 -> 10\n 2 -> 20\n 4 -> 40 }", "let m = train knn(k: 1, weight: d -> k / (d + 1)) on t", "let k = 0",
      "fn t() = 1"], "predict(m, <4>)", "≈ 40"),
    (["let p = 1/4", "net N(q) { X : q * p }", "let p = 1", "let m = N(1/2)", "net N(q) { X : 0 }"], "P(X = true) in m", "1/8  0.125"),
    (["fn f(x) = x + 1", "1 / 0", "let x = f(1)", "fn f(x) = 1 / 0"], "x", "2"),
]


def meanings(c):
    for statements, question, wanted in MEANINGS:
        session = Session(c.program)
        for statement in statements:
            session.ask(statement)
        got = session.answer(question)
        c.expect(got.split("\n")[-1].strip() == wanted, f"{statements[-1]!r}, then {question}: {got!r}, not {wanted!r}")
        session.end()


def flat(c, name, statement, count, prepare=(), bytes_each=300):
    """Memory and time over the second half of a session, beside those of the first."""
    session = Session(c.program)
    for line in prepare:
        session.ask(line)
    for i in range(count // 2):
        session.ask(statement(i))
    memory, time = session.kilobytes(), session.seconds()
    for i in range(count // 2):
        session.ask(statement(count // 2 + i))
    grown = (session.kilobytes() - memory) * 1024 / (count // 2)
    later = session.seconds() - time
    session.end()
    c.expect(grown < bytes_each, f"{name}: {grown:.0f} bytes stay of each statement")
    c.expect(later < 3 * time + 0.3, f"{name}: the first half took {time:.1f} s, the second {later:.1f} s")


PLATES = "net M { for i in 1..4 { R[i] : uniform(1..3)\n A[i] : 1/3\n B[i] | A[i] : { true: 0.9, false: 0.2 } }\n S : sum(R)\n Mx : max(R)\n K : count(A) }"


def stopped_statements(c):
    """Those that were stopped and have not ended hold memory for a while: the session goes on, and is whole once they have."""
    for statement in ("explain P(* | A)", "E(p | p + q > 1) by nuts(1000000)"):
        codes = [PLATES, "net Q { p ~ beta(2, 3)\n q ~ beta(1, 1) }"] + [statement + (" in M" if "A" in statement else " in Q")] * 6
        requests = "".join(json.dumps({"op": "execute", "code": code}) + "\n" for code in codes)
        done = run([c.program, "--json-repl", "--timeout", "0.7", "--max-memory", "64M"], requests, seconds=60, cwd=c.folder)
        if c.sound(done, f"{statement}, stopped again and again"):
            c.expect(done.out.count(b"\n") == len(codes), f"{statement}: {done.out.count(bytes([10]))} of {len(codes)} replies")
        c.expect(b"E-INTERNAL" not in done.out, f"{statement}: an internal error")


def check(c):
    meanings(c)
    stopped_statements(c)
    long_list = Session(c.program)
    for _ in range(12):
        long_list.ask("let xs = 1..1000000")
    c.expect(long_list.kilobytes() < 300_000, f"one list of a million numbers takes {long_list.kilobytes() >> 10} MB after 12 times")
    long_list.end()
    count = 2000
    while True:
        flat(c, "one name", lambda i: f"let x = [{i}, {i + 1}]", count)
        flat(c, "a function", lambda i: f"fn f(n) = if n < 2 then {i} else f(n - 1)", count)
        flat(c, "a list of functions", lambda i: f"let fs = [x -> x + {i}, x -> x]", count)
        flat(c, "mistakes", lambda i: f"let y = unknown_{i} +", count)
        flat(c, "a net", lambda i: "net N { A : 0.3; B | A : { true: 0.2, false: 0.7 } }", count // 4, bytes_each=2000)
        if not c.time_left():
            break
        count = min(count * 2, 50_000)
