// Choosing: which parameters, which learner, and whether more rows would help.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lang/builtin/registry.hpp"
#include "lang/value/show.hpp"
#include "stdlib/judging/judging.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

using Parameters = std::vector<std::pair<std::string, Value>>;

constexpr std::size_t most_combinations = 10'000;

/// Every combination of the lists, the last one fastest.
Result<std::vector<Parameters>> combinations(const Record& lists, rt::Origin origin) {
    std::size_t all = 1;
    for (const auto& [name, value] : lists.entries) {
        const List* items = value.items();
        if (!items || items->empty())
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} needs a list of values to try, found {}", name, items ? "an empty one" : value.kind()),
                         .origin = origin,
                         .hint = fmt::format("as in {{{}: [1, 3, 5]}}", name)};
        all *= items->size();
        if (all > most_combinations)
            return Fault{
                .code = "E-COST", .message = fmt::format("the grid has more than {} combinations", most_combinations), .origin = origin};
    }
    std::vector<Parameters> out;
    for (std::size_t i = 0; i < all; ++i) {
        Parameters one;
        std::size_t rest = i;
        std::size_t block = all;
        for (const auto& [name, value] : lists.entries) {
            block /= value.items()->size();
            one.emplace_back(name, (*value.items())[rest / block]);
            rest %= block;
        }
        out.push_back(std::move(one));
    }
    return out;
}

/// A builtin called with all its arguments by name.
Result<Value> call_by_name(CallContext& c, const Builtin& builtin, const Parameters& given) {
    std::vector<std::string> names;
    for (const auto& [name, value] : given) names.push_back(name);
    auto matched = match_arguments(builtin, 0, names);
    if (auto* mismatch = std::get_if<Mismatch>(&matched)) return std::move(mismatch->fault);
    const auto& matching = std::get<Matching>(matched);
    std::vector<std::optional<Value>> arguments(builtin.parameters.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!matching.argument_of[i]) continue;
        const Value& value = given[*matching.argument_of[i]].second;
        if (auto refused = refusal(value, builtin.parameters[i])) return *std::move(refused);
        arguments[i] = value;
    }
    return builtin.native(c, arguments);
}

/// The learner made again with some parameters changed.
Result<Value> with_parameters(CallContext& c, const LearnerValue& learner, const Parameters& changed, rt::Origin origin) {
    Parameters all = learner.parameters;
    for (const auto& [name, value] : changed) {
        const auto at = std::find_if(all.begin(), all.end(), [&, &key = name](const auto& p) { return p.first == key; });
        if (at == all.end())
            all.emplace_back(name, value);
        else
            at->second = value;
    }
    std::optional<Fault> why;
    for (const auto& form : c.registry().find(learner.name)->forms) {
        auto made = call_by_name(c, form, all);
        if (made) {
            LearnerValue behind = **made->get<LearnerValuePtr>();
            behind.before = learner.before;
            return Value(Value::Node(prepared_learner(std::move(behind))));
        }
        if (!why) why = std::move(made).fault();
    }
    why->origin = origin;
    return *std::move(why);
}

/// A column of what was tried: numbers stay numbers, all else is shown.
Result<rt::ColumnPtr> tried_column(CallContext& c, const std::string& name, const std::vector<Parameters>& all, std::size_t at) {
    rt::ColumnBuilder column(name, rt::ColumnBuilder::Range::with_infinity);
    for (const auto& parameters : all) {
        const Value& v = parameters[at].second;
        const auto label = v.as_label();
        column.add(label ? *label : rt::Label::of_text(show_inline(v, c.show())));
    }
    return std::move(column).finish();
}

