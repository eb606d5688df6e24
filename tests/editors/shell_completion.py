"""Completion in the shells themselves: fish answers by itself, zsh on a pseudo-terminal. Usage: PROGRAM; 77 where neither shell is there."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
failures = []


def check(shell, line, offered, wanted, unwanted=()):
    for word in wanted:
        if word not in offered:
            failures.append(f"{shell}: '{line}' does not offer {word}: {sorted(offered)}")
    for word in unwanted:
        if word in offered:
            failures.append(f"{shell}: '{line}' offers {word}")


def in_fish(folder, environment):
    def complete(line):
        run = subprocess.run(["fish", "--no-config", "-c", f"source credence.fish; complete -C '{line}'"], cwd=folder, env=environment,
                             capture_output=True, text=True, timeout=60)
        if run.stderr:
            failures.append(f"fish: {run.stderr}")
        return {item.split("\t")[0] for item in run.stdout.splitlines()}

    def expect(line, wanted, unwanted=()):
        check("fish", line, complete(line), wanted, unwanted)

    expect("credence ", ["check", "fmt", "help", "report", "a.cred", "sub/"], ["b.csv"])
    expect("credence fmt --", ["--check", "--seed"], ["--update"])
    expect("credence test --", ["--update"], ["--check"])
    expect("credence help naive_b", ["naive_bayes", "naive_bayes_text"], ["a.cred"])
    expect("credence --color ", ["auto", "always", "never"], ["a.cred"])
    expect("credence completion ", ["bash", "zsh", "fish"], ["a.cred"])
    expect("credence report ", ["a.cred", "sub/"], ["b.csv"])
    expect("credence convert ", ["b.csv"])
    expect("credence --root ", ["sub/"], ["a.cred"])
    expect("credence --seed ", [], ["a.cred", "b.csv"])
    expect("credence new ", [], ["a.cred"])


class Zsh:
    def __init__(self, folder, environment):
        self.sent = 0
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment, "TERM": "xterm", "COLUMNS": "160", "LINES": "60"})
        self.send("PS1='READY> '; unsetopt PROMPT_SP ALWAYS_LAST_PROMPT; fpath=($PWD/functions $fpath); "
                  "autoload -Uz compinit; compinit -u -D; bindkey '^Xl' list-choices; stty cols 160 rows 60; clear\n")

    def send(self, keys):
        """What is said until a word comes back that is printed next: prompts are drawn too often to wait for one."""
        self.sent += 1
        os.write(self.terminal, f"{keys}print -r -- 'DONE'{self.sent}\n".encode())
        said, end = "", time.time() + 20
        while f"DONE{self.sent}" not in said:  # as typed it has quotes
            if time.time() > end:
                failures.append(f"zsh: no answer after {said!r}")
                break
            if select.select([self.terminal], [], [], 0.1)[0]:
                said += re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|\x1b[=>]|\r", "", os.read(self.terminal, 65536).decode("utf-8", "replace"))
        return said

    def complete(self, line):
        """All words of the list of choices; Ctrl-G then drops the line."""
        return set(self.send(f"{line}\x18l\x07").split())


def in_zsh(folder, environment):
    os.mkdir(os.path.join(folder, "functions"))
    with open(os.path.join(folder, "functions", "_credence"), "w") as file:
        file.write(subprocess.run([program, "completion", "zsh"], capture_output=True, text=True, check=True).stdout)
    zsh = Zsh(folder, environment)

    def expect(line, wanted, unwanted=()):
        check("zsh", line, zsh.complete(line), wanted, unwanted)

    expect("credence ", ["check", "fmt", "help", "report", "a.cred", "sub/"], ["b.csv"])  # the very first one, too
    expect("credence fmt --", ["--check", "--seed"], ["--update"])
    expect("credence test --", ["--update"], ["--check"])
    expect("credence help naive_b", ["naive_bayes", "naive_bayes_text"])
    expect("credence --color ", ["auto", "always", "never"], ["a.cred"])
    expect("credence completion ", ["bash", "zsh", "fish"], ["a.cred"])
    expect("credence report ", ["a.cred", "sub/"], ["b.csv"])
    expect("credence convert ", ["b.csv"])
    expect("credence --root ", ["sub/"], ["a.cred"])
    os.kill(zsh.process, signal.SIGKILL)
    os.waitpid(zsh.process, 0)


tested = []
for shell, test in [("fish", in_fish), ("zsh", in_zsh)]:
    if not shutil.which(shell):
        print(f"skipped: {shell} is not installed")
        continue
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(program, os.path.join(folder, "bin", "credence"))
        os.mkdir(os.path.join(folder, "sub"))
        for name in ["a.cred", "b.csv"]:
            open(os.path.join(folder, name), "w").close()
        with open(os.path.join(folder, "credence.fish"), "w") as file:
            file.write(subprocess.run([program, "completion", "fish"], capture_output=True, text=True, check=True).stdout)
        test(folder, {**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "HOME": folder, "XDG_CONFIG_HOME": folder})
        tested.append(shell)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0 if tested else 77)
