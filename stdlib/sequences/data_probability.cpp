#include "stdlib/sequences/data_probability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/declared/hypotheses.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/events.hpp"
#include "runtime/prob/queries/numeric_model.hpp"
#include "stdlib/tables/to_table.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

/// The variables that a list can be of: the outcome of a space, what nothing else depends on in a net, else all.
std::vector<std::size_t> observable(const rt::Model& model) {
    const auto& variables = model.variables();
    std::vector<std::size_t> out;
    const auto* space = dynamic_cast<const rt::HypothesesModel*>(&model);
    const auto* net = dynamic_cast<const rt::GraphicalModel*>(&model);
    for (std::size_t v = 0; v < variables.size(); ++v) {
        if (variables[v].next || (model.kind() == "mixture" && variables[v].variable.name == "component")) continue;
        if (space && variables[v].variable.name != space->space().outcome.name) continue;
        if (net) {
            const auto node = net->net()->find(variables[v].variable.name);
            if (!node || !net->net()->children(*node).empty()) continue;
        }
        out.push_back(v);
    }
    return out;
}

Result<rt::Label> observed(const rt::Variable& variable, const Value& value, rt::Origin origin) {
    const auto label = value.as_label();
    const auto place = label && variable.is_discrete() ? rt::value_place(variable, *label) : std::nullopt;
    if (place) return (*variable.domain)[*place];
    if (label && !variable.is_discrete() && label->number()) return *label;
    if (!label || !variable.is_discrete())
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} is {}, not {}", variable.name, variable.is_discrete() ? "a label" : "a number",
                                            label ? "'" + label->text() + "'" : std::string(value.kind())),
                     .origin = origin};
    return Fault{.code = "E-LABEL", .message = fmt::format("{} has no value '{}'", variable.name, label->text()), .origin = origin};
}

Result<rt::Observations> observations_of(const ModelValue& m, const Value& data, rt::Origin origin) {
    const auto at = observable(*m.model);
    if (at.size() != 1) {
        std::string names;
        for (const auto v : at) names += (names.empty() ? "" : ", ") + m.model->variables()[v].variable.name;
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("a list is data of one variable, and {} has {} to observe",
                                            m.name.empty() ? "the model" : m.name, at.size()),
                     .origin = origin,
                     .label = names.empty() ? "" : "they are " + names,
                     .hint = "give a table with a column for each"};
    }
    const auto& variable = m.model->variables()[at[0]].variable;
    rt::Observations out{static_cast<rt::VarId>(at[0]), {}, origin};
    if (const auto* record = data.get<RecordPtr>()) {
        for (const auto& [key, value] : (*record)->entries) {
            auto label = TRY(observed(variable, Value::label(rt::Label::of_text(key)), origin));
            const auto* n = value.get<rt::Number>();
            const auto count = n && n->is_exact() && n->sign() >= 0 ? n->exact().to_int64() : std::nullopt;
            if (!count)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("the count of {} is not a whole number, 0 or more", key),
                             .origin = origin};
            out.values.push_back(std::move(label));
            out.counts.push_back(*count);
        }
        return out;
    }
    for (const auto& item : *data.items()) {
        auto label = TRY(observed(variable, item, origin));
        out.values.push_back(std::move(label));
    }
    return out;
}

/// A record whose keys are variables, as {k: 60}, and not values of the only one that is observed: counts.
bool is_row(const rt::Model& model, const Record& record) {
    const auto& variables = model.variables();
    const auto names_variable = [&](const auto& entry) {
        return std::any_of(variables.begin(), variables.end(), [&](const auto& v) { return v.variable.name == entry.first; });
    };
    if (record.entries.empty() || !std::all_of(record.entries.begin(), record.entries.end(), names_variable)) return false;
    const auto at = observable(model);
    if (at.size() != 1 || !variables[at[0]].variable.is_discrete()) return true;
    return !std::all_of(record.entries.begin(), record.entries.end(), [&](const auto& entry) {
        return rt::value_place(variables[at[0]].variable, rt::Label::of_text(entry.first)).has_value();
    });
}

}  // namespace

Result<double> log_probability_of_data(CallContext& c, const ModelValue& m, const Value& data, std::size_t argument) {
    const rt::Origin origin = c.argument(argument);
    rt::Query query;
    query.origin = origin;
    if (const auto* table = data.get<rt::TablePtr>()) {
        query.targets.data.push_back({*table, origin});
    } else if (const auto* record = data.get<RecordPtr>(); record && is_row(*m.model, **record)) {
        auto row = TRY(table_of_records({data}, origin));
        query.targets.data.push_back({std::move(row), origin});
    } else if (data.items() || data.is<RecordPtr>()) {
        auto list = TRY(observations_of(m, data, origin));
        query.targets.observations.push_back(std::move(list));
    } else {
        return Fault{
            .code = "E-TYPE", .message = fmt::format("data are a table, a row, a list or counts, not {}", data.kind()), .origin = origin};
    }
    auto answer = TRY(m.model->ask(query, c.run()));
    const auto* p = std::get_if<rt::Number>(&answer.value);
    if (!p) return Fault{.code = "E-QUERY", .message = "this model gives no probability of data", .origin = c.argument(0)};
    return answer.log.value_or(p->is_zero() ? -INFINITY : p->log());
}

Result<double> log_evidence_of(CallContext& context, const ModelValue& posterior, std::size_t argument) {
    const auto* numeric = posterior.model->numeric();
    context.run().rng = context.rng().child("query");
    if (!numeric) {
        auto log = rt::log_probability_given(*posterior.model, context.run());
        if (log) return log;
        Fault fault = std::move(log).fault();
        if (fault.origin == rt::Origin::none && fault.code != "E-STOP") fault.origin = context.argument(argument);
        return fault;
    }
    auto out = numeric->log_evidence({}, context.run());
    if (!out) {
        Fault fault = std::move(out).fault();
        if (fault.origin == rt::Origin::none && fault.code != "E-STOP") fault.origin = context.argument(argument);
        return fault;
    }
    constexpr double uncertain = 0.1;
    if (out->standard_error > uncertain)
        context.note(fmt::format("ln of the evidence has a standard error of {:.2g}: draw more, as in P(* | …) by nuts(40000)",
                                 out->standard_error));
    return out->log;
}

}  // namespace credence::std_
