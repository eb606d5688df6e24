"""A page of a report as plain SVG: text, formulas and pictures placed here, because many viewers of SVG draw no HTML in it.

Only what report.cred needs is known: headings, prose, code, figures, derivations, checks. The widths of letters are estimates; each piece
of text is set to its width, so that nothing overlaps with other fonts."""

import html
import re
import xml.etree.ElementTree as ET

SANS = "Inter,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
MONO = "'JetBrains Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"
MATH = "'Latin Modern Math','STIX Two Math','Cambria Math','Times New Roman',serif"
INK, SOFT, PANEL, RULE, GREEN = "#1b1f24", "#57606a", "#f5f6fa", "#0072b2", "#1a7f37"
WORDS = {"keyword": "#8e2f8e", "declaration": "#0b4f9c", "query": "#0b4f9c", "number": "#0b6b50", "label": "#2f6f1f", "text": "#9a4a12",
         "comment": "#6a737d", "builtin": "#6b4a00", "holds": GREEN}
WIDTH, LEFT = 720, 24


def widths(*groups):
    """Widths of letters in parts of the size of the font: those of each group, and of all others."""
    *known, (_, other) = groups
    return lambda text: sum(next((width for letters, width in known if c in letters), other) for c in text)


sans = widths(("ijl'|", 0.22), ("ft.,:;!/ I", 0.28), ("r()-", 0.33), ("cksvxyz", 0.5), ("mM", 0.83), ("wGOQ", 0.75), ("ABEKPSVXY", 0.67),
              ("CDHNRU", 0.72), ("W", 0.94), ("=≈+", 0.58), ("", 0.556))
serif = widths(("ijlt|", 0.28), ("fr()", 0.333), (".,· ", 0.25), ("s", 0.39), ("acez", 0.444), ("m", 0.78), ("w", 0.72), ("=≈+", 0.56),
               ("PS", 0.57), ("TEFLZ", 0.61), ("ABCRXY", 0.69), ("DGHKNOQUVM", 0.74), ("", 0.5))


def text_width(text, size, bold=False):
    return sans(text) * size * (1.07 if bold else 1)


def word(x, y, text, size, color=INK, font=SANS, style="", width=None):
    fixed = "" if len(text) == 1 else f' textLength="{text_width(text, size) if width is None else width:.1f}"'
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-family="{font}" font-size="{size:g}" fill="{color}"{style}{fixed} '
            f'xml:space="preserve">{html.escape(text, quote=False)}</text>')


class Formula:
    """A box of a formula: its width, what reaches above and below the line, and how it is drawn at a place."""

    def __init__(self, width, up, down, draw):
        self.width, self.up, self.down, self.draw = width, up, down, draw
        self.sums = False  # begins with a sum sign

    @staticmethod
    def letters(text, size, italic):
        width = serif(text) * size * (1.06 if italic else 1)
        style = ' font-style="italic"' if italic else ""
        return Formula(width, size * 0.75, size * 0.25, lambda x, y: [word(x, y, text, size, INK, MATH, style, width)])

    @staticmethod
    def row(parts):
        def draw(x, y):
            out = []
            for part in parts:
                out += part.draw(x, y)
                x += part.width
            return out

        return Formula(sum(p.width for p in parts), max((p.up for p in parts), default=0), max((p.down for p in parts), default=0), draw)

    @staticmethod
    def space(width):
        return Formula(width, 0, 0, lambda x, y: [])

    @staticmethod
    def fraction(over, under, size):
        width, axis = max(over.width, under.width) + size * 0.3, size * 0.28

        def draw(x, y):
            line = f'<path d="M{x + 1:.1f} {y - axis:.1f}h{width - 2:.1f}" stroke="{INK}" stroke-width="1"/>'
            return [line, *over.draw(x + (width - over.width) / 2, y - axis - over.down - 2),
                    *under.draw(x + (width - under.width) / 2, y - axis + under.up + 3)]

        return Formula(width, axis + over.up + over.down + 2, under.up + under.down + 3 - axis, draw)

    @staticmethod
    def of(element, size):
        if element.tag == "mfrac":
            return Formula.fraction(*(Formula.of(child, size * 0.85) for child in element), size)
        if element.tag in ("math", "mrow"):
            return Formula.row([Formula.of(child, size) for child in element])
        text = element.text or ""
        box = Formula.letters(text, size, element.tag == "mi" and len(text) == 1)
        if element.tag != "mo" or text in "()":
            return box
        gap = Formula.space(size * (0.28 if text in "=≈|+·" else 0.17))
        return Formula.row([box, gap] if text == "," else [gap, box, gap])


