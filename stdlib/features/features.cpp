// Scores of columns, filters by them, and searches for the set of columns of least error.

#include "runtime/features/preparations.hpp"
#include "runtime/features/scores.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lang/value/function.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/features/selection.hpp"
#include "runtime/features/subset_error.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/judging/judging.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/told_result.hpp"

namespace credence::std_ {

using rt::FeatureMeasure;

namespace {

// --- scores ----------------------------------------------------------------------------------------------------------

/// Numbers by column: a factor over the variable `column`.
Value by_column(const std::vector<rt::FeatureScore>& scores, bool p) {
    std::vector<rt::Label> names;
    std::vector<double> numbers;
    for (const auto& s : scores) {
        names.push_back(rt::Label::of_text(s.column));
        numbers.push_back(p ? s.p.value_or(1.0) : s.score);
    }
    return Value::factor(rt::Factor({rt::Variable{"column", rt::make_domain(std::move(names))}}, std::move(numbers)));
}

/// The run with its notes, such as those of columns that a measure does not fit, told to the script.
rt::Run noting(CallContext& c) {
    rt::Run run = c.run();
    run.note = [&c](std::string text) { c.note(std::move(text)); };
    return run;
}

template <FeatureMeasure measure>
Result<Value> score(CallContext& c, rt::TablePtr t) {
    rt::Run run = noting(c);
    auto scores = TRY(rt::score_features(*t, measure, run));
    return by_column(scores, false);
}

template <FeatureMeasure measure>
Result<Value> score_or_p(CallContext& c, rt::TablePtr t, std::optional<bool> p) {
    rt::Run run = noting(c);
    auto scores = TRY(rt::score_features(*t, measure, run));
    return by_column(scores, p.value_or(false));
}

Result<rt::KeepRule> keep_rule(const std::optional<Count>& keep, const std::optional<rt::Number>& above) {
    rt::KeepRule rule;
    if (keep) rule.best = keep->value;
    if (above) rule.above = above->real();
    if (!keep && !above)
        return Fault{.code = "E-ARGUMENT",
                     .message = "filter_features needs to know what to keep",
                     .hint = "keep: 3 for the best three, above: 0.5 for scores above a bound"};
    return rule;
}

/// The measure of that name; none: redundancy.
std::optional<FeatureMeasure> measure_named(std::string_view name) {
    if (name == "redundancy") return std::nullopt;
    return name == "pearson"            ? FeatureMeasure::pearson
           : name == "chi_square"       ? FeatureMeasure::chi_square
           : name == "anova"            ? FeatureMeasure::anova
           : name == "information_gain" ? FeatureMeasure::information_gain
           : name == "gain_ratio"       ? FeatureMeasure::gain_ratio
                                        : FeatureMeasure::variance;
}

Result<Value> filter(CallContext& c, rt::TablePtr t, Choice by, std::optional<Count> keep, std::optional<rt::Number> above) {
    const rt::KeepRule rule = TRY(keep_rule(keep, above));
    const auto measure = measure_named(by.text);
    rt::Run run = noting(c);
    const auto kept = measure ? TRY(rt::filter_by_score(*t, *measure, rule, run)) : TRY(rt::filter_redundant(*t, rule, c.run()));
    return Value(Value::Node(kept));
}

template <FeatureMeasure measure>
Result<rt::Derivation> explain_gain(CallContext& c, Arguments arguments) {
    rt::Run run = c.run();
    return rt::explain_gains(**arguments[0]->get<rt::TablePtr>(), measure, run);
}

void add_plain_scores(Registry& r) {
    r.add(bind({subject::features,
                "pearson",
                {{"t"}, {"p", "false"}},
                "The correlation r of each numeric (or two-valued) column with the target; p: true gives the p-values.",
                "pearson(line)[x] == 1 within 1e-12"},
               score_or_p<FeatureMeasure::pearson>));
    r.add(bind({subject::features,
                "chi_square",
                {{"t"}, {"p", "false"}},
                "χ² of each column against the target's labels. A label column is tested for independence. A column of counts is summed by "
                "label and compared with the labels' shares. p: true gives the p-values.",
                "chi_square(weather)[sky] == 0.75 within 1e-12"},
               score_or_p<FeatureMeasure::chi_square>));
    r.add(bind({subject::features,
                "anova",
                {{"t"}, {"p", "false"}},
                "The F ratio of each column in a one-way analysis of variance. Numeric columns are compared between the target's labels, a "
                "numeric target between each column's labels. p: true gives the p-values.",
                "anova(with_target(discretize(concat(line, line), y, 2), y))[x] > 1"},
               score_or_p<FeatureMeasure::anova>));
}

void add_gains(Registry& r) {
    Builtin gain = bind(
        {subject::features,
         "information_gain",
         {{"t"}},
         "The information in bits that each column gives about the target's labels. Numeric columns are split at their best threshold.",
         "information_gain(weather)[sky] == (I(play; sky) in weather) within 1e-12"},
        score<FeatureMeasure::information_gain>);
    gain.explain = explain_gain<FeatureMeasure::information_gain>;
    r.add(std::move(gain));
    Builtin ratio = bind(
        {subject::features,
         "gain_ratio",
         {{"t"}},
         "The information gain divided by the entropy of the column itself (split information). It favours columns with many values less "
         "than information gain does.",
         "gain_ratio(weather)[sky] > information_gain(weather)[sky]"},
        score<FeatureMeasure::gain_ratio>);
    ratio.explain = explain_gain<FeatureMeasure::gain_ratio>;
    r.add(std::move(ratio));
}

void add_filters(Registry& r) {
    r.add(bind(
        {subject::features,
         "filter_features",
         {{"t"},
          {"by", {}, {"pearson", "chi_square", "anova", "information_gain", "gain_ratio", "variance", "redundancy"}},
          {"keep", "all"},
          {"above", "no bound"}},
         "The table with the columns that score best: the `keep` best, or those with an absolute score above `above`. variance and "
         "redundancy need no target. redundancy is the largest |r| with a column already kept; there, columns above the bound are dropped.",
         "columns(filter_features(line, by: pearson, keep: 1)) == [\"x\", \"y\"]"},
        filter));
    r.add_preparation(bind(
        {subject::features,
         "filter_features",
         {{"by", {}, {"pearson", "chi_square", "anova", "information_gain", "gain_ratio", "variance", "redundancy"}},
          {"keep", "all"},
          {"above", "no bound"}},
         "Without a table: a preparation, for the learner that it is piped into. The columns are chosen by the training rows, in each fold "
         "of a cross-validation too.",
         "abs(predict(train (filter_features(by: pearson, keep: 1) |> regression()) on line, <2>) - 5) < 1e-9"},
        +[](CallContext&, Choice by, std::optional<Count> keep, std::optional<rt::Number> above) -> Result<Value> {
            const rt::KeepRule rule = TRY(keep_rule(keep, above));
            return learner_value(rt::make_feature_filter(measure_named(by.text), rule));
        }));
}

void add_scores(Registry& r) {
    add_plain_scores(r);
    add_gains(r);
    add_filters(r);
}

// --- searches ----------------------------------------------------------------------------------------------------------

/// What a search works on: names of the columns, and the error of sets of them.
struct SearchGround {
    std::vector<std::string> names;
    rt::SubsetErrors errors;
};

Value set_value(const std::vector<std::string>& names, const rt::FeatureSet& set) {
    List items;
    for (const auto c : set) items.push_back(Value::text(names[c]));
    return Value::set(std::move(items));
}

Fault no_columns(CallContext& c) { return {.code = "E-EMPTY", .message = "there are no columns to choose from", .origin = c.argument(1)}; }

Result<std::vector<std::string>> search_names(CallContext& c, const Value& over) {
    std::vector<std::string> out;
    if (const auto* table = over.get<rt::TablePtr>()) {
        for (std::size_t i = 0; i < (*table)->columns.size(); ++i)
            if ((*table)->target != i) out.push_back((*table)->columns[i]->name);
    } else if (const List* items = over.items()) {
        for (const auto& item : *items) {
            const auto label = item.as_label();
            if (!label)
                return Fault{
                    .code = "E-TYPE", .message = fmt::format("a column has a name, this is {}", item.kind()), .origin = c.argument(1)};
            out.push_back(label->text());
        }
    } else {
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("columns are searched in a table or a list of names, not {}", over.kind()),
                     .origin = c.argument(1)};
    }
    if (out.empty()) return no_columns(c);
    return out;
}

/// A function of the script: the error of a set of names.
rt::SubsetErrors script_errors(CallContext& c, const Value& function, std::vector<std::string> names) {
    return [&c, function, names = std::move(names)](std::span<const rt::FeatureSet> sets) -> Result<std::vector<rt::Number>> {
        std::vector<rt::Number> out;
        for (const auto& set : sets) {
            const Value argument = set_value(names, set);
            auto value = TRY(c.call(function, std::span(&argument, 1)));
            const auto* n = value.get<rt::Number>();
            if (!n)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("the error of {} is {}: it must be a number", show_inline(argument, {}), value.kind()),
                             .origin = c.argument(0)};
            out.push_back(*n);
        }
        return out;
    };
}

