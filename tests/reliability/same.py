"""The same script gives the same bytes on any number of threads, in any folder, time zone and state of memory."""
import os

from support import run

VARIANTS = [("again", "1", {}, None), ("four threads", "4", {}, None), ("another folder", "1", {}, "/"), ("another time zone", "1", {"TZ": "Pacific/Kiritimati"}, None),
            ("dirty memory", "3", {"MALLOC_PERTURB_": "165"}, None), ("another locale", "1", {"LC_ALL": "C.UTF-8", "COLUMNS": "200"}, None)]


def check(c):
    scripts = c.scripts("examples", "tests/golden/language")
    c.rng.shuffle(scripts)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "TZ"))}
    for i, script in enumerate(scripts):
        if i >= 8 and not c.time_left():
            break
        first = run([c.program, "--threads", "1", script], seconds=60, cwd=os.path.dirname(script), env=plain)
        if first.seconds > 1:
            continue
        for name, threads, extra, folder in VARIANTS:
            other = run([c.program, "--threads", threads, script], seconds=120, cwd=folder or os.path.dirname(script), env={**plain, **extra})
            c.expect((other.status, other.out, other.err) == (first.status, first.out, first.err), f"{os.path.relpath(script, c.folder)}: {name} differs")
