#!/usr/bin/env python3
"""The pictures of the README, made by the program itself. Run: make.py PROGRAM writes them, make.py PROGRAM --check compares."""

import html
import os
import re
import subprocess
import sys
import tempfile

from page import page_svg

HERE = os.path.dirname(os.path.abspath(__file__))
# The middle tones of the terminal's 256 colours that the program uses, on a dark ground.
COLORS = {"32": "#4fa9e6", "208": "#ff8a4a", "36": "#2fc79b", "169": "#e39cc5", "178": "#f3b73c", "74": "#93d2ff", "143": "#d9c84a", "245": "#b0b0b0"}


def run(program, *arguments, folder):
    # A locale and a width of its own: the pictures do not depend on where they are made.
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([os.path.abspath(program), *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True,
                          encoding="utf-8")
    return done.stdout


def colored(line):
    """A line of a terminal as SVG: stretches between escapes."""
    out, color = "", None
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        escape = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if escape:
            codes = escape.group(1).split(";")
            color = COLORS.get(codes[2]) if codes[:2] == ["38", "5"] else None
        elif piece:
            text = html.escape(piece, quote=False)
            out += f'<tspan fill="{color}">{text}</tspan>' if color else text
    return out


def terminal(program, folder):
    name = "clinic.cred"
    with open(os.path.join(HERE, "terminal.cred"), encoding="utf-8") as file:
        script = file.read()
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(script)
    shown = ["$ cat " + name, *script.splitlines(), "", "$ credence " + name]
    shown += run(program, "--color", "always", name, folder=folder).splitlines()
    size, step, margin, bar = 14, 19, 18, 30
    widest = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in shown)
    width, height = round(widest * size * 0.602 + 2 * margin), bar + len(shown) * step + margin
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           "<title>A net, a question and its answer on a terminal</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#15181d"/>',
           *(f'<circle cx="{margin + 4 + 18 * i}" cy="16" r="5" fill="{c}"/>' for i, c in enumerate(("#e06c5f", "#e0b64f", "#5fb86a"))),
           f'<g font-family="\'JetBrains Mono\',Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="{size}" fill="#e6e8eb" xml:space="preserve">']
    for i, line in enumerate(shown):
        text = f'<tspan fill="#2fc79b">$</tspan>{html.escape(line[1:])}' if line.startswith("$ ") else colored(line)
        if text:
            columns = len(re.sub(r"\x1b\[[0-9;]*m", "", line))
            out.append(f'<text x="{margin}" y="{bar + (i + 1) * step - 4}" textLength="{columns * size * 0.602:.1f}">{text}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def plot(program, folder):
    with open(os.path.join(HERE, "plot.cred"), encoding="utf-8") as file:
        script = file.read()
    with open(os.path.join(folder, "plot.cred"), "w", encoding="utf-8") as file:
        file.write(script)
    run(program, "plot.cred", folder=folder)
    with open(os.path.join(folder, "plot.svg"), encoding="utf-8") as file:
        return file.read()


def report(program, folder):
    """The page of a report, drawn by page.py."""
    with open(os.path.join(HERE, "report.cred"), encoding="utf-8") as file:
        script = file.read()
    with open(os.path.join(folder, "report.cred"), "w", encoding="utf-8") as file:
        file.write(script)
    page = run(program, "report", "report.cred", folder=folder)
    body = re.search(r"<body>(.*)</body>", page, re.S).group(1)
    body = re.sub(r"<(input|hr|br)\b([^>]*)>", r"<\1\2/>", body)
    body = re.sub(r"Credence \d[\w.]*", "Credence", body)  # a new version does not make a new picture
    body = re.sub(r"<details class=\"([^\"]*)\" open>", r'<details class="\1" open="open">', body)
    return page_svg(body, "A report: prose, a drawn net and a derivation")


def main():
    program, check = sys.argv[1], "--check" in sys.argv[2:]
    stale = []
    for make in (terminal, plot, report):
        with tempfile.TemporaryDirectory() as folder:
            made = make(program, folder)
        path = os.path.join(HERE, make.__name__ + ".svg")
        if check:
            with open(path, encoding="utf-8") as file:
                if file.read() != made:
                    stale.append(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
    if stale:
        sys.exit("not up to date: " + ", ".join(stale) + "; run lang/pictures/make.py PROGRAM and look at them")


if __name__ == "__main__":
    main()
