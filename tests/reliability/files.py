"""Nothing outside --root is read or written; files are whole whatever happens; what is not a file keeps nobody waiting."""
import ctypes
import json
import os
import resource
import subprocess
import sys
import time

from support import run

WORD = b"SECRETWORD"


def prepare(c):
    c.write("out/secret.csv", "name,y\nSECRETWORD,1\n")
    c.write("out/secret.cred", 'let leaked = "SECRETWORD"\nleaked\n')
    c.write("out/texts/pos/a.txt", "secretword SECRETWORD\n")
    c.write("out/e.evid", "1 0 1\n")
    c.write("root/t.csv", "a,y\n1,p\n2,q\n")
    c.write("root/x.uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 3\n")
    c.write("root/texts/neg/n.txt", "nothing else\n")
    c.write("root/t.cred", "1 + 1\n")
    for target, link in (("out/secret.csv", "link.csv"), ("out", "linkdir"), ("out/texts/pos", "texts/pos"), ("out/secret.cred", "link.cred"),
                         ("out/e.evid", "x.uai.evid"), ("out/new.csv", "dangling.csv")):
        os.symlink(c.path(target), c.path("root", link))


def contents(folder):
    return {os.path.join(d, f): open(os.path.join(d, f), "rb").read() for d, _, names in os.walk(folder) for f in names}


def root(c):
    """Every way out that a script or the command line can name."""
    out, inside = c.path("out"), c.path("root")
    ways = ["../out/secret", f"{out}/secret", "link", "linkdir/secret", "./t.csv/../../out/secret", f"/proc/self/root{out}/secret",
            "/proc/self/cwd/../out/secret", f"//{out.lstrip('/')}/secret"]
    scripts = [f'load("{w}.csv")' for w in ways] + [f'import "{w}.cred"\nleaked' for w in ways] + [
        f'train_text("{w}.csv", target: y, column: name).vocabulary' for w in ways] + [
        'train_text("texts").vocabulary', f'train_text("{out}/texts").vocabulary', 'load("x.uai")'] + [
        f'save(load("t.csv"), "{w}.csv")' for w in ("../out/new", f"{out}/new", "linkdir/new", "dangling", "linkdir/secret")]
    before = contents(out)
    for script in scripts:
        done = c.script(script, "--root", inside, cwd=inside)
        c.expect(WORD not in done.out + done.err and contents(out) == before, f"out of --root by {script!r}")
        c.sound(done, script)
    for arguments in (["report", "t.cred", "-o", f"{out}/page.html"], ["convert", "t.csv", f"{out}/new.tsv"], ["fmt", f"{out}/secret.cred"],
                      ["test", "--update", f"{out}/secret.cred"], ["new", f"{out}/project"]):
        run([c.program, "--root", inside, *arguments], cwd=inside)
        c.expect(contents(out) == before, f"out of --root by {arguments}")
    done = c.script('load("x.uai")', "--root", inside, cwd=inside)
    c.expect(b"a link beside 'x.uai' leads outside" in done.err, f"a link to seen values outside: {done.err!r}")
    done = c.script('save(load("t.csv"), "new.csv")', "--root", inside, cwd=inside)
    c.expect(done.status == 0 and os.path.exists(c.path("root/new.csv")), f"a new file in the root: {done.err!r}")


def race(c, sessions):
    """A folder and a link to the outside change places while files are loaded from it."""
    if not hasattr(ctypes.CDLL(None), "renameat2"):
        return
    c.write("root/flip/secret.csv", "name,y\nHARMLESS,1\n")
    other = c.path("root/flip.b")
    if not os.path.lexists(other):
        os.symlink(c.path("out"), other)
    swap = f"import ctypes\nf = ctypes.CDLL(None).renameat2\nwhile True: f(-100, {c.path('root/flip').encode()}, -100, {other.encode()}, 2)"
    swapper = subprocess.Popen([sys.executable, "-c", swap])
    try:
        time.sleep(0.2)
        loads = "".join(json.dumps({"op": "execute", "code": 'load("flip/secret.csv")'}) + "\n" for _ in range(40))
        for _ in range(sessions):
            done = run([c.program, "--json-repl", "--root", c.path("root")], loads, cwd=c.path("root"))
            c.expect(WORD not in done.out, "a link that changes under the program was followed")
    finally:
        swapper.kill()
        swapper.wait()


def kills(c, times):
    """A program that is killed while it saves leaves the old file or the new one, and nothing beside it."""
    table = "let {0} = to_table([{{a: i, b: \"{0}\"}} for i in 1..20000])\n"
    wholes = []
    os.makedirs(c.path("kills"), exist_ok=True)
    for name in "tu":
        c.script(table.format(name) + f'save({name}, "kills/t.csv")', "-q")
        wholes.append(open(c.path("kills/t.csv"), "rb").read())
    loop = c.write("loop.cred", table.format("t") + table.format("u") +
                   'let r = [count([save(t, "kills/t.csv").a, save(u, "kills/t.csv").a]) for i in 1..1000]\n')
    for _ in range(times):
        process = subprocess.Popen([c.program, "-q", loop], cwd=c.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(c.rng.uniform(0.02, 0.4))
        process.kill()
        process.wait()
        c.expect(open(c.path("kills/t.csv"), "rb").read() in wholes, "half a file after a kill")
    # What an older version, a system without nameless files, or a kill just before the new name left is removed by the next save once it is
    # some seconds old; what is in use stays.
    c.write("kills/t.csv.99999-0.tmp", "half")
    for name in os.listdir(c.path("kills")):
        if name.endswith(".tmp"):
            os.utime(os.path.join(c.path("kills"), name), (1, 1))
    c.script('save(to_table([{a: 1}]), "kills/t.csv")', "-q")
    c.expect(os.listdir(c.path("kills")) == ["t.csv"], f"beside a saved file: {os.listdir(c.path('kills'))}")


def full_disk(c):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    c.write("keep/t.csv", "a\n1\n")
    done = c.script('save(to_table([{a: i, b: "row {i}"} for i in 1..20000]), "keep/t.csv")', "-q", before=limited)
    c.expect(done.status == 1 and b"E-FILE" in done.err and open(c.path("keep/t.csv")).read() == "a\n1\n", f"a full disk: {done.err!r}")


def not_files(c):
    os.mkfifo(c.path("pipe.csv"))
    os.symlink("/dev/zero", c.path("zero.csv"))
    with open(c.path("sparse.csv"), "wb") as file:
        file.truncate(1 << 40)
    for name in ("pipe.csv", "zero.csv", "sparse.csv"):
        done = c.script(f'load("{name}")', "--timeout", "5", seconds=10)
        c.expect(done.status == 1 and b"E-FILE" in done.err, f"load of {name}: {done.err!r}")
    done = c.script('save(to_table([{a: 1}]), "pipe.csv")', "--timeout", "5", seconds=10)
    c.expect(done.status == 1 and b"E-FILE" in done.err, f"save to a pipe that nobody reads: {done.err!r}")


def check(c):
    prepare(c)
    root(c)
    not_files(c)
    full_disk(c)
    kills(c, 3)
    race(c, 1)
    while c.time_left():
        kills(c, 10)
        race(c, 3)
