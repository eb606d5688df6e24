// What trained ensembles show. The learners are records of runtime/ensembles.

#include "runtime/ensembles/boosted.hpp"
#include "runtime/ensembles/forest.hpp"
#include "runtime/ensembles/shared.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

constexpr const char* subject = "trees";

Value importance_value(const ModelValue& m, std::span<const double> importance) {
    return Value(Value::Node(std::get<rt::TablePtr>(rt::importance_part(m.model->predictor()->schema(), importance).value)));
}

}  // namespace

void add_ensembles(Registry& r) {
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

}  // namespace credence::std_
