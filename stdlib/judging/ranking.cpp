// Judging probabilities by the order they put rows in, and by how often they come true.

#include <fmt/format.h>

#include "runtime/prob/models/empirical.hpp"
#include "stdlib/judging/judging.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

constexpr const char* ranked = "[0.9, 0.8, 0.3], [\"yes\", \"no\", \"yes\"]";

Result<rt::Ranking> ranking_by_model(CallContext& c, const ModelValue& m, const rt::TablePtr& t, const std::optional<rt::Label>& positive) {
    rt::Run run = judging_run(c);
    auto outcomes = rt::evaluate(*m.model, {.table = t.get(), .rows = {}}, {}, run);
    if (!outcomes) return placed(std::move(outcomes).fault(), c.argument(1));
    auto out = rt::ranking_of(*outcomes, positive);
    if (!out) return placed(std::move(out).fault(), positive ? c.argument(2) : c.argument(1));
    return out;
}

/// Scores beside labels.
Result<rt::Ranking> ranking_by_lists(CallContext& c, const Numbers& scores, const Items& actual, const std::optional<rt::Label>& positive) {
    if (scores.values.size() != actual.items->size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{} scores and {} labels", scores.values.size(), actual.items->size()),
                     .origin = c.argument(1)};
    rt::LabelOutcomes outcomes;
    std::vector<rt::Label> labels;
    for (const auto& item : *actual.items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("the second list has the labels, not {}", item.kind()), .origin = c.argument(1)};
        std::size_t k = 0;
        while (k < labels.size() && !(labels[k] == *label)) ++k;
        if (k == labels.size()) labels.push_back(*label);
        outcomes.actual.push_back(static_cast<std::int32_t>(k));
    }
    if (labels.empty()) return Fault{.code = "E-EMPTY", .message = "there is nothing to rank", .origin = c.argument(0)};
    // The score stands for the probability of every label, so whichever is chosen, rows are ranked by it.
    for (const auto& s : scores.values) outcomes.probabilities.insert(outcomes.probabilities.end(), labels.size(), s.real());
    outcomes.labels = rt::make_domain(std::move(labels));
    const rt::Label chosen = positive ? *positive : positive_of_listed(*outcomes.labels);
    auto out = rt::ranking_of(rt::Outcomes(std::move(outcomes)), chosen);
    if (!out) return placed(std::move(out).fault(), c.argument(positive ? 2 : 1));
    return out;
}

Value roc_table(const rt::Ranking& ranking) {
    std::vector<rt::Number> threshold;
    std::vector<rt::Number> false_positives;
    std::vector<rt::Number> true_positives;
    for (const auto& p : rt::roc_of(ranking)) {
        threshold.push_back(rt::Number::real(p.threshold));
        false_positives.push_back(p.false_positive_rate);
        true_positives.push_back(p.true_positive_rate);
    }
    return table_of_columns({number_column("threshold", threshold), number_column("false_positive_rate", false_positives),
                             number_column("true_positive_rate", true_positives)});
}

Value calibration_table(const rt::Ranking& ranking, std::size_t bins) {
    std::vector<rt::Number> columns[5];
    for (const auto& b : rt::calibration_of(ranking, bins)) {
        columns[0].push_back(b.low);
        columns[1].push_back(b.high);
        columns[2].push_back(b.rows);
        columns[3].push_back(rt::Number::real(b.predicted));
        columns[4].push_back(b.observed);
    }
    return table_of_columns({number_column("low", columns[0]), number_column("high", columns[1]), number_column("rows", columns[2]),
                             number_column("predicted", columns[3]), number_column("observed", columns[4])});
}

void add_curves(Registry& r) {
    const ParameterDoc positive{"positive", "the label declared last"};
    r.add(bind(
        {judging_subject,
         "roc",
         {{"model"}, {"t"}, positive},
         "The ROC curve as a table of threshold, false_positive_rate and true_positive_rate, from (0, 0) to (1, 1). Rows of equal "
         "probability share one threshold.",
         "rows(roc(train baseline() on weather, weather)) == 2"},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, std::optional<rt::Label> label) -> Result<Value> {
            auto ranking = TRY(ranking_by_model(c, m, t, label));
            return roc_table(ranking);
        }));
    r.add(bind(
        {judging_subject,
         "roc",
         {{"scores"}, {"actual"}, positive_of_lists},
         "The same for a list of scores and a list of labels.",
         std::string("rows(roc(") + ranked + ", positive: \"yes\")) == 4"},
        +[](CallContext& c, Numbers scores, Items actual, std::optional<rt::Label> label) -> Result<Value> {
            auto ranking = TRY(ranking_by_lists(c, scores, actual, label));
            return roc_table(ranking);
        }));
}

void add_areas(Registry& r) {
    const ParameterDoc positive{"positive", "the label declared last"};
    r.add(bind(
        {judging_subject,
         "auc",
         {{"model"}, {"t"}, positive},
         "The area under the ROC curve: the probability that a positive row gets a higher probability than a negative one. Ties count "
         "half.",
         "auc(train baseline() on weather, weather) == 1/2"},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, std::optional<rt::Label> label) -> Result<Value> {
            auto ranking = TRY(ranking_by_model(c, m, t, label));
            return Value(rt::auc_of(ranking));
        }));
    r.add(bind(
        {judging_subject,
         "auc",
         {{"scores"}, {"actual"}, positive_of_lists},
         "The same for a list of scores and a list of labels.",
         std::string("auc(") + ranked + ", positive: \"yes\") == 1/2"},
        +[](CallContext& c, Numbers scores, Items actual, std::optional<rt::Label> label) -> Result<Value> {
            auto ranking = TRY(ranking_by_lists(c, scores, actual, label));
            return Value(rt::auc_of(ranking));
        }));
}

}  // namespace

void add_ranking(Registry& r) {
    const ParameterDoc positive{"positive", "the label declared last"};
    add_curves(r);
    add_areas(r);
    r.add(bind(
        {judging_subject,
         "calibration",
         {{"model"}, {"t"}, {"bins", "10"}, positive},
         "How well predicted probabilities match observed frequencies. Rows are grouped into bins of equal width by the predicted "
         "probability of the positive label. Each bin has its mean prediction and observed share.",
         "calibration(train baseline() on weather, weather).observed == [1/3]"},
        +[](CallContext& c, ModelValue m, rt::TablePtr t, std::optional<Count> bins, std::optional<rt::Label> label) -> Result<Value> {
            const std::size_t n = bins ? bins->value : 10;
            if (n == 0 || n > 1000)
                return Fault{
                    .code = "E-PARAMETER", .message = fmt::format("bins must be from 1 to 1000, found {}", n), .origin = c.argument(2)};
            auto ranking = TRY(ranking_by_model(c, m, t, label));
            return calibration_table(ranking, n);
        }));
}

}  // namespace credence::std_
