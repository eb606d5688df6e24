// Predictive accuracy of posteriors: loo, waic and their comparison.

#include "runtime/judge/predictive.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/queries/numeric_model.hpp"
#include "stdlib/judging/judging.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

/// The same draws as the queries of a posterior take.
Result<rt::PointwiseLikelihood> likelihood_of(CallContext& c, const rt::Model& model) {
    if (!model.numeric())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a {} has no draws of numbers to be judged by", model.kind()),
                     .origin = c.argument(0),
                     .label = "a net with real-valued nodes given evidence is needed",
                     .hint = "let post = P(* | y = […]) in Net"};
    c.run().rng = c.rng().child("query");
    auto out = model.numeric()->pointwise_likelihood({}, c.run());
    if (!out) return placed(std::move(out).fault(), c.argument(0));
    for (const auto& note : out->notes) c.note(note);
    return out;
}

void note_unreliable(CallContext& c, const rt::PointwiseLikelihood& data, const rt::PredictiveAccuracy& accuracy, const std::string& of) {
    const double limit = rt::largest_reliable_k(data.logs.front().size());
    std::vector<std::string> named;
    std::size_t count = 0;
    constexpr std::size_t most_named = 5;
    for (std::size_t i = 0; i < accuracy.pareto_k.size(); ++i) {
        if (!(accuracy.pareto_k[i] > limit)) continue;
        if (++count <= most_named) named.push_back(fmt::format("{} ({:.2f})", data.observations[i], accuracy.pareto_k[i]));
    }
    if (count == 0) return;
    if (count > most_named) named.push_back("…");
    c.note(
        fmt::format("{} of {} observations{} {} a Pareto k above {:.2f}: {}. Leaving one of them out changes the posterior too much for "
                    "these draws to tell how well it is predicted: leave it out of the evidence and ask for its density",
                    count, accuracy.pareto_k.size(), of, count == 1 ? "has" : "have", limit, rt::joined(named, ", ")));
}

rt::ColumnPtr column_of(std::string name, const std::vector<double>& values) {
    std::vector<rt::Number> numbers;
    for (const double v : values) numbers.push_back(rt::Number::real(v));
    return number_column(std::move(name), numbers);
}

Result<rt::ColumnPtr> text_column(std::string name, const std::vector<std::string>& texts) {
    rt::ColumnBuilder out(std::move(name));
    for (const auto& text : texts) out.add(rt::Label::of_text(text));
    return std::move(out).finish(rt::ColumnKind::label);
}

Result<Value> accuracy_record(const rt::PointwiseLikelihood& data, const rt::PredictiveAccuracy& accuracy) {
    auto names = TRY(text_column("observation", data.observations));
    std::vector<rt::ColumnPtr> columns{std::move(names), column_of("elpd", accuracy.pointwise)};
    Record out;
    out.entries = {{"elpd", Value(rt::Number::real(accuracy.total))},
                   {"standard_error", Value(rt::Number::real(accuracy.standard_error))},
                   {"p_effective", Value(rt::Number::real(accuracy.effective_parameters))}};
    if (!accuracy.pareto_k.empty()) {
        out.entries.emplace_back("largest_k",
                                 Value(rt::Number::real(*std::max_element(accuracy.pareto_k.begin(), accuracy.pareto_k.end()))));
        columns.push_back(column_of("k", accuracy.pareto_k));
    }
    out.entries.emplace_back("pointwise", table_of_columns(std::move(columns)));
    return Value::record(std::move(out));
}

/// The elpd of the same observations in the order in which another posterior has them; nothing if they are others.
std::optional<std::vector<double>> in_order_of(const std::vector<std::string>& order, const std::vector<std::string>& observations,
                                               const std::vector<double>& values) {
    if (order.size() != observations.size()) return std::nullopt;
    std::map<std::string, double> by_name;
    for (std::size_t i = 0; i < observations.size(); ++i) by_name.emplace(observations[i], values[i]);
    std::vector<double> out;
    for (const auto& name : order) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) return std::nullopt;
        out.push_back(found->second);
    }
    return out;
}

