#include "lang/syntax/habits.hpp"

#include <fmt/format.h>

#include <algorithm>
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
constexpr std::string_view say_of_model = "a query names its model after it: P(X | Y = a) in MODEL";
constexpr std::string_view say_variance = "variance(xs) and sd(xs) of a list; of a variable X variance(P(X)) and sd(P(X))";
constexpr std::string_view say_covariance = "of lists and tables it is covariance(…); of the variables of a model, E(X * Y) - E(X) * E(Y)";
constexpr std::string_view say_normal = "the normal distribution is normal(mean, sd), with the standard deviation";
constexpr std::string_view say_die = "a die is a node of a net: D : uniform(1..6)";
constexpr std::string_view say_counting = "count(xs) counts items and rows, length(text) the characters of a text";
constexpr std::string_view say_judging =
    "a model is judged by evaluate(model, table): .accuracy .confusion .precision .recall .f1, or .rmse .mae .r2";
constexpr std::string_view say_interval =
    "credible_interval(P(X | …)) holds X with 95 % probability; summary(model) has confidence intervals of weights";
constexpr std::string_view say_filling = "impute(t) fills missing cells, drop_missing(t) leaves out the rows that have them";
constexpr std::string_view say_plotting =
    "plot(xs) draws values, plot(xs, kind: histogram) their histogram, plot(t, kind: scatter) two columns";
constexpr std::string_view say_encoding = "encode(t) makes columns of 0 and 1 of label columns";
constexpr std::string_view say_saving = "tables and models are written by save(x, \"file.csv\")";
constexpr std::string_view say_sigmoid = "the logistic function is sigmoid(x)";
constexpr std::string_view say_infinity = "the infinite number is ∞, or infinity()";
constexpr std::string_view say_splitting = "split(t, 2/3) gives two tables: [train, test]";
constexpr std::string_view say_trees = "one tree is decision_tree(), id3() or c45()";
constexpr std::string_view say_neighbours = "the nearest neighbours decide in knn(k: 5)";
constexpr std::string_view say_network = "a network of layers is neural(hidden: [8])";
constexpr std::string_view say_mean = "the mean of a list is mean(xs), of a variable E(X)";
constexpr std::string_view say_comparing = "anova(t, p: true) compares the means of groups of rows, compare(a, b, t) two learners";
constexpr std::string_view say_folds = "cross_validate(learner, t, folds: 10)";
constexpr std::string_view say_draw = "a draw is written sample from uniform(0, 1), ten of them sample 10 from uniform(0, 1)";
constexpr std::string_view say_correlation = "correlation(xs, ys), or correlation(t) for all columns";
constexpr std::string_view say_stan =
    "unknown numbers are nodes of a net: net M { mu ~ normal(0, 1); y ~ normal(mu, 1) }, asked P(mu | y = 3)";
constexpr std::string_view say_combinations = "n over k is choose(n, k)";
constexpr std::string_view say_leaving = "a session is left with :quit or Ctrl-D, a script at its end";

// clang-format off
/// What other languages write, or a word processor makes of what was typed.
constexpr auto symbol_habits = std::to_array<Habit>({
    {"&&", "write and"}, {"&", "write and"}, {"||", "write or"}, {"!", "write not", "!= is 'not equal'"},
    {"**", "write ^"}, {":=", "write =", "let x = 3 names a value"}, {"=>", "write ->"}, {"<>", "write !="},
    {"//", "comments start with #"}, {"%", "the remainder is mod, as in 7 mod 3", "directly after a number, % makes a percentage: 98%"},
    {"≤", "write <="}, {"≥", "write >="}, {"≠", "write !="}, {"×", "write *"}, {"·", "write *"}, {"÷", "write /"}, {"−", "write -"},
    {"–", "write -"}, {"→", "write ->"}, {"∈", "write in"}, {"∧", "write and"}, {"∨", "write or"}, {"∩", "write and"}, {"∪", "write or"}, {"¬", "write not"}, {"…", "write .."},
    {"“", say_straight}, {"”", say_straight}, {"„", say_straight}, {"‘", say_straight}, {"’", say_straight}, {"\u00A0", "a no-break space; write a plain one"},
    {"$", "write .", "a column of a table is t.age, an entry of a record r.x"},
    {"≈", "write == with a tolerance: a == b within 1e-6"}, {"``", "a name in backticks is not empty"}, {"\\", "a \\ has a meaning inside texts only"},
});

