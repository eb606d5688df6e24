"""The Jupyter kernel as Jupyter uses it. Arguments: the kernel file, the program. Status 77: Jupyter is not installed here."""

import os
import subprocess
import sys
import tempfile
import time

try:
    import ipykernel  # noqa: F401
    from jupyter_client.manager import start_new_kernel
except ImportError:
    sys.exit(77)

kernel_file, program = sys.argv[1:]
folder = tempfile.mkdtemp()
subprocess.run([sys.executable, kernel_file, "install", "--prefix", folder, "--program", program], check=True)
os.environ["JUPYTER_PATH"] = os.path.join(folder, "share", "jupyter")
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
manager, client = start_new_kernel(kernel_name="credence", startup_timeout=60)


def run(code):
    """The reply, and what was shown as (kind, content)."""
    shown = []

    def hook(message):
        if message["msg_type"] in ("stream", "display_data"):
            shown.append((message["msg_type"], message["content"]))

    return client.execute_interactive(code, output_hook=hook, timeout=60)["content"], shown


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def check_pages(contents):
    """What nbconvert makes of these outputs: a picture that is there, tables and formulas, no script."""
    try:
        import nbconvert
        import nbformat
    except ImportError:
        print("skipped: nbconvert is not installed here")
        return
    outputs = [nbformat.v4.new_output("display_data", content["data"]) for content in contents]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("P(Face)", outputs=outputs)])
    for sanitize in (False, True):
        page, _ = nbconvert.HTMLExporter(sanitize_html=sanitize).from_notebook_node(notebook)
        body = page[page.index("<body"):]
        check("<table" in body and "heads" in body, body)
        check("1/4" in "".join(piece.split(">")[-1] for piece in body.split("<")), body)  # the parts of a fraction do not run together
        if not sanitize:  # it takes out every address that is not of the web
            check('src="data:image/svg+xml;base64,' in body, body)


try:
    reply, shown = run("net Coin { Face : { heads: 1/4, tails: 3/4 } }\nP(Face)")
    check(reply["status"] == "ok", reply)
    check(shown[0][1]["data"]["text/plain"] == "P(Face)\n  heads  1/4  0.25\n  tails  3/4  0.75", shown)
    check("<mn>1</mn><mo>/</mo><mn>4</mn>" in shown[0][1]["data"]["text/html"], shown)
    check("application/json" not in shown[0][1]["data"], shown)
    reply, shown = run("plot(P(Face))")
    check(shown[0][1]["data"]["image/svg+xml"].startswith("<svg"), shown)
    picture = shown[0][1]
    check(picture["data"]["text/html"].startswith('<img alt="plot" src="data:image/svg+xml;base64,'), shown)
    reply, shown = run("explain P(Face = heads)\nP(Face)")
    check_pages([picture] + [content for _, content in shown])
    reply, shown = run("nobody + 1")
    check((reply["status"], reply["ename"]) == ("error", "E-NAME"), reply)
    check(shown[0][1]["name"] == "stderr", shown)
    reply, shown = run("?choose")
    check("choose(n, k)" in shown[0][1]["text"], shown)
    found = client.complete("P(Face = he", 11, reply=True, timeout=60)["content"]
    check((found["matches"], found["cursor_start"]) == (["heads"], 9), found)
    found = client.inspect("choose(3, 2)", 2, reply=True, timeout=60)["content"]
    check("choose(n, k)" in found["data"]["text/plain"], found)
    for code, status in (("net A {", "incomplete"), ("1", "complete"), ("let = 3", "invalid")):
        client.is_complete(code)
        check(client.get_shell_msg(timeout=60)["content"]["status"] == status, code)
    run("let x = 5")
    client.execute("sum([sum([c for c in 1..100000]) for a in 1..100000])", stop_on_error=False)
    time.sleep(1)
    manager.interrupt_kernel()
    reply = client.get_shell_msg(timeout=60)["content"]
    check((reply["status"], reply["ename"]) == ("error", "E-STOP"), reply)
    reply, shown = run("x + 1")
    check(shown and shown[0][1]["data"]["text/plain"] == "6", (reply, shown))
finally:
    client.stop_channels()
    manager.shutdown_kernel()
del client, manager  # before the interpreter takes itself apart