class Page:
    def __init__(self):
        self.y, self.out = 16, []

    def words(self, runs, size, step, indent=0):
        """Runs of (text, color, style) filled into lines."""
        x, self.y = LEFT + indent, self.y + step
        for text, color, style in runs:
            for piece in re.findall(r"\S+\s*|\s+", text):
                width = text_width(piece.rstrip(), size, "bold" in style)
                if x + width > WIDTH - LEFT:
                    x, self.y = LEFT + indent, self.y + step
                if piece.strip():
                    self.out.append(word(x, self.y, piece.rstrip(), size, color, SANS, style, width))
                x += width + (len(piece) - len(piece.rstrip())) * size * 0.27

    def code(self, element):
        size, step = 12.5, 20
        lines = [line for line in element.iter("span") if "line" in (line.get("class") or "").split()]
        self.y += 8
        self.out.append(f'<rect x="{LEFT}" y="{self.y:.1f}" width="{WIDTH - 2 * LEFT}" height="{len(lines) * step + 14}" rx="6" fill="{PANEL}"/>')
        self.y += 4
        for line in lines:
            self.y += step
            x = LEFT + 44
            self.out.append(word(LEFT + 14, self.y, line.get("data-line").rjust(2), 11, SOFT, MONO, "", 13.2))
            for text, kind in [(line.text, None)] + [pair for child in line for pair in ((child.text, child.get("class")), (child.tail, None))]:
                text = (text or "").rstrip("\n")
                if text:
                    style = ' font-weight="600"' if kind in ("keyword", "declaration", "query") else ""
                    self.out.append(word(x, self.y, text, size, WORDS.get(kind, INK), MONO, style, len(text) * size * 0.6))
                    x += len(text) * size * 0.6
        self.y += 10

    def figure(self, element):
        picture = element.find("{http://www.w3.org/2000/svg}svg")
        height = float(picture.get("height"))
        picture.set("x", str(LEFT))
        picture.set("y", f"{self.y + 8:.1f}")
        style = picture.find("{http://www.w3.org/2000/svg}style")
        style.text = style.text.split("@media")[0]  # the page is light wherever it is shown
        self.out.append(ET.tostring(picture, encoding="unicode").replace("ns0:", "").replace(":ns0", "").strip())
        self.y += 8 + height
        caption = element.find("figcaption")
        if caption is not None:
            self.words([("".join(caption.itertext()), SOFT, "")], 13, 18)

    @staticmethod
    def lines(parts, room):
        """One line where it fits, else broken before the last sum sign that does."""
        row = Formula.row(parts)
        breaks = [i for i, part in enumerate(parts) if part.sums and i > 0 and sum(p.width for p in parts[:i]) <= room]
        if row.width <= room or not breaks:
            return [row]
        return [Formula.row(parts[:breaks[-1]]), *Page.lines(parts[breaks[-1]:], room - 26)]

    def derivation(self, element):
        begin, self.y = self.y, self.y + 4
        for line in element.iter("p"):
            kind, size = line.get("class") or "", 17
            if not kind:
                self.words([("".join(line.itertext()), INK, "")], 15, 24, 18)
                continue
            parts, decimal = [], ""
            for child in line:
                if child.tag == "math":
                    parts += [Formula.of(child, size), Formula.space(size * 0.12)]
                    parts[-2].sums = next(child.iter("mo"), ET.Element("mo")).text == "+"
                else:
                    decimal = "".join(child.itertext())
            if decimal:
                parts += [Formula.space(size * 0.5), Formula.letters(decimal.replace(" ", "\u2002", 1), size, False)]
            indent = LEFT + 18 + (26 if "step" in kind else 0)
            for row in self.lines(parts, WIDTH - LEFT - indent):
                self.y += max(row.up, 13) + 8
                self.out += row.draw(indent, self.y)
                self.y += max(row.down, 4)
                indent = LEFT + 18 + 52
        self.y += 8
        self.out.append(f'<rect x="{LEFT}" y="{begin:.1f}" width="3" height="{self.y - begin:.1f}" fill="{RULE}"/>')

    def element(self, e):
        kind = e.get("class") or ""
        if e.tag == "h1":
            self.words([("".join(e.itertext()), INK, ' font-weight="bold"')], 26, 34)
        elif e.tag == "p" and kind == "facts":
            self.words([(" · ".join(span.text for span in e), SOFT, "")], 13, 24)
            self.y += 6
        elif e.tag == "p" and kind == "switch":
            return
        elif e.tag == "p":
            runs = [(e.text or "", INK, "")]
            for child in e:
                style = {"strong": ' font-weight="bold"', "em": ' font-style="italic"'}.get(child.tag, "")
                runs += [("".join(child.itertext()), INK, style), (child.tail or "", INK, "")]
            self.words(runs, 15, 23)
        elif e.tag == "summary":
            checks = e.text.endswith("holds") or e.text.endswith("hold")
            self.words([(("▸ " if checks else "▾ ") + e.text + (" ✓" if checks else ""), GREEN if checks else SOFT, "")], 12, 26)
            self.y -= 2
        elif e.tag == "details":
            for child in e:
                if e.get("open") or child.tag == "summary":
                    self.element(child)
        elif e.tag == "pre":
            self.code(e)
        elif e.tag == "figure":
            self.figure(e)
        elif e.tag == "div" and kind == "derivation":
            self.y += 10
            self.derivation(e)
        elif e.tag == "footer":
            self.y += 10
            self.words([("".join(e.itertext()).strip(), SOFT, "")], 13, 22)
        else:
            for child in e:
                self.element(child)

    def finished(self, title):
        height = round(self.y + 24)
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
                          f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff" stroke="#d0d7de"/>', *self.out,
                          "</svg>", ""])


def page_svg(body, title):
    """The body of a report, well-formed, as a picture."""
    page = Page()
    page.element(ET.fromstring(f"<body>{body}</body>"))
    return page.finished(title)
