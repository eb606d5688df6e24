"""load from a PostgreSQL server that this test starts: postgres.py PROGRAM. Skipped (77) without a server or without libpq in the program."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SETUP = """
create table orders (id bigint, price numeric, weight float8, colour text, paid boolean, note text);
insert into orders values (1, 2.5, 0.1, 'red', true, null), (2, null, 1e3, 'blue', false, 'late'),
  (9007199254740993, 0.1, -2, 'red', true, '01'), (4, 3, 0, 'grün', false, null);
create table "Odd Name" ("a b" int); insert into "Odd Name" values (7);
create view cheap as select * from orders where price < 1;
create schema other; create table other.hidden (x int);
create table odd (raw bytea, worst float8, nothing numeric);
insert into odd values ('\\x00ff', 'Infinity', 'NaN');
create table many as select i, i % 10 as digit from generate_series(1, 200000) i;
"""
SCRIPT = r"""
let t = load("URL", table: orders)
expect rows(t) == 4
expect t.id == [1, 2, 9007199254740993, 4] from "what was inserted"
expect t.price[1] == 5/2
expect t.price[3] == 1/10
expect is_missing(t.price[2])
expect t.weight[2] == 1000
expect t.colour[4] == "grün"
expect P(paid = true) in t == 1/2
expect t.note[3] == "01"
expect rows(load("URL", table: "Odd Name")) == 1
expect rows(load("URL", table: CHEAP)) == 1
expect rows(load("URL", query: "select colour, count(*) as n from orders group by colour order by colour")) == 3
expect load("URL", query: "select id from orders where colour = $1 and paid = $2 order by id", parameters: ["red", true]).id == [1, 9007199254740993]
expect rows(load("URL", query: "select id from orders where colour = $1", parameters: ["'; drop table orders; --"])) == 0
let nothing = load("URL", query: "select $1::numeric as x, $2::numeric as y", parameters: [t.price[2], 1/4])
expect is_missing(nothing.x[1])
expect nothing.y[1] == 1/4
expect load("URL", query: "select id from orders order by id", types: {id: label}).id[1] == "1"
expect (load("URL", query: "select colour, paid from orders", target: paid) |> (t -> P(paid = true | colour = red) in t)) == 1
expect sum(load("URL", table: many).i) == 20000100000 from "n (n + 1) / 2"
expect error "several tables": load("URL")
expect error "did you mean 'orders'": load("URL", table: order)
expect error "at character 8 of the query": load("URL", query: "select colr from orders")
expect error "cannot insert multiple commands": load("URL", query: "select 1 as x; drop table orders")
expect error "only reads": load("URL", query: "insert into orders (id) values (5) returning id")
expect error "only reads": load("URL", query: "copy orders to program 'touch TOUCHED'")
expect error "only reads": load("URL", query: "drop table orders")
expect error "2 parameters, and 1 value is given": load("URL", query: "select $1::int + $2::int as x", parameters: [1])
expect error "invalid input syntax": load("URL", query: "select $1::int as x", parameters: ["much"])
expect error "two columns are named": load("URL", query: "select 1 as a, 2 as a")
expect error "binary data": load("URL", query: "select raw from odd")
expect error "not a finite number": load("URL", query: "select worst from odd")
expect error "not a finite number": load("URL", query: "select nothing from odd")
expect error "division by zero": load("URL", query: "select 1 / (id - 4) as x from orders order by id")
expect error "header, separator, missing and stream": load("URL", table: orders, stream: true)
expect error "cannot be reached": load("postgresql://nobody@127.0.0.1:1/none", table: orders)
expect rows(load("URL", table: orders)) == 4
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def newest(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


class Server:
    """A cluster of its own, on the loopback alone. The server refuses to run as root."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "cluster")
        self.port = free_port()
        self.who = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        if self.who:
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
        self.url = f"postgresql://tester@127.0.0.1:{self.port}/postgres"

    def run(self, *argv, **more):
        return subprocess.run(argv, cwd="/", check=True, capture_output=True, text=True, **self.who, **more)

    def __enter__(self):
        self.run(newest("initdb"), "-D", self.folder, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-h 127.0.0.1 -p {self.port} -k '' -c fsync=off"
        # Its output goes to a file: the server keeps what it inherits open.
        subprocess.run([newest("pg_ctl"), "-D", self.folder, "-o", options, "-l", self.folder + ".log", "-w", "start"], cwd="/", check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.who)
        return self

    def __exit__(self, *_):
        self.run(newest("pg_ctl"), "-D", self.folder, "-m", "immediate", "stop")

    def sql(self, text):
        return self.run(newest("psql"), "-X", "-q", "-t", "-v", "ON_ERROR_STOP=1", self.url, "-c", text).stdout.strip()


def main():
    program = os.path.abspath(sys.argv[1])
    probe = subprocess.run([program, "-e", 'load("postgresql://127.0.0.1:1/x", table: y)'], capture_output=True, text=True)
    if "does not read from PostgreSQL" in probe.stderr or "libpq" in probe.stderr:
        print("skipped: the program was built without libpq")
        return SKIPPED
    if not (newest("initdb") and newest("pg_ctl") and newest("psql")):
        print("skipped: there is no PostgreSQL server here (Debian: postgresql)")
        return SKIPPED
    failures = []

    def check(name, holds, said=""):
        if not holds:
            failures.append(name)
            print(f"FAIL {name}\n{said}")

    def script(text, *options, **more):
        return subprocess.run([program, *options, "-"], input=text, capture_output=True, text=True, timeout=60, **more)

    with tempfile.TemporaryDirectory() as folder, Server(folder) as server:
        server.sql(SETUP)
        touched = os.path.join(folder, "touched")
        done = script(SCRIPT.replace("URL", server.url).replace("TOUCHED", touched))
        check("script", done.returncode == 0 and not done.stderr, done.stdout + done.stderr)
        check("nothing ran outside", not os.path.exists(touched))
        check("the table is there", server.sql("select count(*) from orders") == "4")

        begun = time.monotonic()
        done = script(f'load("{server.url}", query: "select pg_sleep(60)::text as x")', "--timeout", "1")
        check("stopped", done.returncode == 1 and "E-STOP" in done.stderr and time.monotonic() - begun < 10, done.stderr)
        left = server.sql("select count(*) from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()")
        check("the server stopped too", left == "0", left)

        done = script(f'load("{server.url}", table: orders)', "--root", folder)
        check("refused by --root", done.returncode == 1 and "--root" in done.stderr, done.stderr)
        secret = server.url.replace("tester@", "tester:hidden@").replace(str(server.port), "1")
        done = script(f'let address = "{secret}"\nload(address, table: orders)')
        check("no password in a message", "hidden" not in done.stderr and done.returncode == 1, done.stderr)
        if shutil.which("mpirun"):
            text = f'let t = load("{server.url}", table: many)\nP(digit) in t\nmean(t.i)'
            alone = script(text).stdout
            launcher = ["mpirun", "--oversubscribe", "-n", "2"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
            path = os.path.join(folder, "ranks.cred")
            with open(path, "w") as file:
                file.write(text)
            ranks = subprocess.run([*launcher, program, path], capture_output=True, text=True, timeout=120)
            check("two ranks, the same bytes", ranks.stdout == alone and alone, ranks.stdout + ranks.stderr)
    print(f"postgres: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
