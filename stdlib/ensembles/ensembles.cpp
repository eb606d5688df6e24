// Ensembles of trees: random_forest and boosted_trees.

#include <cmath>

#include <fmt/format.h>

#include "runtime/ensembles/boosted.hpp"
#include "runtime/ensembles/forest.hpp"
#include "runtime/ensembles/shared.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "trees";
constexpr std::size_t most_trees = 100'000;

Fault out_of_place(CallContext& c, std::size_t i, std::string message) {
    return {.code = "E-PARAMETER", .message = std::move(message), .origin = c.argument(i)};
}

/// A count of 1 or more.
Result<std::size_t> at_least_one(CallContext& c, std::size_t i, const Count& count, std::string_view name) {
    if (count.value == 0 || count.value > most_trees)
        return out_of_place(c, i, fmt::format("{} is a whole number from 1 to {}", name, most_trees));
    return count.value;
}

Result<Value> boosted_trees(CallContext& c, std::optional<Count> rounds, std::optional<Positive> rate, std::optional<Count> depth,
                            std::optional<Count> leaves, std::optional<Positive> min_rows, std::optional<rt::Number> ridge,
                            std::optional<Probability> sample, std::optional<Probability> validation, std::optional<Count> patience) {
    rt::BoostedOptions o;
    if (rounds) o.rounds = TRY(at_least_one(c, 0, *rounds, "rounds"));
    if (rate) o.rate = rate->value.real();
    if (depth) o.depth = TRY(at_least_one(c, 2, *depth, "depth"));
    if (leaves) o.leaves = TRY(at_least_one(c, 3, *leaves, "leaves"));
    if (o.leaves == 1) return out_of_place(c, 3, "a tree of one leaf tests nothing: leaves is 2 or more");
    if (min_rows) o.min_rows = min_rows->value.real();
    if (ridge && ridge->sign() < 0) return out_of_place(c, 5, "ridge is a number, 0 or more");
    if (ridge) o.ridge = ridge->real();
    if (sample && sample->value.sign() == 0) return out_of_place(c, 6, "sample is a share of the rows above 0");
    if (sample) o.sample = sample->value.real();
    if (validation) o.validation = validation->value.real();
    if (patience && o.validation == 0) return out_of_place(c, 8, "patience is for training with validation, as validation: 0.2");
    if (patience) o.patience = TRY(at_least_one(c, 8, *patience, "patience"));
    return learner_value(rt::make_boosted_trees(o));
}

Result<Value> random_forest(CallContext& c, std::optional<Count> trees, std::optional<Count> columns, std::optional<Count> depth,
                            std::optional<Positive> min_rows, std::optional<Positive> sample) {
    rt::ForestOptions o;
    if (trees) o.trees = TRY(at_least_one(c, 0, *trees, "trees"));
    if (columns) o.columns = TRY(at_least_one(c, 1, *columns, "columns"));
    if (depth) o.depth = TRY(at_least_one(c, 2, *depth, "depth"));
    if (min_rows) o.min_rows = min_rows->value.real();
    if (sample) o.sample = sample->value.real();
    if (o.sample > 10) return out_of_place(c, 4, "sample is a share of the rows, at most 10");
    return learner_value(rt::make_random_forest(o));
}

Value importance_value(const ModelValue& m, std::span<const double> importance) {
    return Value(Value::Node(std::get<rt::TablePtr>(rt::importance_part(m.model->predictor()->schema(), importance).value)));
}