constexpr auto statement_habits = std::to_array<Habit>({
    {"def", say_functions}, {"func", say_functions}, {"define", say_functions}, {"function", say_functions}, {"var", say_values}, {"const", say_values}, {"val", say_values},
    {"print", "a bare expression prints its value"}, {"assert", "checks are written expect a == b"},
    {"model", "models are net, hypotheses, mixture, hmm"}, {"network", "a Bayes net is written net NAME { … }"},
    {"hypothesis", "did you mean hypotheses?"}, {"include", "modules are read with import \"name\""},
    {"library", "modules are read with import \"name\""}, {"using", "modules are read with import \"name\""},
    {"where", "where follows its function on the same line"}, {"return", "a function is one expression: fn f(x) = …"},
    {"data", say_stan}, {"parameters", say_stan}, {"transformed", say_stan}, {"generated", say_stan},
    {"real", say_stan}, {"int", say_stan}, {"vector", say_stan}, {"matrix", say_stan},
    {"observe", "what is known comes after the bar of a query: P(X | k = 3)"}, {"condition", "what is known comes after the bar of a query: P(X | k = 3)"},
    {"lambda", say_lambda}, {"while", say_steps}, {"repeat", say_steps}, {"help", "on the command line it is credence help NAME, in a session help NAME"},
});

