"""What the checks share: the program in a process of its own, with limits, and what must never be seen of it."""
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

# Texts of the C++ library, of GMP and of sanitizers: a user must not meet them.
FOREIGN = re.compile(r"E-INTERNAL|terminate called|std::|bad_alloc|basic_string|GNU MP|Assertion|Sanitizer|runtime error:|json\.exception", re.I)


class Outcome:
    def __init__(self, status, out, err, seconds, hung):
        self.status, self.out, self.err, self.seconds, self.hung = status, out, err, seconds, hung

    def wrong(self, statuses=(0, 1)):
        """What is wrong with how it ended; empty where nothing is."""
        if self.hung:
            return "it did not end"
        if self.status < 0:
            return "signal " + signal.Signals(-self.status).name
        if self.status not in statuses:
            return f"status {self.status}"
        text = self.err.decode("utf-8", "replace")
        found = FOREIGN.search(text)
        if found:
            return f"it says '{found.group(0)}'"
        return "status 1 without a message" if self.status == 1 and not (text.strip() or self.out.strip()) else ""


def run(argv, text=b"", seconds=30, cwd=None, env=None, before=None):
    """Runs argv with `text` as its input, and ends it after so many seconds."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if before:
            before()

    if isinstance(text, str):
        text = text.encode()
    start = time.monotonic()
    with tempfile.TemporaryFile() as source:
        source.write(text)
        source.seek(0)
        process = subprocess.Popen(argv, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env=env, preexec_fn=prepare)
        try:
            out, err = process.communicate(timeout=seconds)
            hung = False
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            hung = True
    return Outcome(process.returncode, out, err, time.monotonic() - start, hung)


class Check:
    """One kind of check: counts what it tries and tells what failed."""

    def __init__(self, name, program, source, deadline, rng):
        self.name, self.program, self.source, self.deadline, self.rng = name, program, source, deadline, rng
        self.tried, self.failed, self.folder = 0, [], tempfile.mkdtemp(prefix="credence-" + name + "-")

    def time_left(self):
        return time.monotonic() < self.deadline

    def expect(self, good, what):
        self.tried += 1
        if not good:
            self.failed.append(what)
            if len(self.failed) <= 20:
                print(f"  FAILED {self.name}: {what}", flush=True)
        return good

    def sound(self, outcome, what, statuses=(0, 1)):
        wrong = outcome.wrong(statuses)
        return self.expect(not wrong, f"{what}: {wrong} {outcome.err[-160:]!r}")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        return path

    def script(self, text, *options, **how):
        return run([self.program, *options, "-"], text + "\n", cwd=how.pop("cwd", self.folder), **how)

    def scripts(self, *folders):
        """Those of the project, in a copy: some of them save files."""
        for folder in folders:
            shutil.copytree(os.path.join(self.source, folder), self.path(folder), dirs_exist_ok=True)
        return sorted(os.path.join(d, name) for folder in folders for d, _, names in os.walk(self.path(folder)) for name in names
                      if name.endswith(".cred"))

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{self.name}: {self.tried} checks, {len(self.failed)} failures", flush=True)
        return not self.failed