Result<SearchGround> ground(CallContext& c, const Value& what, const Value& over, const std::optional<Setting>& folds,
                            const std::optional<Probability>& validation, rt::Origin folds_at) {
    if (makes_learner(what)) {
        auto made = TRY(c.call(what, {}));
        return ground(c, made, over, folds, validation, folds_at);
    }
    auto names = TRY(search_names(c, over));
    if (what.is<FunctionPtr>()) {
        if (folds || validation)
            return Fault{.code = "E-ARGUMENT", .message = "folds and validation are for learners; a function returns the error itself"};
        auto errors = script_errors(c, what, names);
        return SearchGround{std::move(names), std::move(errors)};
    }
    const auto* learner = what.get<LearnerValuePtr>();
    const auto* table = over.get<rt::TablePtr>();
    if (!learner)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("the error comes from a learner or a function of a set of columns, not {}", what.kind()),
                     .origin = c.argument(0)};
    if (!table)
        return Fault{
            .code = "E-TYPE", .message = "a learner needs a table; a list of names is enough only for a function", .origin = c.argument(1)};
    if (!(*table)->target)
        return Fault{.code = "E-TRAIN",
                     .message = "columns are chosen by the error on the target, and this table has none",
                     .origin = c.argument(1),
                     .hint = "with_target(t, Column), or `->` before it in a table block"};
    if (folds && validation) return Fault{.code = "E-ARGUMENT", .message = "give folds or validation, not both"};
    auto parts = TRY(fold_plan(folds, folds_at));
    rt::HeldOutRows plan{.folds = parts};
    if (validation) plan.validation = rt::Rational::from_decimal(validation->value.real());
    c.run().rng = c.rng().child("selection");
    auto errors = rt::learner_errors((*learner)->learner, *table, plan, c.run());
    if (!errors) return placed(std::move(errors).fault(), c.argument(0));
    std::erase(names, rt::unweighted((*learner)->learner).column);
    if (names.empty()) return no_columns(c);
    return SearchGround{std::move(names), *std::move(errors)};
}

