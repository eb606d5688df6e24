"""What the benchmarks share: turns of both sides, the check that both computed the same, and the table of the results.

Times are seconds of one thread, the least of all turns. Machines are noisy: what counts is the ratio, theirs to ours, in one run.
REPEATS in the environment says how many turns there are, CREDENCE_DATA where the tables, texts and networks are.
"""
import dataclasses
import functools
import importlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("CREDENCE_DATA", os.path.join(HERE, "../../../shared/data"))
REPEATS = int(os.environ.get("REPEATS", "5"))


@dataclasses.dataclass
class Row:
    bench: str
    work: str
    ours: float
    peer: str = ""
    theirs: float | None = None  # None: the peer is not here
    same: bool | None = None
    check: str = ""  # what was compared, or why nothing was
    two: float | None = None  # our time with two threads
    floor: float | None = None  # what reading the data or the arithmetic alone takes on this machine

    @property
    def ratio(self):
        return self.theirs / self.ours if self.theirs is not None else None


class Missing(Exception):
    """What a benchmark needs is not on this machine."""


class Bench:
    """One benchmark: it runs its program, and gathers rows."""

    def __init__(self, name, program):
        self.name = name
        self.program = program
        self.rows = []
        self.lines = []  # of programs that compare with nobody
        self.failed = False

    def ask(self, *arguments):
        """What our program prints, as words."""
        return subprocess.run([self.program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout.split()

    def row(self, work, ours, **rest):
        self.rows.append(Row(self.name, work, ours, **rest))
        print(line_of(self.rows[-1]), flush=True)


def data(*names):
    """Files of the development data."""
    paths = [os.path.join(DATA, name) for name in names]
    for path in paths:
        if not os.path.exists(path):
            raise Missing(f"{os.path.basename(path)} is not there (CREDENCE_DATA names the folder)")
    return paths


def module(name, package):
    """A module of a peer; without it there is nothing to compare with."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing(f"{package} is not installed") from None


def turns(sides, repeats=REPEATS):
    """Runs the sides in turns; by name the least seconds and what was said last. A side is a function that gives both."""
    out = {}
    for _ in range(repeats):
        for name, side in sides.items():
            seconds, said = side()
            out[name] = (min(seconds, out[name][0]) if name in out else seconds, said)
    return out


def timed(work):
    start = time.perf_counter()
    said = work()
    return time.perf_counter() - start, said


def of_children(work):
    """Processor seconds of the processes that `work` starts and waits for."""
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime
    start = used()
    said = work()
    return used() - start, said


def near(what, ours, theirs, within):
    """Whether two numbers agree, relatively; as the fields of a row."""
    return {"same": abs(ours - theirs) <= within * max(abs(ours), abs(theirs)), "check": f"{what} {ours:.6g}, {theirs:.6g}"}


def accurate(ours, theirs, within=0.01):
    """Whether two shares of right answers agree, within a point unless told otherwise."""
    return {"same": abs(ours - theirs) <= within, "check": f"accuracy {ours:.4f}, {theirs:.4f}"}


programs = ""  # their folder


@functools.cache
def machine():
    """Bytes that one thread of this machine reads, and floating-point operations that it does, in a second."""
    said = subprocess.run([os.path.join(programs, "peak")], check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), float(said[1])


def floor(bytes=0, operations=0):
    bandwidth, rate = machine()
    return max(bytes / bandwidth, operations / rate)


def shown(x, digits=3):
    return "" if x is None else f"{x:.{digits}g}"


COLUMNS = ("work", "ours s", "2 threads", "peer", "theirs s", "ratio", "floor s", "same result")


def cells(row):
    same = {None: row.check or "-", True: f"yes: {row.check}", False: f"NO: {row.check}"}[row.same]
    return (f"{row.bench}: {row.work}", shown(row.ours), shown(row.two), row.peer, shown(row.theirs), shown(row.ratio), shown(row.floor, 2), same)


def line_of(row):
    said = [f"{name} {cell}" for name, cell in zip(COLUMNS[1:], cells(row)[1:]) if cell]
    return f"{cells(row)[0]:48}  " + "  ".join(said)


def compares(script):
    return os.path.exists(script) and "\ndef compare(bench)" in open(script, encoding="utf-8").read()


def run(name, folder):
    """A benchmark by its name: a module here that compares, a script with a table of its own, or a program alone."""
    bench = Bench(name, os.path.join(folder, name))
    script = os.path.join(HERE, name + ".py")
    try:
        if compares(script):
            importlib.import_module(name).compare(bench)
        else:
            command = [sys.executable, "-B", script, bench.program] if os.path.exists(script) else [bench.program]
            said = subprocess.run(command, cwd=os.path.join(HERE, "../.."), capture_output=True, text=True)
            bench.lines = (said.stdout + said.stderr).splitlines()
            bench.failed = said.returncode != 0
            print(f"{name}:", *bench.lines, sep="\n  ", flush=True)
    except Missing as reason:
        print(f"{name}: not measured, {reason}", flush=True)
        bench.lines = [f"not measured: {reason}"]
    return bench


def names(folder):
    """All benchmarks: those that compare are modules with a function `compare`."""
    modules = [file[:-3] for file in os.listdir(HERE) if file.endswith(".py") and file != "bench.py" and compares(os.path.join(HERE, file))]
    return sorted({*modules, *(file for file in os.listdir(folder) if file != "peak" and os.access(os.path.join(folder, file), os.X_OK))})


def versions():
    out = {"python3": platform.python_version()}
    for name in ("numpy", "scipy", "pandas", "sklearn", "xgboost"):
        try:
            out[name] = importlib.import_module(name).__version__
        except ImportError:
            continue
    for package in ("libsvm-tools", "liblinear-tools", "libnanoflann-dev", "toulbar2", "r-cran-rstan"):
        said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        if said.returncode == 0 and said.stdout:
            out[package] = said.stdout
    return out


def where():
    """Commit and machine of a run."""
    commit = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=10"], capture_output=True, text=True).stdout.strip()
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    bandwidth, rate = machine()
    return {"commit": commit, "processor": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "bytes_per_second": round(bandwidth), "operations_per_second": round(rate), "versions": versions()}


def page(place, benches):
    """RESULTS.md."""
    out = ["# Results of the benchmarks", "",
           "`./dev bench --write` makes this page from one run. Ratios are the peer's time over ours: above 1, we are faster. A ratio counts "
           "only where both sides computed the same. The floor is the time in which one thread of this machine reads the data once, or does "
           "the arithmetic that the method needs, whichever is longer.", "",
           f"- commit {place['commit']}, {place['processor']}, {place['cores']} cores",
           f"- one thread reads {place['bytes_per_second'] / 1e9:.1f} GB and does {place['operations_per_second'] / 1e9:.1f} billion operations in a second",
           "- " + ", ".join(f"{name} {version}" for name, version in place["versions"].items()), "",
           "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    for bench in benches:
        out += ["| " + " | ".join(cells(row)) + " |" for row in bench.rows]
    alone = [bench for bench in benches if bench.lines]
    if alone:
        out += ["", "## Without a peer", ""]
        for bench in alone:
            out += [f"`{bench.name}`:", "", "```text", *bench.lines, "```", ""]
    return "\n".join(out).rstrip() + "\n"


def main():
    """bench.py FOLDER_OF_PROGRAMS [NAME…] [--json FILE] [--write]"""
    arguments = sys.argv[1:]
    write = "--write" in arguments
    wanted = None
    if "--json" in arguments:
        at = arguments.index("--json")
        wanted = arguments[at + 1]
        del arguments[at:at + 2]
    global programs
    programs, *chosen = [a for a in arguments if a != "--write"]
    folder = programs
    known = names(folder)
    for name in chosen:
        if name not in known:
            sys.exit(f"there is no benchmark {name}; there are {', '.join(known)}")
    sys.path.insert(0, HERE)
    sys.modules["bench"] = sys.modules["__main__"]
    benches = [run(name, folder) for name in chosen or known]
    if wanted:
        with open(wanted, "w", encoding="utf-8") as file:
            json.dump({**where(), "rows": [{**dataclasses.asdict(row), "ratio": row.ratio} for bench in benches for row in bench.rows]}, file, indent=1)
    if write:
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as file:
            file.write(page(where(), benches))
    different = [f"{row.bench}: {row.work}" for bench in benches for row in bench.rows if row.same is False]
    failed = [bench.name for bench in benches if bench.failed]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    if different:
        sys.exit("the two sides computed different things: " + ", ".join(different))


if __name__ == "__main__":
    main()
