"""Ten small programs in Credence and in Python, as one would write them in each: processor seconds of whole processes, start included. Both must print
the same."""
import os
import subprocess
import sys
import tempfile

from bench import of_children, turns

PROGRAMS = {
    "sum of a map": (
        "sum(map(1..1000000, x -> x * x + 1))",
        "print(sum(map(lambda x: x * x + 1, range(1, 1000001))))"),
    "recursion: fib(25)": (
        "fn fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)\nfib(25)",
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(25))"),
    "primes by division": (
        "fn is_prime(n) = all(2..floor(sqrt(n)), d -> n mod d != 0)\ncount(2..30000, is_prime)",
        "import math\ndef is_prime(n): return all(n % d != 0 for d in range(2, math.floor(math.sqrt(n)) + 1))\nprint(sum(map(is_prime, range(2, 30001))))"),
    "longest Collatz sequence": (
        "fn steps(n, so_far) = if n == 1 then so_far else if n mod 2 == 0 then steps(n / 2, so_far + 1) else steps(3 * n + 1, so_far + 1)\n"
        "max([steps(n, 0) for n in 1..10000])",
        "def steps(n):\n    so_far = 0\n    while n != 1:\n        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        so_far += 1\n    return so_far\n"
        "print(max(steps(n) for n in range(1, 10001)))"),
    "product of matrices": (
        "let a = [[(i * j) mod 7 for j in 1..80] for i in 1..80]\n"
        "sum([sum([a[i][k] * a[k][j] for k in 1..80]) for i in 1..80 for j in 1..80])",
        "a = [[(i * j) % 7 for j in range(1, 81)] for i in range(1, 81)]\n"
        "print(sum(sum(a[i][k] * a[k][j] for k in range(80)) for i in range(80) for j in range(80)))"),
    "greatest common divisors": (
        "fn gcd(a, b) = if b == 0 then a else gcd(b, a mod b)\nsum([gcd(i, j) for i in 1..300 for j in 1..300])",
        "def gcd(a, b): return a if b == 0 else gcd(b, a % b)\nprint(sum(gcd(i, j) for i in range(1, 301) for j in range(1, 301)))"),
    "Pythagorean triples": (
        "count([1 for a in 1..120 for b in a..120 for c in b..120 if a * a + b * b == c * c])",
        "print(len([1 for a in range(1, 121) for b in range(a, 121) for c in range(b, 121) if a * a + b * b == c * c]))"),
    "eight queens": (
        "fn safe(queens, c) = all(1..count(queens), i -> queens[i] != c and abs(queens[i] - c) != count(queens) + 1 - i)\n"
        "fn place(queens) = if count(queens) == 8 then 1 else sum([place(concat(queens, [c])) for c in 1..8 if safe(queens, c)])\nplace([])",
        "def safe(queens, c): return all(queens[i] != c and abs(queens[i] - c) != len(queens) - i for i in range(len(queens)))\n"
        "def place(queens): return 1 if len(queens) == 8 else sum(place(queens + [c]) for c in range(1, 9) if safe(queens, c))\nprint(place([]))"),
    "fractions": (
        "set numbers exact\nsum([1 / k for k in 1..2000]) > 8",
        "from fractions import Fraction\nprint('true' if sum(Fraction(1, k) for k in range(1, 2001)) > 8 else 'false')"),
    "sorting and a fold": (
        "fold(sort([(i * 7919) mod 100003 for i in 1..100000]), 0, (sum, x) -> (sum * 3 + x) mod 1000003)",
        "total = 0\nfor x in sorted((i * 7919) % 100003 for i in range(1, 100001)):\n    total = (total * 3 + x) % 1000003\nprint(total)"),
}


def compare(bench):
    # The program beside the folder of the benchmarks.
    credence = os.path.join(os.path.dirname(os.path.dirname(bench.program)), "credence")
    with tempfile.TemporaryDirectory() as folder:
        for work, texts in PROGRAMS.items():
            sides = {}
            for side, command, ending, text in zip(("ours", "python3"), (credence, sys.executable), (".cred", ".py"), texts):
                path = os.path.join(folder, "program" + ending)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text + "\n")
                sides[side] = lambda call=(command, path): of_children(
                    lambda: subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip())
            least = turns(sides)
            (mine, said), (theirs, other) = least["ours"], least["python3"]
            bench.row(work, mine, peer="python3", theirs=theirs, same=said == other, check=said if said == other else f"{said} and {other}")
