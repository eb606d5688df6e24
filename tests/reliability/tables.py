"""Learners and functions of tables on odd tables: an error is fine, a crash, a hang or a number that is none is not."""
import json
import os
import re

from support import run

LEARNERS = ("baseline()", "naive_bayes(m: 1)", "naive_bayes(numeric: bins(3))", "joint_bayes(m: 1)", "naive_bayes_text()", "find_s()",
            "candidate_elimination()", "bayes_optimal()", "id3()", "c45()", "decision_tree(prune: reduced_error)",
            "decision_tree(missing: fractional, criterion: gini)", "regression()", "regression(noise: laplace)", "regression(noise: student_t(4))",
            "polynomial(2)", "ridge(1)", "bayes_regression()", "perceptron(epochs: 20)", "logistic()", "neural(hidden: [3], epochs: 5)", "svm()",
            "svm(kernel: rbf())", "svr()", "random_forest(trees: 5)", "boosted_trees(rounds: 5)", "impute() |> scale() |> svm()", "discretize(bins: 3) |> naive_bayes(m: 1)", "pca() |> knn(k: 1)", "filter_features(by: variance, keep: 2) |> knn(k: 1)", "knn(k: 3)", "knn(k: 3, metric: gower)", "knn(k: 3, axes: learned)",
            "knn(k: 3, scale: range, metric: cosine)", "shepard(kernel: gaussian(1))", "lwr()", "rbf_network(centers: 3)", "lazy(baseline(), k: 3)",
            "gaussian_mixture(k: 2)", "k_means(k: 2)", "hill_climb()", "chow_liu()", "tan()", "pc()")
FUNCTIONS = ("describe(t)", "pca(t).eigenvalues", "anova(t)", "chi_square(t)", "information_gain(t)", "scale(t)", "discretize(t)", "encode(t)",
             "sort(t, by: y)", "group(t, by: y)", "plot(t)", "plot(t.a, kind: histogram)", "pearson(t)", "cross_validate(knn(k: 1), t, folds: 2)", "choose_k(t)", "P(y) in t", "learn_axes(t)",
             "forward_selection(knn(k: 1), t, folds: 2).features", 'save(t, "out.arff")', "unique(t.y)", "join(t, t, by: y)")


def odd_tables():
    body = "a,b,y\n" + "".join(f"{i},{i * i % 7},{'yn'[i % 2]}\n" for i in range(12))
    return {
        "empty": "", "header": "a,b,y\n", "one_row": "a,b,y\n1,2,x\n", "equal": "a,b,y\n1,2,x\n1,2,x\n", "contradiction": "a,b,y\n1,2,x\n1,2,z\n",
        "constant": "a,b,y\n" + "1,1,x\n1,1,z\n" * 6, "one_label": "a,b,y\n1,2,x\n3,4,x\n5,6,x\n", "collinear": "a,b,y\n" + "".join(f"{i},{2 * i},{3 * i}\n" for i in range(9)),
        "largest": "a,b,y\n1e308,-1e308,x\n-1e308,1e308,z\n1.7e308,1,x\n0,0,z\n1e308,1e308,x\n", "beyond": "a,b,y\n1e309,1,x\n2,3,z\n-1e400,4,x\n4,1e309,z\n",
        "largest_target": "a,b,y\n1,1,1e308\n2,3,-1e308\n3,4,1.7e308\n4,1,5\n5,6,6\n7,8,1e308\n", "tiny": "a,b,y\n1e-320,1e-308,x\n-1e-320,2e-308,z\n0,0,x\n1e-310,5e-324,z\n",
        "long_integers": "a,b,y\n" + "9" * 400 + ",1,x\n" + "8" * 400 + ",2,z\n1,1,x\n", "nothing": "a,b,y\n,,\n,,\n", "missing": "a,b,y\n?,2,x\n1,?,z\n?,?,x\n2,1,?\n",
        "ragged": "a,b,y\n1,2\n3,4,z\n", "nul": body.replace("3,2", "3\0,2"), "not_utf8": body.encode().replace(b"3,2", b"\xff\xfe,2"), "quotes": body + '"open,1,x\n',
        "same_names": "a,a,y\n1,2,x\n3,4,z\n", "scripts": "ä,日本,y\n١,½,𝔵\nß,İ,ſ\n", "words": "a,b,y\nnet,let,if\nP,E,then\n", "alike": "a,b,y\n" + "".join(f"{1e15 + i / 8},{1 + i * 1e-16},{'xz'[i % 2]}\n" for i in range(10)),
        "plain": body, "labels": "a,b,y\n" + "".join(f"l{i},{i},t{i}\n" for i in range(400)),
    }


def one(c, name, what):
    learner = what in LEARNERS
    code = [f'let t = load("{name}.csv", target: y)']
    code += [f"let m = train {what} on t", "predict(m, t)", 'save(m, "m.json")', 'let n = load("m.json")', "predict(n, head(t, 1)) == predict(m, head(t, 1))",
             f"explain train {what} on head(t, 4)"] if learner else [what]
    if os.path.exists(c.path("m.json")):
        os.unlink(c.path("m.json"))  # of another model; not all can be saved
    requests = "".join(json.dumps({"op": "execute", "code": x}) + "\n" for x in code)
    done = run([c.program, "--json-repl", "--timeout", "4", "--max-memory", "512M", "--root", c.folder, "--threads", "2"], requests, seconds=60, cwd=c.folder)
    if not c.sound(done, f"{what} on {name}"):
        return
    replies = [json.loads(line) for line in done.out.decode("utf-8", "replace").splitlines()]
    c.expect(len(replies) == len(code), f"{what} on {name}: {len(replies)} of {len(code)} replies")
    for statement, reply in zip(code, replies):
        for output in reply.get("outputs", ()):
            c.expect(output["kind"] == "diagnostic" or not re.search(r"(?<![\w.])-?nan(?!\w)", output["text"]), f"{statement} on {name} shows nan")
        if statement.startswith("predict(n") and reply["status"] == "ok" and name != "missing":
            c.expect(reply["outputs"][-1]["text"].strip() == "true", f"{what} on {name}: the saved model predicts otherwise")


def check(c):
    tables = odd_tables()
    for name, text in tables.items():
        c.write(name + ".csv", text)
    pairs = [(name, what) for name in tables for what in LEARNERS + FUNCTIONS]
    always = [(name, what) for name, what in pairs if name in ("largest", "largest_target", "tiny") and what in
              ("svm(kernel: rbf())", "svr()", "random_forest(trees: 5)", "boosted_trees(rounds: 5)", "impute() |> scale() |> svm()", "regression(noise: student_t(4))", "rbf_network(centers: 3)", "knn(k: 3)", "learn_axes(t)", "plot(t)", "plot(t.a, kind: histogram)", "anova(t)", "chi_square(t)", "choose_k(t)")]
    c.rng.shuffle(pairs)
    for i, (name, what) in enumerate(always + pairs):
        if i >= len(always) + 40 and not c.time_left():
            break
        one(c, name, what)