/// A row for each posterior, the best first.
Result<Value> compared_posteriors(CallContext& c, const List& posteriors) {
    if (posteriors.size() < 2)
        return Fault{.code = "E-ARGUMENT", .message = "compare takes two posteriors or more", .origin = c.argument(0)};
    std::vector<std::string> names;
    std::vector<std::string> order;
    std::vector<rt::PredictiveAccuracy> accuracy;
    std::vector<std::vector<double>> pointwise;
    for (std::size_t i = 0; i < posteriors.size(); ++i) {
        const auto* model = posteriors[i].get<ModelValue>();
        if (!model)
            return Fault{
                .code = "E-TYPE",
                .message = fmt::format("compare takes a list of posteriors, or learners and a table; found {}", posteriors[i].kind()),
                .origin = c.argument(0),
                .hint = "compare([post1, post2]), or compare([learner1, learner2], t)"};
        const auto data = TRY(likelihood_of(c, *model->model));
        names.push_back(model->name.empty() ? fmt::format("{}", i + 1) : model->name);
        if (rt::contains(std::span(names).first(i), names.back())) names.back() += fmt::format(" ({})", i + 1);  // of the same net
        if (i == 0) order = data.observations;
        accuracy.push_back(rt::leave_one_out(data.logs, data.efficiency));
        note_unreliable(c, data, accuracy.back(), fmt::format(" of {}", names.back()));
        auto own = in_order_of(order, data.observations, accuracy.back().pointwise);
        if (!own)
            return Fault{.code = "E-ARGUMENT",
                         .message = fmt::format("{} and {} were not given the same observations", names[0], names.back()),
                         .origin = c.argument(0),
                         .hint = "the observed variables need the same names in both nets"};
        pointwise.push_back(*std::move(own));
    }
    std::vector<std::size_t> best(names.size());
    std::iota(best.begin(), best.end(), std::size_t{0});
    std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) { return accuracy[a].total > accuracy[b].total; });
    std::vector<std::string> sorted;
    std::vector<double> elpd;
    std::vector<double> difference;
    std::vector<double> error;
    std::vector<double> parameters;
    std::vector<double> largest;
    for (const auto i : best) {
        const auto from_best = rt::difference_of(pointwise[i], pointwise[best[0]]);
        sorted.push_back(names[i]);
        elpd.push_back(accuracy[i].total);
        difference.push_back(from_best.difference);
        error.push_back(from_best.standard_error);
        parameters.push_back(accuracy[i].effective_parameters);
        largest.push_back(*std::max_element(accuracy[i].pareto_k.begin(), accuracy[i].pareto_k.end()));
    }
    auto model_column = TRY(text_column("model", sorted));
    return table_of_columns({std::move(model_column), column_of("elpd", elpd), column_of("difference", difference),
                             column_of("standard_error", error), column_of("p_effective", parameters), column_of("largest_k", largest)});
}

}  // namespace

void add_predictive(Registry& r) {
    using V = Value;
    r.add(bind(
        {judging_subject,
         "loo",
         {{"posterior"}},
         "How well a posterior would predict each observation if it had not seen it: leave-one-out cross-validation from one set of "
         "draws, by Pareto-smoothed importance sampling. .elpd is the sum of the log densities, with its .standard_error; "
         ".p_effective is the effective number of parameters; .pointwise has a row for each observation with its elpd and Pareto k, "
         "and .largest_k is the largest k. A note names observations whose k is too large (above 0.7, or less where draws are few).",
         "abs(loo(weighed).elpd + 7.58) < 0.3"},
        +[](CallContext& c, ModelValue m) -> Result<V> {
            const auto data = TRY(likelihood_of(c, *m.model));
            const auto accuracy = rt::leave_one_out(data.logs, data.efficiency);
            note_unreliable(c, data, accuracy, "");
            return accuracy_record(data, accuracy);
        }));
    r.add(bind(
        {judging_subject,
         "waic",
         {{"posterior"}},
         "The widely applicable information criterion, an estimate of what loo estimates: the log of the mean density of each "
         "observation less the variance of its log density over the draws. loo says where it cannot be trusted, waic does not.",
         "waic(weighed).p_effective < 2"},
        +[](CallContext& c, ModelValue m) -> Result<V> {
            const auto data = TRY(likelihood_of(c, *m.model));
            return accuracy_record(data, rt::waic(data.logs));
        }));
    r.add(bind(
        {judging_subject,
         "compare",
         {{"posteriors"}},
         "Posteriors of several nets given the same observations, compared by loo: a table with the best first, its elpd, the "
         "difference of each from the best and the standard error of that difference. A difference below 4 is small; one of less "
         "than two standard errors may be chance.",
         "rows(compare([weighed, weighed])) == 2"},
        +[](CallContext& c, Items posteriors) -> Result<V> { return compared_posteriors(c, *posteriors.items); }));
}

}  // namespace credence::std_