Result<Value> grid_of(CallContext& c, const LearnerValuePtr& learner, const SettingLists& settings, const rt::TablePtr& t,
                      const std::optional<Setting>& folds) {
    auto all = TRY(combinations(*settings.lists, c.argument(1)));
    auto plan = TRY(fold_plan(folds, c.argument(3)));
    std::vector<Value> values;
    std::vector<rt::LearnerPtr> learners;
    std::string counts;
    for (const auto& parameters : all) {
        auto made = with_parameters(c, *learner, parameters, c.argument(1));
        if (!made) return made;
        auto given = TRY(learner_given(c, *made, c.argument(0)));
        counts = given.counts;
        learners.push_back(given.learner);
        values.push_back(*std::move(made));
    }
    auto weights = row_weights(*t, counts);
    if (!weights) return placed(std::move(weights).fault(), c.argument(1));
    rt::Run run = judging_run(c);
    auto done = rt::cross_validate(learners, *t, plan, *weights, run);
    if (!done) {
        Fault fault = std::move(done).fault();
        return placed(fault, c.argument(fault.code == "E-PARAMETER" && folds ? 3 : 2));
    }
    std::size_t best = 0;
    std::vector<rt::Number> scores;
    std::vector<rt::Number> errors;
    const auto measure = rt::score_name((*done)[0].held_out);
    for (std::size_t i = 0; i < done->size(); ++i) {
        scores.push_back(rt::score_of((*done)[i].held_out));
        errors.push_back(rt::Number::real(rt::spread_of((*done)[i].scores).standard_error));
        if (measure == "rmse" ? scores[i] < scores[best] : scores[best] < scores[i]) best = i;
    }
    const auto ties = std::count_if(scores.begin(), scores.end(), [&](const rt::Number& s) { return s == scores[best]; });
    if (ties > 1) c.note(fmt::format("{} combinations share the best score; the first is used", ties));
    std::vector<rt::ColumnPtr> columns;
    for (std::size_t k = 0; k < settings.lists->entries.size(); ++k) {
        auto column = TRY(tried_column(c, settings.lists->entries[k].first, all, k));
        columns.push_back(std::move(column));
    }
    columns.push_back(number_column(std::string(measure), scores));
    columns.push_back(number_column("standard_error", errors));
    Record chosen;
    chosen.entries = all[best];
    Record out;
    out.entries = {{"best", Value::record(std::move(chosen))},
                   {"learner", values[best]},
                   {"score", Value(scores[best])},
                   {"measure", Value::text(std::string(measure))},
                   {"table", table_of_columns(std::move(columns))}};
    return Value::record(std::move(out));
}

Result<Value> curve_of(CallContext& c, const Value& learner, const rt::TablePtr& t, const std::optional<Numbers>& sizes,
                       const std::optional<Setting>& folds) {
    auto given = TRY(learner_given(c, learner, c.argument(0)));
    auto plan = TRY(fold_plan(folds, c.argument(3)));
    std::vector<std::size_t> wanted;
    if (sizes)
        for (const auto& n : sizes->values) {
            auto count = Take<Count>::from(Value(n), Parameter{.name = "sizes", .type = Type::count});
            if (!count) return placed(std::move(count).fault(), c.argument(2));
            wanted.push_back(count->value);
        }
    auto weights = row_weights(*t, given.counts);
    if (!weights) return placed(std::move(weights).fault(), c.argument(0));
    rt::Run run = judging_run(c);
    auto curve = rt::learning_curve(*given.learner, *t, std::move(wanted), plan, *weights, run);
    if (!curve) {
        Fault fault = std::move(curve).fault();
        return placed(fault, c.argument(fault.code == "E-PARAMETER" ? (sizes ? 2 : 3) : 1));
    }
    std::vector<rt::Number> columns[4];
    const rt::Number none = rt::Number::real(std::numeric_limits<double>::infinity());
    for (const auto& p : curve->points) {
        columns[0].push_back(rt::Number(static_cast<int>(p.size)));
        columns[1].push_back(p.train ? p.train->mean : none);
        columns[2].push_back(p.test ? p.test->mean : none);
        columns[3].push_back(p.test ? rt::Number::real(p.test->standard_error) : none);
    }
    return table_of_columns({number_column("size", columns[0]), number_column("train_score", columns[1]),
                             number_column("test_score", columns[2]), number_column("standard_error", columns[3])});
}