constexpr auto operator_habits = std::to_array<Habit>({
    {"AND", "write and"}, {"And", "write and"}, {"OR", "write or"}, {"Or", "write or"}, {"XOR", "write !="}, {"xor", "write !="},
    {"is", "write =="}, {"eq", "write =="}, {"equals", "write =="}, {"isnt", "write !="}, {"MOD", "write mod"}, {"div", "write floor(a / b)"},
    {"to", "write .., as in 1..3"}, {"elif", "write else if"}, {"elsif", "write else if"}, {"elseif", "write else if"}, {"ELSE", "write else"}, {"given", "write |"},
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
    {"N", say_normal}, {"gaussian", say_normal}, {"Gaussian", say_normal}, {"dnorm", "a density is pdf(normal(0, 1), x)"}, {"dbinom", "a probability is pdf(binomial(n, p), k)"}, {"pbinom", "cdf(binomial(n, p), k)"}, {"rbinom", "draws are written sample 10 from binomial(n, p)"}, {"dpois", "a probability is pdf(poisson(mean), k)"}, {"ppois", "cdf(poisson(mean), k)"}, {"rpois", "draws are written sample 10 from poisson(mean)"},
    {"nCr", say_combinations}, {"comb", say_combinations}, {"combinations", say_combinations}, {"binom", say_combinations}, {"ncr", say_combinations}, {"gammaln", "the logarithm of the gamma function is lgamma(x)"}, {"die", say_die}, {"dice", say_die}, {"roll", say_die}, {"d6", say_die},
    {"reduce", "fold(xs, start, f) combines the items of a list"}, {"append", say_unchanged}, {"push", say_unchanged},
    {"str", "values become text in braces: \"{x}\""}, {"float", "real(x) is the nearest double, exact(x) its fraction"},
    {"int", "floor(x), round(x) and ceil(x) make whole numbers"}, {"set_seed", "the seed is set by set seed 1"},
    {"log", "ln(x) is the natural logarithm; there are log2(x) and log10(x)"}, {"pow", "a power is written x^2"}, {"logistic_regression", "it is train logistic() on t"}, {"linear_regression", "it is train regression() on t"},
    {"random_forest_classifier", say_trees}, {"RandomForestClassifier", say_trees},
    {"accuracy", say_judging}, {"confusion", say_judging}, {"confusion_matrix", say_judging}, {"f1", say_judging}, {"f1_score", say_judging}, {"precision", say_judging},
    {"recall", say_judging}, {"score", say_judging}, {"mse", say_judging}, {"rmse", say_judging}, {"mae", say_judging}, {"r2", say_judging}, {"accuracy_score", say_judging},
    {"stddev", "the standard deviation is sd(xs)"}, {"cumsum", "running sums are cumulative(xs)"}, {"tail", "the last three items or rows are take(reverse(xs), 3), the last one last(xs)"},
    {"shape", "count(t) counts the rows of a table, columns(t) names its columns"}, {"cor", say_correlation},
    {"standardize", "scale(t) gives columns mean 0 and standard deviation 1"}, {"one_hot", say_encoding}, {"get_dummies", say_encoding}, {"dummies", say_encoding},
    {"as_target", "with_target(t, Column) sets the target of a table"}, {"target", "with_target(t, Column) sets the target of a table"}, {"set_target", "with_target(t, Column) sets the target of a table"},
    {"dropna", say_filling}, {"fillna", say_filling}, {"na_omit", say_filling}, {"group_by", "groups of rows are group(t, Column)"}, {"groupby", "groups of rows are group(t, Column)"},
    {"merge", "tables are joined by join(a, b, on: Column)"}, {"crosstab", "P(A, B) in t has the share of every pair of values"}, {"hist", say_plotting}, {"histogram", say_plotting}, {"boxplot", say_plotting}, {"scatter", say_plotting},
    {"forest", say_trees}, {"boosting", say_trees}, {"xgboost", say_trees}, {"lm", "linear regression is train regression() on t"}, {"glm", "generalised linear models are regression(noise: …) and logistic()"},
    {"lasso", "a penalised regression is ridge(lambda)"}, {"svd", "principal components are pca(t)"}, {"hdi", say_interval}, {"interval", say_interval}, {"confidence_interval", say_interval}, {"percentile", "quantile(xs, 0.9)"},
    {"pmf", "a probability is pdf(d, x), or P(X = x) of a model"}, {"pnorm", "cdf(normal(0, 1), x)"}, {"qnorm", "quantile(normal(0, 1), p)"}, {"logit", "the logit is ln(p / (1 - p))"}, {"expit", say_sigmoid}, {"inv_logit", say_sigmoid}, {"inf", say_infinity}, {"Inf", say_infinity},
    {"odds", "the odds are p / (1 - p)"}, {"mutual_information", "mutual information is I(X; Y) in a model or a table"}, {"train_test_split", say_splitting},
    {"write_csv", say_saving}, {"to_csv", say_saving}, {"load_csv", "files are read by load(\"data.csv\")"}, {"enumerate", "numbered items are zip(1..count(xs), xs)"}, {"linspace", "evenly spaced numbers are [a + (b - a) * i / n for i in 0..n]"},
    {"rnorm", "draws are written sample 10 from normal(0, 1)"}, {"random", say_draw}, {"rand", say_draw}, {"runif", say_draw}, {"randint", "a draw is written sample from uniform(1..6)"},
    {"tree", say_trees}, {"trees", say_trees}, {"dtree", say_trees}, {"rpart", say_trees}, {"cart", say_trees}, {"j48", say_trees}, {"DecisionTreeClassifier", say_trees},
    {"nearest_neighbours", say_neighbours}, {"nearest_neighbors", say_neighbours}, {"k_nearest_neighbors", say_neighbours}, {"k_nearest_neighbours", say_neighbours}, {"KNeighborsClassifier", say_neighbours},
    {"mlp", say_network}, {"nn", say_network}, {"neural_network", say_network}, {"network", say_network}, {"avg", say_mean}, {"average", say_mean}, {"probability", say_queries},
    {"t_test", say_comparing}, {"ttest", say_comparing}, {"aov", say_comparing}, {"corr", say_correlation}, {"cv", say_folds}, {"crossval", say_folds}, {"cross_val_score", say_folds}, {"cross_validation", say_folds},
    {"help", "on the command line it is credence help NAME, in a session help NAME"}, {"em", "a model with holes is trained by EM: train M on t by em(restarts: 5)"},
});

constexpr auto value_habits = std::to_array<Habit>({
    {"T", "write true"}, {"F", "write false"}, {"True", "write true"}, {"TRUE", "write true"}, {"False", "write false"}, {"FALSE", "write false"},
    {"None", say_no_nothing}, {"null", say_no_nothing}, {"NULL", say_no_nothing}, {"nil", say_no_nothing}, {"NA", say_no_nothing}, {"NaN", say_no_nothing}, {"nan", say_no_nothing},
    {"pi", "there is no constant pi: let pi = 3.141592653589793"}, {"PI", "there is no constant pi: let pi = 3.141592653589793"}, {"undefined", say_no_nothing}, {"exit", say_leaving}, {"quit", say_leaving},
});

constexpr auto member_habits = std::to_array<Habit>({
    {"P", say_of_model}, {"E", say_of_model}, {"argmax", say_of_model}, {"query", say_of_model}, {"predict", "predict(model, table) is a function"},
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
