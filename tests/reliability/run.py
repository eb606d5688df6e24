#!/usr/bin/env python3
"""The checks of reliability: run.py PROGRAM SOURCE_TREE [--seconds N] [--seed S] [--only NAME]

Each check first tries what it always tries, and then, while its share of the time lasts, cases drawn at random. The last line has the
figures; the status is 1 where anything failed. The seed is printed, so that a failure can be had again."""
import argparse
import os
import random
import sys
import time

import files
import memory
import mutations
import queries
import same
import saved
import sessions
import stops
import tables
from support import Check

CHECKS = (files, sessions, stops, memory, saved, tables, queries, mutations, same)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    chosen = [check for check in CHECKS if arguments.only in check.__name__]
    good = True
    tried = failed = 0
    print(f"seed {arguments.seed}")
    for i, check in enumerate(chosen):
        deadline = time.monotonic() + arguments.seconds / len(chosen)
        this = Check(check.__name__, os.path.abspath(arguments.program), os.path.abspath(arguments.source), deadline,
                     random.Random(arguments.seed * 1000 + i))
        check.check(this)
        good = this.end() and good
        tried += this.tried
        failed += len(this.failed)
    print(f"reliability: {tried} checks, {failed} failures")
    sys.exit(0 if good else 1)


main()