Result<Value> compared(CallContext& c, const Value& a, const Value& b, const rt::TablePtr& t, const std::optional<Setting>& folds,
                       const std::optional<Probability>& level) {
    auto first = TRY(learner_given(c, a, c.argument(0)));
    auto second = TRY(learner_given(c, b, c.argument(1)));
    auto plan = TRY(fold_plan(folds, c.argument(3)));
    const double sure = level ? level->value.real() : 0.95;
    if (!(sure > 0 && sure < 1))
        return Fault{.code = "E-PARAMETER", .message = "level must lie between 0 and 1, as 0.95 does", .origin = c.argument(4)};
    auto weights = row_weights(*t, first.counts);
    if (!weights) return placed(std::move(weights).fault(), c.argument(0));
    rt::Run run = judging_run(c);
    const rt::LearnerPtr both[] = {first.learner, second.learner};
    auto done = rt::cross_validate(both, *t, plan, *weights, run);
    if (!done) {
        Fault fault = std::move(done).fault();
        return placed(fault, c.argument(fault.code == "E-PARAMETER" ? 3 : 2));
    }
    const auto& x = (*done)[0];
    const auto& y = (*done)[1];
    if (x.held_out.index() != y.held_out.index())
        return Fault{.code = "E-TYPE",
                     .message = "one of them predicts labels and the other numbers: there is no common score",
                     .origin = c.argument(1)};
    const rt::PairedTest test = rt::paired_t(x.scores, y.scores, sure);
    List differences;
    for (std::size_t i = 0; i < x.scores.size(); ++i) differences.push_back(Value(x.scores[i] - y.scores[i]));
    Record out;
    out.entries = {{"measure", Value::text(std::string(rt::score_name(x.held_out)))},
                   {"a", Value(rt::spread_of(x.scores).mean)},
                   {"b", Value(rt::spread_of(y.scores).mean)},
                   {"difference", Value(test.difference)},
                   {"standard_error", number_value(test.standard_error)},
                   {"t", number_value(test.t)},
                   {"degrees", Value(rt::Number(static_cast<int>(x.scores.size()) - 1))},
                   {"p", number_value(test.p)},
                   {"low", number_value(test.low)},
                   {"high", number_value(test.high)},
                   {"folds", Value::list(std::move(differences))}};
    if (const auto* labels = std::get_if<rt::LabelOutcomes>(&x.held_out)) {
        const rt::McNemar m = rt::mcnemar(*labels, std::get<rt::LabelOutcomes>(y.held_out));
        Record counts;
        counts.entries = {{"only_a", Value(rt::Number(static_cast<int>(m.only_a)))},
                          {"only_b", Value(rt::Number(static_cast<int>(m.only_b)))},
                          {"p", Value(m.p)}};
        out.entries.emplace_back("mcnemar", Value::record(std::move(counts)));
    }
    return Value::record(std::move(out));
}

/// Several learners on the same folds: a row for each, with p of the paired t test against each of the others.
Result<Value> compared_all(CallContext& c, const List& learners, const rt::TablePtr& t, const std::optional<Setting>& folds) {
    if (learners.size() < 2) return Fault{.code = "E-ARGUMENT", .message = "compare takes two learners or more", .origin = c.argument(0)};
    auto plan = TRY(fold_plan(folds, c.argument(2)));
    std::vector<rt::LearnerPtr> all;
    std::string counts;
    for (const auto& value : learners) {
        auto given = TRY(learner_given(c, value, c.argument(0)));
        counts = given.counts;
        all.push_back(given.learner);
    }
    auto weights = row_weights(*t, counts);
    if (!weights) return placed(std::move(weights).fault(), c.argument(0));
    rt::Run run = judging_run(c);
    auto done = rt::cross_validate(all, *t, plan, *weights, run);
    if (!done) {
        Fault fault = std::move(done).fault();
        return placed(fault, c.argument(fault.code == "E-PARAMETER" ? 2 : 1));
    }
    rt::ColumnBuilder names("learner");
    std::vector<rt::Number> scores;
    std::vector<rt::Number> errors;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if ((*done)[i].held_out.index() != (*done)[0].held_out.index())
            return Fault{.code = "E-TYPE",
                         .message = "some of them predict labels and others numbers: there is no common score",
                         .origin = c.argument(0)};
        names.add(rt::Label::of_text(makes_learner(learners[i]) ? std::string(all[i]->name()) : show_inline(learners[i], c.show())));
        const auto spread = rt::spread_of((*done)[i].scores);
        scores.push_back(spread.mean);
        errors.push_back(rt::Number::real(spread.standard_error));
    }
    auto named = TRY(std::move(names).finish(rt::ColumnKind::label));
    std::vector<rt::ColumnPtr> columns{std::move(named)};
    columns.push_back(number_column(std::string(rt::score_name((*done)[0].held_out)), scores));
    columns.push_back(number_column("standard_error", errors));
    for (std::size_t other = 0; other < all.size(); ++other) {
        std::vector<rt::Number> p;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool itself = i == other;
            p.push_back(rt::Number::real(itself ? std::numeric_limits<double>::infinity()
                                                : rt::paired_t((*done)[i].scores, (*done)[other].scores, 0.95).p));
        }
        columns.push_back(number_column(fmt::format("p_{}", other + 1), p));
    }
    return table_of_columns(std::move(columns));
}

}  // namespace

