"""A saved model with one number changed is refused, or what it answers are still probabilities."""
import json
import re

TABLES = ("table t { a b c -> y\n 1 x 2.5 -> p\n 2 z 0.5 -> q\n 3 x 1e3 -> p\n 4 w -7 -> q\n 5 x 0 -> p\n 6 z 1 -> q\n}\n"
          "table l { b d -> y\n x u -> yes\n z u -> no\n x v -> yes\n w v -> no\n x u -> yes\n z v -> no\n}\n")
NUMERIC = ("naive_bayes(m: 1)", "naive_bayes(numeric: bins(2))", "decision_tree()", "c45()", "knn(k: 3)", "baseline()", "neural(hidden: [2], epochs: 3)",
           "svm(probability: true)", "logistic()", "shepard()", "rbf_network()", "perceptron()",
           "logistic(scale: standard)", "random_forest(trees: 3)", "boosted_trees(rounds: 3)", "impute() |> scale() |> encode() |> logistic()",
           "pca(k: 1) |> discretize(bins: 2) |> naive_bayes(m: 1)", "filter_features(by: anova, keep: 1) |> knn(k: 1)")
LABELS = ("joint_bayes(m: 1)", "bayes_optimal()", "candidate_elimination()", "map_learner()")
NUMBERS = ("-1", "-5", "1e308", "1e309", "-1e308", "0", "99", "1000000000000", "2.5", "-0.5", "9007199254740993", "4294967296", "1e-320")
NUMBER = re.compile(r'(?<=[\[,:"\s])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=["\],}\s])')


def improbable(out):
    """The first answer in JSON whose entries are no distribution."""
    for line in out.decode("utf-8", "replace").splitlines():
        answer = json.loads(line)
        if answer.get("type") != "factor":
            continue
        p = [entry["value"] for entry in answer["entries"]]
        if any(not isinstance(x, (int, float)) or not -1e-9 <= x <= 1 + 1e-9 for x in p) or abs(sum(p) - 1) > 1e-6:
            return p
    return None


def one(c, learner, text, question, place, number):
    c.write("m.json", text[:place.start()] + number + text[place.end():])
    done = c.script(TABLES + f'let m = load("m.json")\n{question}', "--json", "--timeout", "5", "--max-memory", "512M")
    where = f"{learner}, {text[max(0, place.start() - 30):place.start()]!r} {place.group(0)} -> {number}"
    if c.sound(done, where):
        c.expect(improbable(done.out) is None, f"{where}: {improbable(done.out)}")


def check(c):
    models = []
    for learner in NUMERIC + LABELS:
        table, question = ("l", "P(y | b = x, d = u) in m\npredict(m, <x, u>)") if learner in LABELS else ("t", "P(y | a = 2, b = x, c = 1) in m\npredict(m, <2, x, 1>)")
        done = c.script(TABLES + f'save(train {learner} on {table}, "m.json")', "-q")
        if c.sound(done, f"save of {learner}", (0,)):
            models.append((learner, open(c.path("m.json")).read(), question))
    for learner, text, question in [model for model in models if model[0] == "c45()"]:  # rules have counts of their own
        models.append(("rules of c45()", text, question))
        for place in list(NUMBER.finditer(text, text.index('"counts"', text.index('"rule_list"'))))[:2]:
            one(c, learner, text, question, place, "-1")
    first = True
    while first or c.time_left():
        first = False
        for learner, text, question in models:
            for _ in range(3):
                start = text.index('"rule_list"') if learner == "rules of c45()" else 0
                one(c, learner, text, question, c.rng.choice(list(NUMBER.finditer(text, start))), c.rng.choice(NUMBERS))
