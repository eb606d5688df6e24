#include "lang/service/help.hpp"

namespace credence::lang {

namespace {

// clang-format off
constexpr StatementHelp all[] = {
    {"let", "let NAME = expr", "Names a value. Nothing is ever assigned twice: a later `let` of the same name hides the earlier one.", "let p = 98%\nexpect p == 49/50"},
    {"fn", "fn NAME(params) = expr [where NAME = expr, …]", "Defines a function; `where` names parts of its body, each seen by the next.", "fn odds(p) = p / q where q = 1 - p\nexpect odds(1/3) == 1/2"},
    {"net", "net NAME[(parameters)] { node [in {labels}] [| parents] : table … }", "Declares a Bayes net. A root has a record of probabilities, or one number for P(true); a node with parents has rows `label, label : row`, with `_` for any value and `else` for the rest, an expression over its parents, noisy_or(…) or noisy_max(…). Without the bar the parents are the variables that the expression names. `for i in range { … }` declares nodes with an index, also over lists and tables. With parameters it is a function whose value is a net.", "net Alarm {\n  Burglary : 0.001\n  Alarm | Burglary : { true: 0.94, false: 0.002 }\n}\nexpect P(Alarm = true | Burglary = true) == 0.94"},
    {"noisy_or", "X | A, B : noisy_or(leak: p, A: p, B: p)", "A table of a boolean node: each parent that is true brings X about with its own probability, independently, and so does the leak.", "net Fever { Cold : 0.5; Flu : 0.5; Fever | Cold, Flu : noisy_or(Cold: 0.4, Flu: 0.8) }\nexpect P(Fever = true | Cold = true, Flu = true) == 0.88"},
    {"noisy_max", "X in {lowest, …} | A : noisy_max(leak: {…}, A: {value: {…}, …})", "A table of a node with ordered values, lowest first: X is the largest of what its parents and the leak bring about, each independently.", "net Pain { Hit : 0.5; Pain in {none, mild, bad} | Hit : noisy_max(Hit: {mild: 0.5, bad: 0.5}) }\nexpect P(Pain = bad | Hit = true) == 1/2"},
    {"hypotheses", "hypotheses NAME -> OUTCOME [| inputs] { label [: prior] -> outcome … }", "Declares a space of hypotheses: each says how its outcome is distributed, by an expression over the inputs where there are some. `hypotheses NAME(p in range) { [prior w] OUTCOME -> expr }` is a parametric space.", "hypotheses Coin(theta in 0..1 step 1/4) { Flip -> { heads: theta, tails: 1 - theta } }\nexpect (argmax P(Coin | Flip = [heads, heads, tails])).theta == 3/4"},
    {"table", "table NAME { header … -> target  rows … }", "Declares data: cells between blanks, rows on lines of their own or after `;`, `?` for a missing cell. A table answers P with its frequencies.", "table t { Wind -> Play ; Weak -> Yes ; Strong -> No ; Weak -> Yes }\nexpect P(Wind = Weak | Play = Yes) in t == 1"},
    {"mixture", "mixture NAME { weight: distribution … }", "Declares a mixture over component (1 … k) and x; a weight or a parameter that is ? is learned: train M on data [by em(…) | gradient(…) | counting(m)].", "mixture Coins { 1/2: binomial(10, ?), 1/2: binomial(10, ?) }\nlet coins = train Coins on [5, 9, 8, 4, 7] by em(init: [0.6, 0.5])\nexpect coins.parameters[1] == 0.7968 within 0.001"},
    {"hmm", "hmm NAME { states {…}  [start {…}]  move { s: {…} … }  emit { s: distribution … } }", "Declares a hidden Markov model; a missing start is uniform, parts that are ? are learned by Baum-Welch or gradient ascent, and counted where a column state was seen. filter, smooth, ahead, viterbi and likelihood answer; `sample n from M` draws n steps.", "hmm Umbrella {\n  states { rain, dry }\n  move { rain: { rain: 0.7, dry: 0.3 }, dry: { rain: 0.3, dry: 0.7 } }\n  emit { rain: { up: 0.9, none: 0.1 }, dry: { up: 0.2, none: 0.8 } }\n}\nexpect filter(Umbrella, [up])[1][rain] == 9/11"},
    {"grammar", "grammar NAME { start S  S -> A B: p | \"word\": q … }", "Declares a probabilistic grammar. Rules without a number share what the others leave; ? is learned by inside-outside or gradient ascent from sentences, and counted from trees. parse, parses and inside answer; `sample n from G` draws sentences.", "grammar G {\n  start S\n  S -> S S: 1/3 | \"a\": 2/3\n}\nexpect inside(G, [\"a\", \"a\"]) == 4/27"},
    {"cases", "cases NAME { case LABEL { structure \"…\" function { A ->+ B } } … }", "Declares a library of cases, each with a structure in words and the graph of what it does. retrieve, compose, adapt, revise and retain use it.", "cases Taps {\n  case mixer { structure \"two valves\" function { Qc ->+ Qm; Qh ->+ Qm } }\n}\nexpect retrieve(Taps, graph { A ->+ B })[1].case == \"mixer\""},
    {"graph", "graph { A ->+ B; B ->- C }", "A graph of influences: the sign says how the head moves with the tail. A chain is A ->+ x ->+ B; `Q1, Q2 : flow` gives quantities a kind. draw shows it.", "let g = graph { A ->+ B; B ->- C }\ncases L { case one { function { A ->+ B } } }\nexpect retrieve(L, g)[1].covered == 1"},
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
    {"if", "if condition then expr else expr", "Chooses between two values; both branches are needed.", "expect (if 2 > 1 then \"more\" else \"less\") == \"more\""},
    {"for", "[expr for NAME in list [if condition]]", "A list made of another. In a net, `for i in 1..n { … }` repeats nodes.", "expect [n^2 for n in 1..4 if n mod 2 == 0] == [4, 16]"},
    {"in", "QUERY in MODEL; VAR in {a, b}; x in list", "After a query, names the model that is asked; in an event, says that a variable has one of several values; in an expression, tests membership.", "table t { x ; a ; b ; a }\nexpect P(x in {a, b}) in t == 1\nexpect 2 in [1, 2]"},
    {"by", "QUERY by ENGINE; train MODEL on DATA by METHOD", "Picks the algorithm: the engine that answers, or the method that fills the holes of a model. `help` lists both; an argument has its place or its name, as in by gibbs(20000, burn: 500).", "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Rain = true | Wet = true) by enumeration == 9/13"},
    {"do", "P(X | do(Y = v))", "Intervenes: sets a variable whatever its parents say, so that nothing is learned about them.", "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Rain = true | do(Wet = true)) == 0.2"},
    {"next", "P(next X | X = [observations])", "The prediction of one more i.i.d. outcome after those observed.", "hypotheses Bag -> Candy { h1: 1/2 -> lime, h2: 1/2 -> { lime: 1/2, cherry: 1/2 } }\nexpect P(next Candy = lime | Candy = [lime]) == 5/6"},
    {"within", "expect a == b within t", "Compares with an absolute tolerance, element by element in lists, records and factors.", "expect sqrt(2)^2 == 2 within 1e-12"},
    {"argmin", "argmin expr", "The label with the smallest entry of a factor or record, as argmax gives the largest.", "expect argmin {a: 1/4, b: 3/4} == \"a\""},
    {"mod", "a mod b", "The remainder of a division, with the sign of the divisor.", "expect 7 mod 3 == 1\nexpect -7 mod 3 == 2"},
    {"and", "a and b", "Both hold; b is looked at only where a holds. In an event a comma says the same: P(X = a, Y = b).", "expect 1 < 2 and 2 < 3"},
    {"or", "a or b; P(X = a or Y = b)", "At least one holds; b is looked at only where a does not hold. Between events, their union.", "net Two { A : 0.5; B : 0.5 }\nexpect P(A = true or B = true) == 3/4"},
    {"not", "not a; P(not (X = a and Y = b))", "The opposite, of a truth value or of an event.", "net Two { A : 0.5; B : 0.5 }\nexpect P(not (A = true and B = true)) == 3/4\nexpect not 1 > 2"},
    {"given", "independent(X, Y, given: [Z])", "The name of the argument that lists what is known. In a query it is a bar: P(X | Z).", "net Chain { A : 0.5; B | A : A; C | B : B }\nexpect independent(A, C, given: [B])"},
    {"from", "sample [n] from source; expect … from \"source\"", "After sample, what is drawn from; after expect, where the expected value was taken from.", "expect 6 * 7 == 42 from \"the multiplication table\""},
    {"on", "train LEARNER on DATA", "Before the data that a learner is fitted to.", "table t { x -> y\n 1 -> 2\n 2 -> 4\n }\nlet m = train regression() on t"},
    {"then", "if condition then expr else expr", "Before the value that holds where the condition does.", "expect (if 2 > 1 then \"more\" else \"less\") == \"more\""},
    {"else", "if condition then expr else expr; else : row", "Before the value that holds where the condition does not; in the table of a node, the row for all combinations not listed.", "net Both { A : 0.5; B : 0.5; C | A, B : { true, true: 1; else: 0 } }\nexpect P(C = true) == 1/4"},
    {"?", "NODE : ?; weight: ?; <a, ?>; a cell that is ?", "Stands for something to be learned in a declaration, for any value in an instance or a hypothesis, for a missing cell in a table.", "net Coin { Face in {heads, tails} : ? }\ntable t { Face ; heads ; heads ; tails }\nexpect P(Face = heads) in (train Coin on t) == 2/3"},
    {"seed", "set seed N", "Where the random numbers begin: a whole number, 0 or more [0]. The same seed gives the same draws on every machine and number of threads.", "set seed 7\nlet a = sample 5 from {x: 1, y: 1}\nset seed 7\nexpect a == sample 5 from {x: 1, y: 1}"},
    {"digits", "set digits N", "Significant digits of printed decimals, 1 to 17 [6]; what is calculated does not change.", "set digits 3\nsqrt(2)"},
    {"numbers", "set numbers exact | real | automatic", "Fractions of any length, floating point, or fractions as long as they stay short [automatic].", "set numbers exact\nexpect (1/3 + 1/6) * 2 == 1"},
    {"threads", "set threads N", "Threads that may work at a time, 1 to 256 [1]; the answers are the same for any number.", "set threads 2\nexpect 1 + 1 == 2"},
};
// clang-format on

}  // namespace

std::span<const StatementHelp> statements() { return all; }

}  // namespace credence::lang
