#include "lang/cli/help.hpp"

namespace credence::cli {

namespace {

// clang-format off
constexpr StatementHelp all[] = {
    {"let", "let NAME = expr", "Names a value. Nothing is ever assigned twice: a later `let` of the same name hides the earlier one.", "let p = 98%\nexpect p == 49/50"},
    {"fn", "fn NAME(params) = expr [where NAME = expr, …]", "Defines a function; `where` names parts of its body, each seen by the next.", "fn odds(p) = p / q where q = 1 - p\nexpect odds(1/3) == 1/2"},
    {"net", "net NAME { node [in {labels}] [| parents] : table … }", "Declares a Bayes net. A root has a record of probabilities, or one number for P(true); a node with parents has rows `label, label : row`, with `_` for any value and `else` for the rest, an expression over its parents, noisy_or(…) or noisy_max(…).", "net Alarm {\n  Burglary : 0.001\n  Alarm | Burglary : { true: 0.94, false: 0.002 }\n}\nexpect P(Alarm = true | Burglary = true) == 0.94"},
    {"noisy_or", "X | A, B : noisy_or(leak: p, A: p, B: p)", "A table of a boolean node: each parent that is true brings X about with its own probability, independently, and so does the leak.", "net Fever { Cold : 0.5; Flu : 0.5; Fever | Cold, Flu : noisy_or(Cold: 0.4, Flu: 0.8) }\nexpect P(Fever = true | Cold = true, Flu = true) == 0.88"},
    {"noisy_max", "X in {lowest, …} | A : noisy_max(leak: {…}, A: {value: {…}, …})", "A table of a node with ordered values, lowest first: X is the largest of what its parents and the leak bring about, each independently.", "net Pain { Hit : 0.5; Pain in {none, mild, bad} | Hit : noisy_max(Hit: {mild: 0.5, bad: 0.5}) }\nexpect P(Pain = bad | Hit = true) == 1/2"},
    {"hypotheses", "hypotheses NAME -> OUTCOME { label [: prior] -> outcome … }", "Declares a space of hypotheses: each says how its outcome is distributed. `hypotheses NAME(p in range) { [prior w] OUTCOME -> expr }` is a parametric space.", "hypotheses Coin(theta in 0..1 step 1/4) { Flip -> { heads: theta, tails: 1 - theta } }\nexpect (argmax P(Coin | Flip = [heads, heads, tails])).theta == 3/4"},
    {"table", "table NAME { header … -> target  rows … }", "Declares data: cells between blanks, rows on lines of their own or after `;`, `?` for a missing cell. A table answers P with its frequencies.", "table t { Wind -> Play ; Weak -> Yes ; Strong -> No ; Weak -> Yes }\nexpect P(Wind = Weak | Play = Yes) in t == 1"},
    {"mixture", "mixture NAME { weight: distribution … }", "Declares a mixture over component (1 … k) and x; a weight or a parameter that is ? is learned: train M on data [by em(…)].", "mixture Coins { 1/2: binomial(10, ?), 1/2: binomial(10, ?) }\nlet coins = train Coins on [5, 9, 8, 4, 7] by em(init: [0.6, 0.5])\nexpect coins.parameters[1] == 0.7968 within 0.001"},
    {"hmm", "hmm NAME { states {…} start {…} move {…} emit {…} }", "Declares a hidden Markov model: filter, smooth, ahead, viterbi, likelihood (model, observations); parts that are ? are learned by Baum–Welch.", ""},
    {"grammar", "grammar NAME { start S  S -> A B: p | … }", "Declares a probabilistic grammar: parse, parses, inside (grammar, words); rules with ? are learned by inside–outside.", ""},
    {"cases", "cases NAME { case LABEL { structure \"…\" function { A ->+ B } } … }", "Declares a library of cases: retrieve, compose, adapt, revise and retain (library, …).", ""},
    {"graph", "graph { A ->+ B; B ->- C }", "A graph of signed influences, as goals of retrieve and compose are.", ""},
    {"set", "set NAME value", "Settings: seed (whole number), digits (1 to 17), numbers (exact, real or automatic), threads.", "set digits 3\nset numbers exact"},
    {"import", "import \"file.cred\" [as NAME]", "Runs another script for its definitions; with `as`, they are members of NAME.", ""},
    {"expect", "expect expr [within t] [from \"source\"]", "Checks that something holds; a failure is reported and the script goes on. `expect error \"part\": statement` expects an error.", "expect 0.1 + 0.2 == 0.3\nexpect error \"E-ARITHMETIC\": 1 / 0"},
    {"explain", "explain QUERY", "Prints how a query is answered: the formula in names, then in numbers, then the result.", "net Coin { Face : { heads: 1/2, tails: 1/2 } }\nexplain P(Face = heads)"},
    {"P", "P(targets | evidence) [in model] [by engine]", "Asks a model. A bare variable is free, so the answer is a table over it; an event is X = v, X != v, X in {…}, X < 3, not e, e or e. Evidence may be a list of i.i.d. observations, do(X = v), X ~ {…} or X likelihood {…}; `next X` is one more draw.", "net Coin { Face : { heads: 1/2, tails: 1/2 } }\nexpect P(Face = heads or Face = tails) == 1"},
    {"E", "E(expr | evidence) [in model]", "The expectation of an expression over the variables.", "net Die { Side : { 1: 1/6, 2: 1/6, 3: 1/6, 4: 1/6, 5: 1/6, 6: 1/6 } }\nexpect E(Side^2) == 91/6"},
    {"H", "H(X | Y) [in model]", "The entropy of variables in bits, given others.", "net Coin { Face : { heads: 1/2, tails: 1/2 } }\nexpect H(Face) == 1"},
    {"I", "I(X; Y | Z) [in model]", "The mutual information between variables in bits, given others.", "net Copy { A : 0.5; B | A : A }\nexpect I(A; B) == 1"},
    {"L", "L(x | y) [in model]", "The description length -log2 P(x | y) in bits; of something impossible it is ∞.", "net Coin { Face : { heads: 1/2, tails: 1/2 } }\nexpect L(Face = heads) == 1"},
    {"argmax", "argmax expr", "The label with the largest entry of a factor or record; a record of labels for several variables. Ties go to the first declared, and are noted. argmax P(* | e) is the most probable explanation. argmin is the smallest.", "expect argmax {a: 1/4, b: 3/4} == \"b\""},
    {"sample", "sample [n] from source", "Draws from a distribution, a model, a table or a query's answer; `set seed` decides which.", "set seed 1\nexpect count(sample 10 from {a: 1, b: 1}) == 10"},
    {"train", "train LEARNER on DATA [by METHOD]", "Fits a learner to a table, or fills the holes (?) of a net, mixture, hmm or grammar; gives a model.",
     "table t { x -> y\n 1 -> 2\n 2 -> 4\n }\nlet m = train regression() on t"},
};
// clang-format on

}  // namespace

std::span<const StatementHelp> statements() { return all; }

}  // namespace credence::cli