Value names_value(const std::vector<std::string>& names, const rt::FeatureSet& set) {
    List out;
    for (const auto c : set) out.push_back(Value::text(names[c]));
    return Value::list(std::move(out));
}

Value step_value(const std::vector<std::string>& names, const rt::SelectionStep& step) {
    Record out;
    if (step.feature) {
        out.entries.emplace_back("feature", Value::text(names[*step.feature]));
        out.entries.emplace_back("change", Value::text(step.added ? "added" : "removed"));
    }
    out.entries.emplace_back("error", Value(step.error));
    out.entries.emplace_back("features", names_value(names, step.features));
    if (step.feature) {
        // Each column that was tried, with the error of the set after the change.
        Record tried;
        for (const auto& [set, error] : step.tried)
            for (std::size_t c = 0; c < names.size(); ++c) {
                const bool in = std::binary_search(set.begin(), set.end(), c);
                const bool now = std::binary_search(step.features.begin(), step.features.end(), c);
                const bool changed = c == *step.feature ? in == step.added : in != now && in == step.added;
                if (changed) tried.entries.emplace_back(names[c], Value(error));
            }
        out.entries.emplace_back("tried", Value::record(std::move(tried)));
    }
    return Value::record(std::move(out));
}

Result<Value> selection_value(const SearchGround& g, Result<rt::Selection> made) {
    if (!made) return std::move(made).fault();
    List history;
    for (const auto& step : made->history) history.push_back(step_value(g.names, step));
    Record out;
    out.entries = {{"features", names_value(g.names, made->features)},
                   {"error", Value(made->error)},
                   {"history", Value::list(std::move(history))},
                   {"evaluations", Value(rt::Number(rt::Rational(static_cast<std::int64_t>(made->evaluations))))}};
    if (made->start) out.entries.emplace_back("start", step_value(g.names, *made->start));
    if (made->refused) out.entries.emplace_back("refused", step_value(g.names, *made->refused));
    return Value::record(std::move(out));
}