void add_choosing(Registry& r) {
    using V = Value;
    r.add(bind(
        {judging_subject,
         "grid",
         {{"learner"}, {"parameters"}, {"t"}, folds_parameter()},
         "Cross-validates a learner with every combination of the given parameters. .best is the record of the best ones (the first in a "
         "tie), and .learner the learner with them. .score is their score, and .measure is accuracy (higher is better) or rmse (lower is "
         "better). .table has all combinations.",
         "grid(baseline(), {counts: [x]}, with_target(to_table([{x: 1, y: 0}, {x: 2, y: 1}, {x: 3, y: 1}]), y), folds: 3).best.counts == "
         "\"x\""},
        +[](CallContext& c, LearnerValuePtr learner, SettingLists lists, rt::TablePtr t, std::optional<Setting> folds) -> Result<V> {
            return grid_of(c, learner, lists, t, folds);
        }));
    r.add(bind(
        {judging_subject,
         "learning_curve",
         {{"learner"}, {"t"}, {"sizes", "ten steps"}, folds_parameter()},
         "How the score (accuracy, or rmse for numbers) changes with the number of training rows. The columns are size, train_score, "
         "test_score (on the held-out fold) and the standard_error of test_score. Scores are means over the folds.",
         "learning_curve(baseline(), weather, sizes: [2], folds: 3).size == [2]"},
        +[](CallContext& c, Value learner, rt::TablePtr t, std::optional<Numbers> sizes, std::optional<Setting> folds) -> Result<V> {
            return curve_of(c, learner, t, sizes, folds);
        }));
    r.add(bind(
        {judging_subject,
         "compare",
         {{"a"}, {"b"}, {"t"}, folds_parameter(), {"level", "0.95"}},
         "Compares two learners on the same folds with a paired t test: .difference (mean score of a minus that of b), .standard_error .t "
         ".degrees .p, .low and .high (the confidence interval), .folds (the differences). For labels there is also .mcnemar: the rows "
         "that only one of them got right, and the exact p. Training sets overlap, so p tends to be too small.",
         "compare(baseline(), baseline(), weather, folds: 3).difference == 0"},
        +[](CallContext& c, Value a, Value b, rt::TablePtr t, std::optional<Setting> folds, std::optional<Probability> level) -> Result<V> {
            return compared(c, a, b, t, folds, level);
        }));
    r.add(bind(
        {judging_subject,
         "compare",
         {{"learners"}, {"t"}, folds_parameter()},
         "Several learners on the same folds: a table with a row for each, its mean score over the folds and the standard error of that, "
         "and "
         "in p_1, p_2 … the p of the paired t test against the learner in row 1, 2 … (too small rather than too large).",
         "rows(compare([baseline(), baseline()], weather, folds: 3)) == 2"},
        +[](CallContext& c, Items learners, rt::TablePtr t, std::optional<Setting> folds) -> Result<V> {
            return compared_all(c, *learners.items, t, folds);
        }));
}

}  // namespace credence::std_
