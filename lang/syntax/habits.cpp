#include "lang/syntax/habits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace credence::lang {

namespace {

constexpr std::string_view say_functions = "functions are written fn f(x) = …";
constexpr std::string_view say_lambda = "a function without a name is written x -> x + 1";
constexpr std::string_view say_values = "values are named with let x = …";
constexpr std::string_view say_straight = "texts use straight double quotes: \"";
constexpr std::string_view say_printing = "a value alone on its line is printed; put values into a text with \"x is {x}\"";
constexpr std::string_view say_steps =
    "there are no loops: make a list from another with [x^2 for x in 1..3], or let a function call itself";
constexpr std::string_view say_no_nothing = "there is no empty value; write a missing cell of a table as ?";
constexpr std::string_view say_unchanged = "a list is never changed: concat(xs, [x]) is a new one";
constexpr std::string_view say_queries = "queries are written P(X | Y = a)";
constexpr std::string_view say_variance = "the variance of X is variance(P(X)), its standard deviation sd(P(X))";
constexpr std::string_view say_covariance = "the covariance of X and Y is E(X * Y) - E(X) * E(Y)";
constexpr std::string_view say_normal = "the normal distribution is normal(mean, sd), with the standard deviation";
constexpr std::string_view say_die = "a die is a node of a net: D : uniform(1..6)";
constexpr std::string_view say_counting = "count(xs) counts items and rows, length(text) the characters of a text";
constexpr std::string_view say_leaving = "leave a session with :quit or Ctrl-D; a script ends after its last line";

// clang-format off
/// What other languages write, or a word processor makes of what was typed.
constexpr auto symbol_habits = std::to_array<Habit>({
    {"&&", "write and"}, {"&", "write and"}, {"||", "write or"}, {"!", "write not", "!= is 'not equal'"},
    {"**", "write ^"}, {":=", "write =", "let x = 3 names a value"}, {"=>", "write ->"}, {"<>", "write !="},
    {"//", "comments start with #"}, {"%", "the remainder is mod, as in 7 mod 3", "directly after a number, % makes a percentage: 98%"},
    {"≤", "write <="}, {"≥", "write >="}, {"≠", "write !="}, {"×", "write *"}, {"·", "write *"}, {"÷", "write /"}, {"−", "write -"},
    {"–", "write -"}, {"→", "write ->"}, {"∈", "write in"}, {"∧", "write and"}, {"∨", "write or"}, {"∩", "write and"}, {"∪", "write or"}, {"¬", "write not"}, {"…", "write .."},
    {"“", say_straight}, {"”", say_straight}, {"„", say_straight}, {"‘", say_straight}, {"’", say_straight}, {"\u00A0", "a no-break space; write a plain one"},
    {"``", "a name in backticks is not empty"}, {"\\", "a \\ has a meaning inside texts only"},
});

constexpr auto statement_habits = std::to_array<Habit>({
    {"def", say_functions}, {"func", say_functions}, {"define", say_functions}, {"function", say_functions}, {"var", say_values}, {"const", say_values}, {"val", say_values},
    {"print", "a bare expression prints its value"}, {"assert", "checks are written expect a == b"},
    {"model", "models are net, hypotheses, mixture, hmm"}, {"network", "a Bayes net is written net NAME { … }"},
    {"hypothesis", "did you mean hypotheses?"}, {"include", "modules are read with import \"name\""},
    {"library", "modules are read with import \"name\""}, {"using", "modules are read with import \"name\""},
    {"where", "where follows its function on the same line"}, {"return", "a function is one expression: fn f(x) = …"},
    {"lambda", say_lambda}, {"while", say_steps}, {"repeat", say_steps}, {"help", "on the command line it is credence help NAME, in a session help NAME"},
});

constexpr auto operator_habits = std::to_array<Habit>({
    {"AND", "write and"}, {"And", "write and"}, {"OR", "write or"}, {"Or", "write or"}, {"XOR", "write !="}, {"xor", "write !="},
    {"is", "write =="}, {"eq", "write =="}, {"equals", "write =="}, {"isnt", "write !="}, {"MOD", "write mod"}, {"div", "write floor(a / b)"},
    {"elif", "write else if"}, {"elsif", "write else if"}, {"elseif", "write else if"}, {"ELSE", "write else"}, {"given", "write |"},
});

constexpr auto prefix_habits = std::to_array<Habit>({
    {"lambda", say_lambda}, {"function", say_lambda},
    {"return", "a function is one expression and returns its value: fn f(x) = x + 1"}, {"new", "call the function to make a value"},
    {"NOT", "write not"}, {"Not", "write not"}, {"IF", "write if"}, {"await", "there is nothing to wait for"},
});

constexpr auto call_habits = std::to_array<Habit>({
    {"print", say_printing}, {"println", say_printing}, {"show", say_printing}, {"display", say_printing}, {"echo", say_printing}, {"cat", say_printing}, {"puts", say_printing},
    {"len", say_counting},
    {"size", say_counting},
    {"nrow", say_counting},
    {"range", "numbers from 1 to 10 are written 1..10"}, {"seq", "numbers from 1 to 10 are written 1..10"},
    {"import", "read a file with load(\"data.csv\")"}, {"read_csv", "read a file with load(\"data.csv\")"},
    {"read", "read a file with load(\"data.csv\")"}, {"open", "read a file with load(\"data.csv\")"},
    {"fit", "fit a model with train learner(…) on table"}, {"Pr", say_queries}, {"Prob", say_queries}, {"prob", say_queries}, {"c", "a list is written [1, 2, 3]"}, {"list", "a list is written [1, 2, 3]"},
    {"array", "a list is written [1, 2, 3]"}, {"dict", "a record is written {a: 1, b: 2}"},
    {"exit", say_leaving}, {"quit", say_leaving}, {"Var", say_variance}, {"var", say_variance}, {"V", say_variance},
    {"SD", say_variance}, {"std", say_variance}, {"stdev", say_variance}, {"Cov", say_covariance}, {"cov", say_covariance},
    {"N", say_normal}, {"gaussian", say_normal}, {"Gaussian", say_normal}, {"dnorm", "a density is pdf(normal(0, 1), x)"}, {"die", say_die}, {"dice", say_die}, {"roll", say_die}, {"d6", say_die},
    {"reduce", "fold(xs, start, f) combines the items of a list"}, {"append", say_unchanged}, {"push", say_unchanged},
    {"str", "values become text in braces: \"{x}\""}, {"float", "real(x) is the nearest double, exact(x) its fraction"},
    {"int", "floor(x), round(x) and ceil(x) make whole numbers"}, {"set_seed", "set the seed with set seed 1"},
    {"rnorm", "draws are written sample 10 from normal(0, 1)"}, {"random", "a draw is written sample from uniform(0, 1)"},
});

constexpr auto value_habits = std::to_array<Habit>({
    {"True", "write true"}, {"TRUE", "write true"}, {"False", "write false"}, {"FALSE", "write false"},
    {"None", say_no_nothing}, {"null", say_no_nothing}, {"NULL", say_no_nothing}, {"nil", say_no_nothing}, {"NA", say_no_nothing}, {"NaN", say_no_nothing}, {"nan", say_no_nothing},
    {"undefined", say_no_nothing}, {"exit", say_leaving}, {"quit", say_leaving},
});

constexpr auto member_habits = std::to_array<Habit>({
    {"append", say_unchanged}, {"push", say_unchanged}, {"add", say_unchanged}, {"push_back", say_unchanged}, {"extend", say_unchanged},
    {"length", say_counting}, {"len", say_counting}, {"size", say_counting}, {"shape", "count(t) counts the rows of a table, t.columns names its columns"},
    {"fit", "fit a model with train learner(…) on table"}, {"filter", "keep(xs, f) keeps the items for which f is true"},
});
// clang-format on

const Habit* find_habit(std::span<const Habit> table, std::string_view word) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Habit& h) { return h.found == word; });
    return found == table.end() ? nullptr : &*found;
}

std::string_view advice(std::span<const Habit> table, std::string_view word) {
    const Habit* habit = find_habit(table, word);
    return habit ? habit->label : std::string_view();
}

}  // namespace

const Habit* foreign_symbol(std::string_view sign) { return find_habit(symbol_habits, sign); }
std::string_view foreign_statement(std::string_view first_word) { return advice(statement_habits, first_word); }
std::string_view foreign_operator(std::string_view word) { return advice(operator_habits, word); }
std::string_view foreign_prefix(std::string_view word) { return advice(prefix_habits, word); }
std::string_view foreign_value(std::string_view name) { return advice(value_habits, name); }
std::string_view foreign_member(std::string_view name) { return advice(member_habits, name); }

std::string foreign_function(std::string_view name) {
    if (name.size() == 1 && std::string_view("pehil").find(name[0]) != std::string_view::npos)
        return fmt::format("queries begin with a capital letter: {}(…)", static_cast<char>(name[0] - 'a' + 'A'));
    return std::string(advice(call_habits, name));
}

}  // namespace credence::lang
