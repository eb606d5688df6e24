#!/usr/bin/python3
"""Most probable assignments: toulbar2 and we on the same files, in turns in one run, CPU seconds of whole processes.

    ./dev bench map_search        (or: map_search.py build/release/bench/map_search [FOLDER…] [--limit SECONDS] [--json FILE])

Reads all *.uai and *.bif of the folders, by default those of ../shared/data/uai and ../shared/data/networks. Each model is first written as
one UAI file with its evidence, which both programs read. The weights of both assignments are computed here from that file. Where both
claim to have proved theirs, the run fails if ours is the lighter; if it is theirs, the row says so. toulbar2 comes with the Debian
package of that name; without it, ours alone is shown.
"""
import argparse
import glob
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile

AGREE = 1e-4  # in natural logarithms: toulbar2 rounds costs to its own unit


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command, limit):
    """Output and CPU seconds; None in place of the output where the limit was reached."""
    before = cpu_seconds()

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=bound)
    return (done.stdout if done.returncode >= 0 else None), cpu_seconds() - before


def read_tables(path):
    words = iter(open(path).read().split())
    next(words)
    sizes = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [[float(next(words)) for _ in range(int(next(words)))] for _ in scopes]
    return sizes, list(zip(scopes, tables))


def log_weight(model, values):
    sizes, tables = model
    total = 0.0
    for scope, entries in tables:
        at = 0
        for variable in scope:
            at = at * sizes[variable] + values[variable]
        if entries[at] <= 0:
            return -math.inf
        total += math.log(entries[at])
    return total


def toulbar2(copy, limit):
    """Values, whether they are proved, CPU seconds. The solution is in a file of its own."""
    solution = copy + ".sol"
    out, seconds = timed(["toulbar2", copy, f"-timer={limit}", f"-w={solution}", "-precision=9"], limit + 5)
    proved = out is not None and "Optimum:" in out
    values = [int(v) for v in open(solution).read().split()] if os.path.exists(solution) else None
    return values, proved, seconds


def ours(program, copy, limit):
    out, seconds = timed([program, copy], limit)
    if not out or out.startswith("E-"):
        return None, False, seconds, out.split()[0] if out else "-"
    first, second = out.split("\n")[:2]
    engine, proved, _ = first.split()
    return [int(v) for v in second.split()], proved == "proved", seconds, engine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--json")
    options = parser.parse_args()
    folders = options.folders or ["../shared/data/networks", "../shared/data/uai"]
    models = [p for folder in folders for ending in ("bif", "uai") for p in sorted(glob.glob(f"{folder}/*.{ending}"))]
    if not models:
        sys.exit(f"no models in {', '.join(folders)}")
    peer = shutil.which("toulbar2")
    if not peer:
        print("toulbar2 is missing (Debian: toulbar2): ours alone")
    rows, wrong = [], []
    print(f"{'model':24} {'ours s':>8} {'toulbar2 s':>10} {'ratio':>7}  log weight, engine")
    with tempfile.TemporaryDirectory() as scratch:
        for path in models:
            name = os.path.splitext(os.path.basename(path))[0]
            copy = os.path.join(scratch, name + ".uai")
            subprocess.run([options.program, path, "", copy], check=True)
            model = read_tables(copy)
            values, proved, seconds, engine = ours(options.program, copy, options.limit)
            weight = log_weight(model, values) if values else None
            row = {"model": name, "seconds": seconds, "engine": engine, "proved": proved, "log_weight": weight}
            if peer:
                their_values, their_proof, their_seconds = toulbar2(copy, options.limit)
                theirs = log_weight(model, their_values) if their_values else None
                row |= {"peer_seconds": their_seconds, "peer_proved": their_proof, "peer_log_weight": theirs}
                both = proved and their_proof
                row["same"] = both and abs(weight - theirs) <= AGREE * max(1, abs(theirs))
                if both and not row["same"] and weight < theirs:
                    wrong.append(name)
            rows.append(row)
            shown = [f"{name:24} {seconds:8.2f}{' ' if proved else '?'}"]
            if peer:
                shown.append(f"{their_seconds:9.2f}{' ' if their_proof else '?'} {their_seconds / seconds:7.2f} ")
            shown.append(f"{'-' if weight is None else f'{weight:.6f}'} {engine}")
            if peer and both and not row["same"]:
                shown.append(f"(toulbar2's assignment has {theirs:.6f})")
            print(" ".join(shown), flush=True)
    print("? : not proved within the limit")
    if options.json:
        json.dump(rows, open(options.json, "w"), indent=1)
    if wrong:
        sys.exit(f"our assignment is not the best: {', '.join(wrong)}")


main()