void add_ensemble_members(Registry& r) {
    const std::string boosted = "(train boosted_trees(rounds: 3) on line)";
    const std::string forest = "(train random_forest(trees: 5) on line)";
    const char* importance =
        "A table of the columns and their importance: the share that tests on the column have in all that the trees gained.";
    r.add_member("boosted_trees",
                 bind(
                     {subject, "importance", {{"model"}}, importance, "sum(" + boosted + ".importance.importance) <= 1.000001"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto part = TRY(model_as<rt::BoostedPart>(m, "importance"));
                         return importance_value(m, part->boosted().importance);
                     }));
    r.add_member("random_forest",
                 bind(
                     {subject, "importance", {{"model"}}, importance, "sum(" + forest + ".importance.importance) <= 1.000001"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto part = TRY(model_as<rt::ForestPart>(m, "importance"));
                         return importance_value(m, part->forest().importance);
                     }));
    r.add_member("boosted_trees", bind(
                                      {subject,
                                       "history",
                                       {{"model"}},
                                       "The mean loss of the training rows at the start and after each round: half the squared error, or "
                                       "-ln P of the label.",
                                       "count(" + boosted + ".history) == 4"},
                                      +[](CallContext&, ModelValue m) -> Result<Value> {
                                          auto part = TRY(model_as<rt::BoostedPart>(m, "history"));
                                          return numbers_value(part->boosted().history);
                                      }));
    r.add_member("boosted_trees", bind(
                                      {subject,
                                       "validation",
                                       {{"model"}},
                                       "The mean loss of the rows kept back, at the start and after each round; empty without validation.",
                                       boosted + ".validation == []"},
                                      +[](CallContext&, ModelValue m) -> Result<Value> {
                                          auto part = TRY(model_as<rt::BoostedPart>(m, "validation"));
                                          return numbers_value(part->boosted().validation);
                                      }));
    r.add_member("random_forest",
                 bind(
                     {subject,
                      "out_of_bag",
                      {{"model"}},
                      "How the forest does on rows that are new to a tree: each row is predicted by the trees that were grown without it. "
                      ".score is the accuracy, or the rmse; .rows are the rows that some tree did not see.",
                      forest + ".out_of_bag.score >= 0"},
                     +[](CallContext&, ModelValue m) -> Result<Value> {
                         auto part = TRY(model_as<rt::ForestPart>(m, "out_of_bag"));
                         const rt::OutOfBag& bag = part->forest().out_of_bag;
                         if (bag.rows == 0) return Fault{.code = "E-EMPTY", .message = "every tree saw every row"};
                         Record out;
                         out.entries = {{"score", number_value(bag.score)},
                                        {"rows", bag.rows == std::floor(bag.rows)
                                                     ? Value(rt::Number(rt::Rational(static_cast<std::int64_t>(bag.rows))))
                                                     : number_value(bag.rows)}};
                         return Value::record(std::move(out));
                     }));
}

}  // namespace

void add_ensembles(Registry& r) {
    r.add_learner(bind({subject,
                        "boosted_trees",
                        {{"rounds", "100"},
                         {"rate", "0.1"},
                         {"depth", "unlimited"},
                         {"leaves", "31, or 2^depth"},
                         {"min_rows", "20, or fewer for under 400 rows"},
                         {"ridge", "0"},
                         {"sample", "1"},
                         {"validation", "0"},
                         {"patience", "10"}},
                        "A learner of boosted trees: each round adds a tree that follows the gradient of the loss, the squared error for "
                        "numbers, -ln P for labels (softmax for several). Numbers are cut into at most 255 bins. A missing cell goes the "
                        "way that fits better. depth: 1 gives stumps. `sample` is the share of the rows drawn in each round. With "
                        "`validation`, that share of the rows is kept back, and boosting ends after `patience` rounds without a smaller "
                        "loss of theirs.",
                        "abs(predict(train boosted_trees() on line, <2>) - 5) < 0.1"},
                       boosted_trees));
    r.add_learner(bind({subject,
                        "random_forest",
                        {{"trees", "100"},
                         {"columns", "the square root of their number; all for numbers"},
                         {"depth", "unlimited"},
                         {"min_rows", "1"},
                         {"sample", "1"}},
                        "A learner of random forests: the mean of trees grown from rows drawn with replacement (`sample` times as many as "
                        "there are). Each test is the best of some columns drawn at random, by the Gini impurity or the squared error. A "
                        "missing cell goes the way that fits better.",
                        "predict(train random_forest() on line, <2>) > 2"},
                       random_forest));
    add_ensemble_members(r);
    r.add_loader("boosted_trees", rt::load_boosted_trees);
    r.add_loader("random_forest", rt::load_random_forest);
}

}  // namespace credence::std_
