"""Every form of a query over every kind of thing that a model can be asked for: an answer or an error, in any combination."""
import itertools
import json

from support import run

# A model of each kind, and what can stand in a query of it: variables, quantities computed from them, plates, things it does not have.
MODELS = {
    "real": ("net M { x ~ normal(0, 1)\n y ~ normal(x, 1)\n A : 1/3\n B | A : {true: 0.2, false: 0.7} }",
             ("x", "y", "A", "B", "x + 1", "x mod 8", "x > 0", "A and B", "max(x, y)", "x * y", "[x, y]", "x + A")),
    "discrete": ("net M { A : 1/3\n B | A : {true: 0.2, false: 0.7}\n R : uniform(1..6) }",
                 ("A", "B", "R", "R + 1", "R mod 2", "R > 2", "max(R, 3)", "[A, R]", "C")),
    "plate": ("net M { for i in 1..4 { z[i] ~ normal(0, 1)\n R[i] : uniform(1..3) } }",
              ("z[1]", "R[2]", "sum(R)", "sum(z)", "max(z)", "z", "R", "z[1] + R[1]", "[x for x in R]", "z[R[1]]", "z[9]")),
    "counts": ("net M { n ~ poisson(3)\n p ~ beta(1, 1)\n K ~ binomial(5, p)\n w ~ dirichlet([1, 1, 1]) }",
               ("n", "p", "K", "w", "w[1]", "n + K", "p * K", "n > 2", "K / 5")),
    "hypotheses": ("hypotheses M -> D { h1: 1/2 -> { u: 1/3, v: 2/3 }, h2: 1/2 -> u }", ("D", "M", "D == u", "[D, M]")),
    "grid": ("hypotheses M(t in 0..1 step 1/4) { D -> bernoulli(t) }", ("D", "t", "M", "t * 2", "t > 1/2")),
    "mixture": ("mixture M { 1/2: normal(0, 1), 1/2: normal(5, 1) }", ("x", "M", "x + 1", "x > 1")),
    "sequence": ("hmm M { states { s, r } move { s: { s: 0.7, r: 0.3 }, r: { s: 0.3, r: 0.7 } } emit { s: { o: 0.9, n: 0.1 }, r: { o: 0.2, n: 0.8 } } }",
                 ("state[1]", "state", "obs", "obs[1]", "state[2] == s")),
    "learned": ("table t { a b -> y\n 1 x -> p\n 2 z -> q\n 3 x -> p\n 4 w -> q }\nlet M = train naive_bayes(m: 1) on t", ("y", "a", "b", "a + 1", "y == p")),
    "table": ("table M { a b -> y\n 1 x -> p\n 2 z -> q\n 3 x -> p\n 4 w -> q }", ("y", "a", "b", "a + 1", "y == p")),
}
FORMS = ("P({0})", "explain P({0})", "P({0} | {1})", "E({0} | {1})", "argmax P({0} | {1})", "H({0} | {1})", "I({0}; {1})", "L({0} | {1})", "explain P({0} | {1})", "explain E({0} | {1})",
         "sample 3 from P({0} | {1})", "P(* | {0}, {1})", "P({0} | do({1}))", "E({0} | do({1}))", "P({0} | A, {1})", "E({0} | A, {1})", "plot(P({0} | {1}))",
         "E({0} | next {1})", "P({0} | next {1})", "P(next {0} | {1})", "E(next {0} | {1})", "explain argmax P({0} | {1})", "P({0}, {1})", "H({0}, {1})",
         "P({0} | {1}) by nuts(200)", "E({0} | {1}) by likelihood_weighting(200)", "I({0}; A | {1})", "quantile(P({0} | {1}), 0.5)", "mean(P({0} | {1}))",
         "E({0} | {1} = 1)", "P({0} | {1} = [1, 2])", "E({0} | {1} = true)", "P({0} = 1 | {1} = 2)", "E({0} * {1})", "E(({0}) + ({1}) | {1})", "P({0} | {1} ~ [0.2, 0.8])",
         "E({0} | {1} = 1) by laplace", "E({0} | max({1}) = 1) by nuts(100)", "P({0} | count([v for v in {1} if v == 2]) = 5)", "most_probable(P({0} | {1}), 2)",
         "P({0} > {1})", "P({0} == {1} | {1})", "explain P({0} > 0 | {1} > 0)", "P({0} in 0..1 | {1})", "E({0} | {1} in 0..1)", "argmax E({0} | {1})", "{0} in P({1})")


def check(c):
    pairs = [(kind, a, b) for kind, (_, things) in MODELS.items() for a, b in itertools.product(things, things)]
    c.rng.shuffle(pairs)
    for i, (kind, a, b) in enumerate(pairs):
        if i >= 8 and not c.time_left():
            break
        queries = [form.format(a, b) + c.rng.choice(("", " in M")) for form in c.rng.sample(FORMS, 14)]
        codes = [MODELS[kind][0]] + queries
        requests = "".join(json.dumps({"op": "execute", "code": code}) + "\n" for code in codes)
        done = run([c.program, "--json-repl", "--timeout", "0.4", "--max-memory", "1G"], requests, seconds=60, cwd=c.folder)
        answered = done.out.count(b"\n")
        where = f"{kind}: {codes[min(answered, len(codes) - 1)]}"
        if c.sound(done, where):
            c.expect(answered == len(codes), f"{where}: {answered} of {len(codes)} replies")
            internal = [code for code, reply in zip(codes, done.out.splitlines()) if b"E-INTERNAL" in reply]
            c.expect(not internal, f"{kind}: internal errors in {internal[:2]}")
