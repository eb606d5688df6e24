// Uncertain evidence: `Y ~ {a: 0.7, b: 0.3}`, `y ~ normal(3, 0.5)`, `Y likelihood {a: 3, b: 1}`.

#include <fmt/format.h>

#include "lang/eval/lower_query.hpp"
#include "lang/value/factor_names.hpp"
#include "lang/value/show.hpp"
#include "lang/world/messages.hpp"
#include "runtime/prob/queries/averaged.hpp"

namespace credence::lang {

/// Of a number: by a distribution of numbers, in nets alone.
Status QueryLowering::soft_number(rt::VarId id, const EventAtom& a, const Value& value, Span span) {
    const std::string& name = var(id).name;
    const std::string measurement = fmt::format("declare a measurement in the net, seen ~ normal({}, 0.5), and observe it: seen = 3", name);
    if (model_.model->kind() != "net")
        return self_.fault("E-QUERY", fmt::format("{} is real-valued: uncertain evidence needs labels", name), span, {},
                           model_.model->kind() == "table" ? fmt::format("as_labels(t, {}) turns its numbers into labels", name) : "");
    if (a.op == EventOp::likelihood)
        return self_.fault("E-QUERY", fmt::format("{} is real-valued, and likelihood takes a number for each label", name), span, {},
                           measurement);
    const auto* d = value.get<rt::DistributionPtr>();
    if (!d || ((*d)->support() != rt::Support::reals && (*d)->support() != rt::Support::integers))
        return self_.fault("E-TYPE", fmt::format("{} is real-valued: a distribution of numbers is needed here, not {}", name, value.kind()),
                           a.value->span, {}, fmt::format("as in {} ~ normal(3, 0.5)", name));
    if (averaged_)
        return self_.fault("E-QUERY", "only one number can be given by a distribution", span,
                           "two of them say nothing of how they depend on each other", measurement);
    averaged_ = ModelValue{rt::averaged_over(model_.model, id, *d, self_.origin(span)), model_.name};
    return rt::Done{};
}

/// Numbers by label: a record, a factor over one variable, or a distribution that has them.
Result<rt::Factor> QueryLowering::soft_weights(rt::VarId id, const EventAtom& a, const Value& value) {
    if (const auto* f = value.get<FactorPtr>(); f && (*f)->variables().size() == 1) return **f;
    if (const auto* r = value.get<RecordPtr>())
        if (auto factor = record_as_factor(**r, var(id).name)) return *std::move(factor);
    if (const auto* d = value.get<rt::DistributionPtr>(); d && (*d)->finite_values()) {
        std::vector<rt::Number> numbers;
        const auto domain = (*d)->finite_values();
        for (const auto& label : domain->labels())
            numbers.push_back(TRY(
                (*d)->pdf((*d)->support() != rt::Support::labels && label.number() ? rt::Outcome(*label.number()) : rt::Outcome(label))));
        return rt::Factor::of_numbers({{var(id).name, domain}}, numbers);
    }
    return self_.fault("E-TYPE", fmt::format("a record of numbers by label is needed here, not {}", value.kind()), a.value->span, {},
                       fmt::format("as in {} ~ {{{}: 0.7, …}}", var(id).name, show_label((*var(id).domain)[0].text())));
}

Status QueryLowering::soft(const EventAtom& a, Span span, rt::Clause& clause) {
    const auto id = TRY(variable(a.variable, false));
    const auto value = TRY(self_.eval(*a.value, frame_));
    if (!var(id).is_discrete()) return soft_number(id, a, value, span);
    const auto factor = TRY(soft_weights(id, a, value));
    rt::SoftEvidence out;
    out.kind = a.op == EventOp::distributed ? rt::SoftEvidence::Kind::jeffrey : rt::SoftEvidence::Kind::likelihood;
    out.variable = id;
    out.origin = self_.origin(span);
    out.weights.assign(var(id).size(), rt::Number(0));
    for (std::size_t i = 0; i < factor.size(); ++i) {
        const auto label = rt::truth_of_number(*var(id).domain, factor.labels(i)[0]);
        const auto position = var(id).domain->find(label);
        if (!position && factor.at(i).is_zero()) continue;
        if (!position) return self_.at(no_such_label(var(id), label), a.value->span);
        out.weights[*position] = factor.at(i);
        if (out.weights[*position].sign() < 0)
            return self_.fault("E-NEGATIVE", fmt::format("the weight of {} is negative", label.text()), a.value->span);
    }
    clause.soft.push_back(std::move(out));
    return rt::Done{};
}

}  // namespace credence::lang