using Sequential = Result<rt::Selection> (*)(std::size_t, const rt::SubsetErrors&, const rt::Number&, const rt::Run&);

template <Sequential search>
Result<Value> sequential(CallContext& c, Value learner, Value t, std::optional<rt::Number> threshold, std::optional<Setting> folds,
                         std::optional<Probability> validation) {
    auto g = TRY(ground(c, learner, t, folds, validation, c.argument(3)));
    return selection_value(g, search(g.names.size(), g.errors, threshold.value_or(rt::Number(0)), c.run()));
}

Result<Value> exhaustive(CallContext& c, Value learner, Value t, std::optional<Count> size, std::optional<Choice> method,
                         std::optional<Setting> folds, std::optional<Probability> validation) {
    auto g = TRY(ground(c, learner, t, folds, validation, c.argument(4)));
    const bool bounded = method && method->text == "branch_and_bound";
    if (bounded && !size)
        return Fault{.code = "E-ARGUMENT",
                     .message = "branch_and_bound needs a size: otherwise the set of all columns would win",
                     .hint = "size: 3"};
    if (size && (size->value < 1 || size->value > g.names.size()))
        return Fault{.code = "E-PARAMETER", .message = fmt::format("size is 1 to {}", g.names.size()), .origin = c.argument(2)};
    return selection_value(
        g, rt::exhaustive_selection(g.names.size(), size ? std::optional(size->value) : std::nullopt,
                                    bounded ? rt::ExhaustiveMethod::branch_and_bound : rt::ExhaustiveMethod::all, g.errors, c.run()));
}

Result<Value> randomised(CallContext& c, Value learner, Value t, std::optional<Count> tries, std::optional<Count> seed,
                         std::optional<Setting> folds, std::optional<Probability> validation) {
    auto g = TRY(ground(c, learner, t, folds, validation, c.argument(4)));
    rt::Rng rng = c.rng().child("sets");
    if (seed) rng = rng.child(static_cast<std::uint64_t>(seed->value));
    const std::size_t n = tries ? tries->value : 10;
    if (n == 0) return Fault{.code = "E-PARAMETER", .message = "tries is 1 or more", .origin = c.argument(2)};
    return selection_value(g, rt::random_selection(g.names.size(), n, g.errors, rng, c.run()));
}

std::string names_text(const Value& names) {
    std::string out;
    for (const auto& name : *names.items()) out += (out.empty() ? "" : ", ") + name.as_label()->text();
    return out.empty() ? "no column" : out;
}

/// A step of a search: every column that was tried with its error, and the one that was taken.
void tell_search_step(const Record& step, const std::string& head, std::string_view verdict, rt::DerivationWriter& out) {
    const auto number = [](const Value& v) { return rt::fraction_told(*v.get<rt::Number>()); };
    const Value* feature = step.find("feature");
    out.note(feature ? fmt::format("{}: a column is {}", head, verdict.empty() ? step.find("change")->as_label()->text() : verdict)
                     : fmt::format("{}: {}", head, names_text(*step.find("features"))));
    if (const Value* tried = step.find("tried"))
        for (const auto& [name, error] : (*tried->get<RecordPtr>())->entries) out.note(fmt::format("  {}: error {}", name, number(error)));
    out.note(fmt::format("  {}{}: error {}", feature ? "best is " + feature->as_label()->text() + ", then the set is " : "the set is ",
                         names_text(*step.find("features")), number(*step.find("error"))));
}

