#!/usr/bin/python3
"""Posteriors by NUTS: ours and rstan's in one run, CPU time over the least effective number of draws of any parameter.

    python3 tests/bench/nuts.py build/release/bench/nuts

First the program prints its own table. Then the same models with the same simulated data run as a script of ours and in rstan (Debian:
r-cran-rstan), four chains of 1000 + 1000 draws each, one after the other. Stan's compilation is not counted, our start and parsing are. Where
rstan is missing, it is left out by name.
"""
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np


def listed(values):
    return "[" + ", ".join(listed(v) if isinstance(v, list) else f"{v:.10g}" for v in values) + "]"


def logistic(rng):
    rows, columns = 500, 5
    x = rng.normal(size=(rows, columns)).round(4)
    y = (rng.random(rows) < 1 / (1 + np.exp(-(0.3 + x @ np.linspace(-1, 1, columns))))).astype(int)
    ours = f"""let x = {listed(x.tolist())}
let y = {listed(y.tolist())}
net M {{
  a ~ normal(0, 5)
  for j in 1..{columns} {{ b[j] ~ normal(0, 5) }}
  for i in 1..{rows} {{ seen[i] ~ bernoulli(sigmoid(a + dot(b, x[i]))) }}
}}
let post = P(* | seen = (y)) in M by nuts(4000)
"""
    stan = """data { int n; int k; matrix[n, k] x; int<lower=0, upper=1> y[n]; }
parameters { real a; vector[k] b; }
model { a ~ normal(0, 5); b ~ normal(0, 5); y ~ bernoulli_logit_glm(x, a, b); }"""
    return ours, stan, {"n": rows, "k": columns, "x": x.tolist(), "y": y.tolist()}


def groups(rng):
    count, each = 40, 8
    level = rng.normal(1.5, 0.3, size=count)
    group = [g + 1 for g in range(count) for _ in range(each)]
    y = [round(float(rng.normal(level[g - 1], 0.8)), 4) for g in group]
    ours = f"""let place = {listed(group)}
let y = {listed(y)}
net M {{
  mu ~ normal(0, 10)
  tau ~ half_normal(1)
  sigma ~ half_normal(1)
  for g in 1..{count} {{ level[g] ~ normal(mu, tau) }}
  for i in 1..{len(y)} {{ seen[i] ~ normal(level[place[i]], sigma) }}
}}
let post = P(* | seen = (y)) in M by nuts(4000)
"""
    stan = """data { int n; int k; int group[n]; vector[n] y; }
parameters { real mu; real<lower=0> tau; real<lower=0> sigma; vector[k] level; }
model { mu ~ normal(0, 10); tau ~ normal(0, 1); sigma ~ normal(0, 1); level ~ normal(mu, tau); y ~ normal(level[group], sigma); }"""
    return ours, stan, {"n": len(y), "k": count, "group": group, "y": y}


def lines(rng):
    count, ages = 30, [-14, -7, 0, 7, 14]
    y = [[round(float(rng.normal(a + b * t, 6)), 2) for t in ages] for a, b in zip(rng.normal(240, 14, count), rng.normal(6.2, 0.5, count))]
    ours = f"""let age = {listed(ages)}
let y = {listed([v for row in y for v in row])}
net M {{
  m_a ~ normal(200, 100)
  m_b ~ normal(0, 10)
  s_a ~ half_normal(50)
  s_b ~ half_normal(10)
  sigma ~ half_normal(50)
  for i in 1..{count} {{
    a[i] ~ normal(m_a, s_a)
    b[i] ~ normal(m_b, s_b)
    for t in 1..5 {{ seen[i, t] ~ normal(a[i] + b[i] * age[t], sigma) }}
  }}
}}
let post = P(* | seen = (y)) in M by nuts(4000)
"""
    stan = """data { int n; real age[5]; matrix[n, 5] y; }
parameters { real m_a; real m_b; real<lower=0> s_a; real<lower=0> s_b; real<lower=0> sigma; vector[n] a; vector[n] b; }
model {
  m_a ~ normal(200, 100); m_b ~ normal(0, 10); s_a ~ normal(0, 50); s_b ~ normal(0, 10); sigma ~ normal(0, 50);
  a ~ normal(m_a, s_a); b ~ normal(m_b, s_b);
  for (t in 1:5) col(y, t) ~ normal(a + b * age[t], sigma);
}"""
    return ours, stan, {"n": count, "age": ages, "y": y}


