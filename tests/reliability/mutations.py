"""Scripts, data files and requests with pieces changed, doubled, cut out and swapped end with an answer or a message."""
import json
import os

from support import run

PIECES = ["(", ")", "[", "]", "{", "}", '"', "{x}", "1e309", "-0", "0/0", "1/0", "^", "..", "->", "|", "~", "?", "net", "let", "fn", "P(", "E(", "in", "by", "do(", "all",
          "10^9", "\0", "\xff", "İ", "\n", ",", ":", "=", "==", "infinity", "uniform", "normal(0, 0)", "beta(0, 0)", "true", "_", "for i in 1..1000000"]


def mutated(rng, text):
    for _ in range(rng.randint(1, 4)):
        a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        b = min(b, a + rng.choice((1, 3, 20, 200)))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:a] + text[b:]
        elif kind == 1:
            text = text[:a] + rng.choice(PIECES) + text[a:]
        elif kind == 2:
            text = text[:a] + rng.choice(PIECES) + text[b:]
        elif kind == 3:
            text = text[:b] + text[a:b] * rng.choice((1, 2, 30)) + text[b:]
        else:
            c = rng.randrange(len(text) + 1)
            text = text[:c] + text[a:b] + text[c:]
    return text


def sources(c):
    for path in c.scripts("examples", "tests/golden/language"):
        with open(path, encoding="utf-8") as file:
            yield file.read()


FILES = {
    "t.csv": "a,b,y\n" + "".join(f"{i},{i % 3}.5,{'pq'[i % 2]}\n" for i in range(12)),
    "t.arff": "@relation r\n@attribute a numeric\n@attribute y {p, q}\n@data\n1, p\n2, q\n?, p\n",
    "t.jsonl": '{"a": 1, "y": "p"}\n{"a": 2.5, "y": "q"}\n{"a": null, "y": "p"}\n',
    "n.bif": "network n {}\nvariable A { type discrete [ 2 ] { a, b }; }\nvariable B { type discrete [ 2 ] { c, d }; }\n"
             "probability ( A ) { table 0.3, 0.7; }\nprobability ( B | A ) { (a) 0.1, 0.9; (b) 0.5, 0.5; }\n",
    "n.net": "net\n{\n}\nnode A\n{\n states = ( \"a\" \"b\" );\n}\npotential ( A )\n{\n data = ( 0.3 0.7 );\n}\n",
    "n.uai": "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.3 0.7\n4\n0.1 0.9 0.5 0.5\n",
}


def one_script(c, texts):
    text = mutated(c.rng, c.rng.choice(texts))
    done = c.script(text, "--timeout", "2", "--max-memory", "512M", "--root", c.folder, seconds=20)
    if not c.sound(done, "a mutated script"):
        kept = os.path.join(os.getcwd(), f"mutation-{c.rng.randrange(10**9)}.cred")
        with open(kept, "w", encoding="utf-8") as file:
            file.write(text)
        print("  it is in", kept)


def one_file(c):
    name = c.rng.choice(sorted(FILES))
    c.write(name, mutated(c.rng, FILES[name]))
    use = "t\ntrain naive_bayes() on t" if name.startswith("t.") else "t.variables"
    c.sound(c.script(f'let t = load("{name}"{", target: y" if name.startswith("t.") else ""})\n{use}', "--timeout", "2", "--max-memory", "512M", seconds=20), f"a mutated {name}")


def one_request(c):
    requests = [json.dumps({"id": c.rng.choice((1, None, "x", [1])), "op": op, "code": "let x = [1, 2", "cursor": c.rng.randrange(20)}) for op in
                ("execute", "complete", "inspect", "is_complete", "info", "nothing")]
    requests.append('{"id":' + "[" * 200_000 + "]" * 200_000 + ',"op":"info"}')
    lines = [mutated(c.rng, line) if c.rng.random() < 0.5 else line for line in c.rng.sample(requests, 4)]
    c.sound(run([c.program, "--json-repl"], "\n".join(lines).encode("utf-8", "replace") + b"\n", cwd=c.folder, seconds=20), "mutated requests", (0,))


def check(c):
    texts = list(sources(c))
    done = 0
    while done < 12 or c.time_left():
        for _ in range(4):
            one_script(c, texts)
        one_file(c)
        one_request(c)
        done += 1