Result<rt::Derivation> tell_search(CallContext&, Arguments arguments, const Value& result) {
    rt::DerivationWriter out;
    const Record& found = **result.get<RecordPtr>();
    const rt::Number threshold = arguments[2] ? *arguments[2]->get<rt::Number>() : rt::Number(0);
    out.formula("each step takes the column whose change leaves the smallest error");
    if (!threshold.is_zero()) out.note("threshold " + rt::fraction_told(threshold));
    if (const Value* start = found.find("start")) tell_search_step(**start->get<RecordPtr>(), "at the start", "", out);
    std::size_t step = 0;
    for (const auto& one : *found.find("history")->items())
        tell_search_step(**one.get<RecordPtr>(), fmt::format("step {}", ++step), "", out);
    if (const Value* refused = found.find("refused"))
        tell_search_step(**refused->get<RecordPtr>(), "the search ends", "tried once more, and the error does not improve enough", out);
    out.note(fmt::format("the answer: {}, error {}", names_text(*found.find("features")),
                         rt::fraction_told(*found.find("error")->get<rt::Number>())));
    return std::move(out).take();
}

void add_searches(Registry& r) {
    const std::vector<ParameterDoc> parameters = {{"learner"}, {"t"}, {"threshold", "0"}, folds_parameter(), {"validation", "none"}};
    const std::string ending =
        " The error is 1 − accuracy or the root mean squared error of a learner on held-out rows, by folds or a validation share. It may "
        "also be a function of a set of names. The result is a record: .features .error .history (.feature .error .tried) .evaluations "
        ".refused.";
    const auto example = [](const char* name) {
        return fmt::format("{}(F -> 1 / count(F), [\"a\", \"b\"]).features == [\"a\", \"b\"]", name);
    };
    r.add(told_by_result(
        bind({subject::features, "forward_selection", parameters,
              "Adds the column that gives the smallest error, as long as the error falls by more than the threshold." + ending,
              example("forward_selection")},
             sequential<rt::forward_selection>),
        tell_search));
    r.add(told_by_result(
        bind({subject::features, "backward_elimination", parameters,
              "Starts from all columns (.start) and removes the one that raises the error least, as long as the error rises by at most "
              "the threshold." +
                  ending,
              example("backward_elimination")},
             sequential<rt::backward_elimination>),
        tell_search));
    r.add(told_by_result(
        bind({subject::features, "stepwise_selection", parameters,
              "Forward selection that, after each added column, removes those no longer needed." + ending, example("stepwise_selection")},
             sequential<rt::stepwise_selection>),
        tell_search));
    r.add(told_by_result(
        bind({subject::features, "floating_selection", parameters,
              "Forward selection that also removes columns, as long as the smaller set beats the best known one of its size (Pudil et "
              "al. 1994)." +
                  ending,
              example("floating_selection")},
             sequential<rt::floating_selection>),
        tell_search));
    r.add(bind(
        {subject::features,
         "exhaustive_selection",
         {{"learner"}, {"t"}, {"size", "any"}, {"method", "all", {"all", "branch_and_bound"}}, folds_parameter(), {"validation", "none"}},
         "The best of all sets of columns, of one size or of any. branch_and_bound skips sets that cannot win, assuming that no set is "
         "better than a larger set containing it." +
             ending,
         "exhaustive_selection(F -> 1 / count(F), [\"a\", \"b\"], size: 1).features == [\"a\"]"},
        exhaustive));
    r.add(bind({subject::features,
                "random_selection",
                {{"learner"}, {"t"}, {"tries", "10"}, {"seed", "the script's"}, folds_parameter(), {"validation", "none"}},
                "Draws sets of columns at random and improves each by one column at a time. The best set wins." + ending,
                example("random_selection")},
               randomised));
}

}  // namespace

void add_features(Registry& r) {
    add_scores(r);
    add_searches(r);
}

}  // namespace credence::std_