def heavy_tails(rng):
    rows = 200
    x = rng.normal(size=rows).round(4)
    y = (1 + 2 * x + rng.standard_t(3, size=rows)).round(4)
    ours = f"""let x = {listed(x.tolist())}
let y = {listed(y.tolist())}
net M {{
  a ~ normal(0, 10)
  b ~ normal(0, 10)
  sigma ~ half_normal(5)
  for i in 1..{rows} {{ seen[i] ~ student_t(3, a + b * x[i], sigma) }}
}}
let post = P(* | seen = (y)) in M by nuts(4000)
"""
    stan = """data { int n; vector[n] x; vector[n] y; }
parameters { real a; real b; real<lower=0> sigma; }
model { a ~ normal(0, 10); b ~ normal(0, 10); sigma ~ normal(0, 5); y ~ student_t(3, a + b * x, sigma); }"""
    return ours, stan, {"n": rows, "x": x.tolist(), "y": y.tolist()}


MODELS = {"logistic 500 x 5": logistic, "40 groups": groups, "30 lines": lines, "heavy tails": heavy_tails}

R_SCRIPT = """suppressPackageStartupMessages(library(rstan))
if (!nchar(rstan_options("boost_lib"))) rstan_options(boost_lib = "/usr/include")  # where Debian's BH points to
args <- commandArgs(TRUE)
data <- read_rdump(args[2])
model <- stan_model(args[1])
for (seed in 1:3) {
  fit <- sampling(model, data = data, chains = 4, iter = 2000, warmup = 1000, cores = 1, refresh = 0, seed = seed)
  found <- suppressWarnings(monitor(extract(fit, permuted = FALSE), warmup = 0, print = FALSE))
  kept <- rownames(found) != "lp__"
  cat("RESULT", sum(get_elapsed_time(fit)), min(found[kept, "Bulk_ESS"]), "\\n")
}
"""


def run_ours(credence, folder, script):
    out = []
    for seed in range(1, 4):
        path = f"{folder}/model.cred"
        with open(path, "w") as file:
            file.write(f"set seed {seed}\nset threads 1\n{script}min(summary(post).ess_bulk)\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        text = subprocess.run([credence, "--json", path], check=True, capture_output=True, text=True).stdout
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        out.append((spent, json.loads(text.splitlines()[-1])["value"]))
    return out


def r_dump(data):
    out = []
    for name, value in data.items():
        array = np.asarray(value)
        cells = "c(" + ", ".join(f"{v:.10g}" for v in array.flatten(order="F")) + ")" if array.ndim else f"{value}"
        shape = ", ".join(str(n) for n in array.shape)
        out.append(f"{name} <- structure({cells}, .Dim = c({shape}))" if array.ndim > 1 else f"{name} <- {cells}")
    return "\n".join(out) + "\n"


def run_stan(folder, stan, data):
    for name, text in (("model.stan", stan + "\n"), ("data.R", r_dump(data)), ("run.R", R_SCRIPT)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    done = subprocess.run(["Rscript", f"{folder}/run.R", f"{folder}/model.stan", f"{folder}/data.R"], capture_output=True, text=True)
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not found:
        print(f"rstan not measured: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
        return None
    return [(float(seconds), float(draws)) for seconds, draws in found]


def per_draw(runs):
    return statistics.median(1000 * seconds / draws for seconds, draws in runs)


def main():
    program = sys.argv[1]
    credence = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(program))), "credence")
    subprocess.run([program], check=False)
    have_stan = bool(shutil.which("Rscript")) and subprocess.run(["Rscript", "-e", "library(rstan)"], capture_output=True).returncode == 0
    if not have_stan:
        print("rstan not measured: r-cran-rstan is missing")
    ratios = []
    for name, make in MODELS.items():
        ours, stan, data = make(np.random.default_rng(1))
        with tempfile.TemporaryDirectory() as folder:
            us = per_draw(run_ours(credence, folder, ours))
            line = f"{name:18} ours {us:8.4f} ms for an effective draw"
            if have_stan:
                runs = run_stan(folder, stan, data)
                have_stan = runs is not None
            if have_stan:
                them = per_draw(runs)
                ratios.append(us / them)
                line += f"  rstan {them:8.4f}  ratio {us / them:.2f}"
            print(line, flush=True)
    if ratios:
        print(f"geometric mean of the ratios {math.exp(statistics.fmean(map(math.log, ratios))):.2f}, largest {max(ratios):.2f}")


main()
