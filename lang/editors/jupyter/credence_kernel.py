#!/usr/bin/env python3
"""A Jupyter kernel for Credence: passes cells to `credence --json-repl` and shows what comes back.

    python3 credence_kernel.py install            # for this user; --prefix DIR or --sys-prefix for an environment
    python3 credence_kernel.py install --program /opt/credence/build/release/credence

The program is found as $CREDENCE, the one named at the installation, or `credence` on the PATH.
"""

import argparse
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from ipykernel.kernelbase import Kernel

VERSION = "0.1.0"


class ProgramGone(Exception):
    """The program ended, or could not be started."""


class Program:
    """One `credence --json-repl`: a line there, a line back."""

    def __init__(self):
        command = [os.environ.get("CREDENCE", "credence"), "--json-repl"]
        try:
            # In a session of its own, so that an interrupt reaches it only from here.
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                                            start_new_session=True)
        except OSError as error:
            raise ProgramGone(f"{command[0]} does not start: {error.strerror}") from error

    def ask(self, op, **fields):
        try:
            self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
            self.process.stdin.flush()
            line = self._read()
        except BrokenPipeError:
            line = ""
        if not line:
            raise ProgramGone("credence has ended; the kernel starts it again, without the names of before")
        return json.loads(line)

    def _read(self):
        """The reply; an interrupt meanwhile is passed on, and the reply tells what it stopped."""
        while True:
            try:
                return self.process.stdout.readline()
            except KeyboardInterrupt:
                self.process.send_signal(signal.SIGINT)

    def end(self):
        try:
            self.ask("shutdown")
        except ProgramGone:
            pass
        self.process.stdin.close()
        self.process.wait(timeout=5)


class CredenceKernel(Kernel):
    implementation = "credence"
    implementation_version = VERSION
    language = "credence"
    language_version = VERSION
    language_info = {
        "name": "credence",
        "version": VERSION,
        "mimetype": "text/x-credence",
        "file_extension": ".cred",
        "pygments_lexer": "text",
        "codemirror_mode": "null",
    }
    banner = "Credence: probabilistic modelling. `?NAME` tells about a name."

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._program = None

    def _ask(self, op, **fields):
        if self._program is None:
            self._program = Program()
        try:
            return self._program.ask(op, **fields)
        except ProgramGone:
            self._program = None
            raise

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        if code.strip().startswith("?"):
            return self._help(code.strip()[1:].strip())
        try:
            reply = self._ask("execute", code=code)
        except ProgramGone as gone:
            return self._failed("ProgramGone", str(gone), silent)
        errors = []
        for output in reply.get("outputs", []):
            error = output["kind"] == "diagnostic" and output["json"].get("severity") == "error"
            if error:
                errors.append(output)
            if not silent:
                self._show(output, "stderr" if output["kind"] == "diagnostic" else "stdout")
        if reply["status"] == "ok":
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        first = errors[0]["json"] if errors else {"code": "error", "message": reply.get("error", "")}
        return {"status": "error", "execution_count": self.execution_count, "ename": first.get("code", ""),
                "evalue": first.get("message", ""), "traceback": []}

    def _show(self, output, channel):
        if output["kind"] == "diagnostic":
            self.send_response(self.iopub_socket, "stream", {"name": channel, "text": output["text"]})
        else:
            data = {"text/plain": output["text"].rstrip("\n")}
            if "html" in output:
                data["text/html"] = output["html"]
            if "svg" in output:
                # As an image it looks the same everywhere: nbconvert takes elements out of an SVG that stands in the page.
                address = "data:image/svg+xml;base64," + base64.b64encode(output["svg"].encode()).decode()
                data["text/html"] = f'<img alt="plot" src="{address}">'
                data["image/svg+xml"] = output["svg"]
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def _help(self, name):
        found = self.do_inspect(name, len(name))
        text = found["data"].get("text/plain", f"there is no help on '{name}'\n")
        self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text})
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _failed(self, name, text, silent):
        if not silent:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": text + "\n"})
        return {"status": "error", "execution_count": self.execution_count, "ename": name, "evalue": text, "traceback": []}

    def do_complete(self, code, cursor_pos):
        reply = self._ask("complete", code=code, cursor=cursor_pos)
        return {"status": "ok", "matches": [match["text"] for match in reply["matches"]], "cursor_start": reply["start"],
                "cursor_end": reply["end"], "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        reply = self._ask("inspect", code=code, cursor=cursor_pos)
        return {"status": "ok", "found": reply["found"], "data": {"text/plain": reply["text"]} if reply["found"] else {}, "metadata": {}}

    def do_is_complete(self, code):
        reply = self._ask("is_complete", code=code)
        return {"status": reply["status"], "indent": reply.get("indent", "")}

    def do_shutdown(self, restart):
        if self._program is not None:
            self._program.end()
            self._program = None
        return {"status": "ok", "restart": restart}


def install(arguments):
    from jupyter_client.kernelspec import KernelSpecManager

    options = argparse.ArgumentParser(prog="credence_kernel.py install", description="Tells Jupyter about this kernel.")
    options.add_argument("--program", help="the credence program; otherwise the one on the PATH")
    options.add_argument("--prefix", help="install under this folder instead of for this user")
    options.add_argument("--sys-prefix", action="store_true", help="install into the environment of this Python")
    chosen = options.parse_args(arguments)
    prefix = sys.prefix if chosen.sys_prefix else chosen.prefix
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.json"), encoding="utf-8") as file:
            spec = json.load(file)
        spec["argv"] = [part.replace("{python}", sys.executable).replace("{kernel}", os.path.abspath(__file__)) for part in spec["argv"]]
        program = chosen.program or shutil.which("credence")
        if program:
            spec["env"] = {"CREDENCE": os.path.abspath(program)}
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(spec, file, indent=2)
        place = KernelSpecManager().install_kernel_spec(folder, "credence", user=prefix is None, prefix=prefix)
    print(f"installed in {place}")
    if not program:
        print("credence was not found on the PATH: set $CREDENCE, or install again with --program", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2:])
    else:
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(kernel_class=CredenceKernel)
