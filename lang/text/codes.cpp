#include "lang/text/codes.hpp"

#include <algorithm>

namespace credence::lang {

namespace {

// clang-format off
constexpr CodeInfo codes[] = {
    {"E-AMBIGUOUS", "several models fit", "A query without `in` is about the declared model that has all its variables. Here several models have them. Add `in NAME` to choose one.",
     "net A { X : 0.5 }\nnet B { X : 0.2 }\nP(X)"},
    {"E-ARGUMENT", "wrong arguments", "A function was called with too many or too few arguments, or with one given twice. The message shows how it is called.",
     "choose(5)"},
    {"E-ARITHMETIC", "no result", "The operation has no value: a division by zero, the logarithm of zero, infinity minus infinity.",
     "1 / 0"},
    {"E-BRACKET", "brackets do not match", "A bracket or a text is never closed, or a bracket is closed by one of another kind. The caret is at the opening one.",
     "let xs = [1, 2"},
    {"E-CALL", "not a function", "Only functions can be called. The value before the parenthesis is not a function.",
     "let x = 3\nx(1)"},
    {"E-COLUMN", "no such column", "The table has no column of that name. The message lists its columns.",
     "table t { a b ; 1 2 }\nselect(t, [c])"},
    {"E-COST", "too large", "The exact answer would need a table or list that exceeds the limits. The message names the variables. Try another engine, fewer variables or a coarser step.",
     "let xs = 1..100000000000"},
    {"E-CYCLE", "a cycle of arcs", "The arcs of a Bayes net must not lead from a variable back to itself.",
     "net A { X | Y : { true: 0.5, false: 0.2 }; Y | X : { true: 0.5, false: 0.2 } }"},
    {"E-DEPTH", "nested too deeply", "Brackets or recursive calls are nested too deeply. A recursion needs a case in which it ends.",
     "fn f(n) = f(n + 1)\nf(1)"},
    {"E-DO", "observed and set", "A variable is both set by do(…) and observed as evidence. It can only be one of the two.",
     "net A { X : 0.5 }\nP(X | do(X = true), X = false)"},
    {"E-DOMAIN", "values not known", "If nothing else determines a variable's values, they must be listed with `in {…}`.",
     "net A { X : ?; Y | X : { a: 0.5 } }"},
    {"E-DUPLICATE", "given twice", "A name, a key, a row or a parameter may be given only once.",
     "net A { X : 0.5; X : 0.2 }"},
    {"E-EMPTY", "nothing there", "The function needs at least one item (some need two).",
     "mean([])"},
    {"E-ENGINE", "no such engine", "`by` names an algorithm. The message lists those available for this model.",
     "net A { X : 0.5 }\nP(X) by magic"},
    {"E-EXPECT", "an expectation failed", "An `expect` was not true, or its `within` has no ==. The message shows both sides, and the source named by `from`.",
     "expect 1/2 + 1/3 == 1"},
    {"E-EXPLAIN", "nothing to explain", "`explain` comes at the start of a statement, before a query, and shows how the query is answered.",
     "explain 1 + 1"},
    {"E-FILE", "a file cannot be used", "The file does not exist, cannot be read or written, is of an unknown format, or lies outside --root.",
     "load(\"nowhere.csv\")"},
    {"E-FORMAT", "a file breaks its format", "The file does not follow the format that its extension names. The message gives the line, the column and what was expected there.",
     ""},
    {"E-HOLE", "something unknown", "`?` stands for something to be learned from data. It has no value, and a model with holes must be trained before it can be queried.",
     "let x = ?"},
    {"E-IMPORT", "an import failed", "The file named by `import` cannot be read, or imports itself, directly or through other files.",
     "import \"nowhere.cred\""},
    {"E-INDEX", "no such position", "Positions are whole numbers from 1 to the length of the list. A factor takes one label for each variable.",
     "let xs = [1, 2]\nxs[3]"},
    {"E-INTERNAL", "a fault of the interpreter", "This is an error in the interpreter, not in the script. Please report it together with the script.",
     ""},
    {"E-KEY", "no such key", "The record has no entry of that name. The message lists its keys.",
     "let r = {a: 1}\nr.b"},
    {"E-LABEL", "no such value", "A variable does not have that value; the message lists its values. A word after X = is first looked for among the values of X: write (x) for the value of a name x.",
     "net Coin { Face : { heads: 1/2, tails: 1/2 } }\nP(Face = edge)"},
    {"E-MEMBER", "no such member", "The value has no member of that name. The message lists its members.",
     "net A { X : 0.5 }\nA.edges"},
    {"E-MEMORY", "out of memory", "The computer has no more memory, or the limit set by --max-memory was reached.",
     ""},
    {"E-MISSING", "something is missing", "A table of P(X | parents) needs a row for every combination of the parents' values; `_` stands for any value, `else` for all remaining combinations. A model needs a value of every column that it computes with, and a calculation a value of every cell.",
     "net A { X : 0.5; Y | X : { true: 0.9 } }"},
    {"E-MODEL", "no such model", "No declared model has these variables, or the name after `in` is not a model.",
     "P(Rain)"},
    {"E-NAME", "unknown word", "A bare word must be a name defined in the script, a label from a declaration, a variable, a model or a builtin. This one is none of these. Write new labels in quotes.",
     "let x = undefined_word"},
    {"E-NEGATIVE", "a negative probability", "Probabilities and weights are 0 or more.",
     "net A { X : { a: -0.5, b: 1.5 } }"},
    {"E-NORMALIZE", "nothing to normalise by", "A factor is normalised by dividing by its sum. The sum must not be zero, and no entry may be negative.",
     "normalize({a: 0, b: 0})"},
    {"E-NUMBER", "not a number", "The text starts like a number but is not one. Numbers are written as 12, 0.008, 1e-3 or 98%.",
     "let x = 12abc"},
    {"E-PARAMETER", "a bad parameter", "The function has no parameter of that name, or its value is not allowed. The message says what is possible.",
     "normal(0, -1)"},
    {"E-PRIOR", "priors incomplete", "Either all hypotheses have a prior or none does. The weights must not all be zero.",
     "hypotheses H -> C { a: 0.5 -> x, b -> y }"},
    {"E-QUERY", "a query that cannot be asked", "The parts of the query cannot be combined. The message names them and says what to write instead.",
     "net A { X : 0.5 }\nP(X | X = [true, false])"},
    {"E-RANGE", "out of range", "A number is too large to be represented, or a range has no step or no end.",
     "let xs = 0..1 step 0"},
    {"E-RESERVED", "a reserved word", "The word is part of the language and cannot be used as a name here, except in backticks.",
     "let net = 3"},
    {"E-ROW", "wrong number of keys", "A row of a conditional table has one key for each parent, in the order of the parents.",
     "net A { X : 0.5; Y | X : { true, false: 0.9 } }"},
    {"E-SET", "no such setting", "The settings are seed, digits, numbers, threads and lines.",
     "set colour 3"},
    {"E-STOP", "stopped", "The statement was interrupted. Names defined before it are kept.",
     ""},
    {"E-SUM", "probabilities do not sum to 1", "Each distribution must sum to exactly 1. Decimals and fractions are exact, so rounding is not the cause.",
     "net A { X : { a: 0.5, b: 0.4 } }"},
    {"E-SYNTAX", "not a statement", "The text does not follow the grammar. The caret is where it stops making sense, and the label says what could be there.",
     "let = 3"},
    {"E-TABLE", "a table is wrong", "A row has too many or too few cells, or a file does not contain the expected table.",
     "table t { a b ; 1 }"},
    {"E-TEXT", "not a text", "The file is not UTF-8, or a text contains an unknown escape sequence.",
     "let s = \"a\\q\""},
    {"E-TIMEOUT", "out of time", "The script was stopped by --timeout.",
     ""},
    {"E-TRAIN", "cannot be trained", "The table lacks what the learner needs, a weight is invalid, or the model has nothing to learn.",
     "table t { a b ; 1 2 }\ntrain baseline() on t"},
    {"E-TYPE", "the wrong kind of value", "A value of another kind is needed, for example a number and not a list.",
     "1 + [2]"},
    {"E-UNDEFINED", "does not exist", "The quantity does not exist for this distribution or data. Examples are the mean of a Cauchy distribution and a correlation with a constant.",
     "mean(student_t(1))"},
    {"E-VARIABLE", "no such variable", "The model has no variable of that name. The message lists its variables.",
     "net A { X : 0.5 }\nP(Z) in A"},
    {"E-ZERO", "impossible evidence", "The evidence has probability zero, so no conditional probability exists. The message names the items that contradict each other or the model.",
     "net A { X : { a: 1, b: 0 } }\nP(X | X = b)"},
    {"N-NOTE", "a note", "A remark that does not stop the script, such as a tie, or rows left out because of missing cells.",
     "argmax {a: 1, b: 1}"},
    {"N-SHADOW", "a name was redefined", "The name now has a new meaning. The builtin or earlier declaration of that name is hidden from here on.",
     "let mean = 3"},
};
// clang-format on

static_assert(std::equal(std::begin(codes), std::end(codes), std::begin(rt::fault_codes), std::end(rt::fault_codes),
                         [](const CodeInfo& info, std::string_view code) { return info.code.text() == code; }),
              "each code has its row, in the same order");

}  // namespace

std::span<const CodeInfo> all_codes() { return codes; }

const CodeInfo* find_code(std::string_view code) {
    const auto same = [&](const CodeInfo& info) {
        const auto own = info.code.text();
        return std::equal(own.begin(), own.end(), code.begin(), code.end(),
                          [](char a, char b) { return a == (b >= 'a' && b <= 'z' ? b - 32 : b); });
    };
    const auto found = std::find_if(std::begin(codes), std::end(codes), same);
    return found == std::end(codes) ? nullptr : found;
}

}  // namespace credence::lang
