#include "runtime/prob/queries/measure.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"

namespace credence::rt {

namespace {

Sizes sizes_of(const Variables& variables) {
    Sizes out;
    for (const auto& v : variables) out.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
    return out;
}

std::vector<std::pair<Slot, std::size_t>> configuration(std::span<const Slot> slots, std::size_t entry, const Sizes& sizes) {
    std::vector<std::pair<Slot, std::size_t>> out(slots.size());
    for (std::size_t i = slots.size(); i-- > 0;) {
        out[i] = {slots[i], entry % sizes[slots[i]]};
        entry /= sizes[slots[i]];
    }
    return out;
}

/// Divides num, over `scope`, by den, over `given` (a subset of scope); a zero of den is a contradiction.
template <Prob P>
Status divide(Potential<P>& num, const Potential<P>& den, const Sizes& sizes, const ZeroFault& zero, Work& work) {
    for (std::size_t g = 0; g < den.values.size(); ++g) {
        if (!den.values[g].is_zero()) continue;
        return zero(configuration(den.variables, g, sizes));
    }
    const auto strides = strides_in(den.variables, num.variables, sizes);
    for (std::size_t i = 0; i < num.values.size(); ++i) {
        std::size_t at = 0;
        std::size_t rest = i;
        for (std::size_t v = num.variables.size(); v-- > 0;) {
            at += strides[v] * (rest % sizes[num.variables[v]]);
            rest /= sizes[num.variables[v]];
        }
        num.values[i] /= den.values[at];
        work.count(num.values[i]);
    }
    if (auto fault = work.interrupted()) return *std::move(fault);
    return Done{};
}

/// μ(G) from μ(answer), where nothing distinguishes the sides: sums the other variables of the answer out.
template <Prob P>
Potential<P> sum_to(const Potential<P>& f, std::span<const Slot> keep, const Sizes& sizes) {
    Potential<P> out{{keep.begin(), keep.end()}, {}};
    const auto strides = strides_in(keep, f.variables, sizes);
    std::vector<Total<P>> totals(static_cast<std::size_t>(table_size(keep, sizes)));
    for (std::size_t i = 0; i < f.values.size(); ++i) {
        std::size_t at = 0;
        std::size_t rest = i;
        for (std::size_t v = f.variables.size(); v-- > 0;) {
            at += strides[v] * (rest % sizes[f.variables[v]]);
            rest /= sizes[f.variables[v]];
        }
        totals[at].add(f.values[i]);
    }
    for (const auto& total : totals) out.values.push_back(total.get());
    return out;
}

/// Jeffrey's rule, P'(x) = Σ_y q(y) P(x | y): the measure weighed by q(y) / P(y | G, e), configuration by configuration of G.
template <Prob P>
Status impose(Measure<P>& measure, const SoftEvidence& soft, std::span<const Slot> given, const Variables& variables, const Sizes& sizes,
              const ZeroFault& zero, Work& work) {
    const auto y = static_cast<Slot>(index(soft.variable));
    std::vector<Slot> scope{y};
    for (const auto slot : given)
        if (slot != y) scope.push_back(slot);
    auto now = TRY(measure.marginal(scope, Side::evidence, work));
    if (auto status = divide(now, sum_to<P>(now, given, sizes), sizes, zero, work); !status) return status;
    const std::size_t others = now.values.size() / sizes[y];
    for (std::size_t i = 0; i < now.values.size(); ++i) {
        const P wanted = prob_of<P>(soft.weights[i / others]);
        P& value = now.values[i];
        if (wanted.is_zero()) {
            value = P();
        } else if (value.is_zero()) {
            const auto& v = variables[y].variable;
            return Fault{.code = "E-ZERO",
                         .message = fmt::format("{} = {} has probability zero under the other evidence, but {} ~ {{…}} gives it {}", v.name,
                                                (*v.domain)[i / others].text(), v.name, label_text(soft.weights[i / others])),
                         .origin = soft.origin,
                         .hint = "a new distribution can only redistribute what was possible"};
        } else {
            value = wanted / value;
        }
    }
    measure.weigh(std::move(now));
    return Done{};
}

template <Prob P>
Result<Answer> most_probable(Measure<P>& measure, const Shape& shape, const Variables& variables, const Sizes& sizes, const ZeroFault& zero,
                             Work& work) {
    auto total = TRY(measure.marginal({}, Side::evidence, work));
    if (total.values[0].is_zero()) { return zero({}); }
    auto best = TRY(measure.maximum(shape.targets, sizes, work));
    Assignment out;
    for (std::size_t i = 0; i < shape.targets.size(); ++i) {
        const auto& v = variables[shape.targets[i]].variable;
        out.values.emplace_back(v, (*v.domain)[best.values[i]]);
    }
    out.probability = to_number(P(best.weight / total.values[0]));
    out.ties = best.ties < 1e15 ? static_cast<std::size_t>(best.ties) : 1;
    Answer answer;
    answer.value = std::move(out);
    answer.exact = std::same_as<P, Rational>;
    return answer;
}

Assignment assignment_of(const Factor& f) {
    const auto best = argmax(f);
    const auto labels = f.labels(best.entry);
    Assignment out{.values = {}, .probability = f.at(best.entry), .ties = best.ties.size()};
    for (std::size_t i = 0; i < labels.size(); ++i) out.values.emplace_back(f.variables()[i], labels[i]);
    return out;
}

}  // namespace

Shape shape_of(const Query& query) {
    Shape out;
    const auto add = [](std::vector<Slot>& to, VarId v) {
        const auto slot = static_cast<Slot>(index(v));
        if (!contains(to, slot)) to.push_back(slot);
    };
    for (const auto v : query.targets.free) add(out.targets, v);
    for (const auto v : query.given.free) add(out.given, v);
    out.answer = out.targets;
    for (const auto v : query.given.free) add(out.answer, v);
    out.target_events = !query.targets.events.empty() || !query.targets.observations.empty() || !query.targets.data.empty();
    return out;
}

Status check_soft(std::span<const SoftEvidence> soft, const Variables& variables) {
    for (const auto& item : soft) {
        const auto& name = variables[index(item.variable)].variable.name;
        Number total = 0;
        for (const auto& weight : item.weights) {
            if (weight.sign() < 0 || !std::isfinite(weight.real()))
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("{} is given the weight {}", name, label_text(weight)),
                             .origin = item.origin,
                             .label = "weights are finite and not negative"};
            total += weight;
        }
        if (item.kind == SoftEvidence::Kind::likelihood) {
            if (total.is_zero())
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("all weights of {} are zero", name),
                             .origin = item.origin,
                             .label = "at least one value must stay possible"};
            continue;
        }
        constexpr double rounding = 1e-9;
        const bool sums = total.is_exact() ? total == Number(1) : std::abs(total.real() - 1) <= rounding;
        if (!sums)
            return Fault{.code = "E-SUM",
                         .message = fmt::format("the new distribution of {} sums to {}, not 1", name, label_text(total)),
                         .origin = item.origin,
                         .hint = fmt::format("for weights that need not sum to 1 write {} likelihood {{…}}", name)};
    }
    return Done{};
}

template <Prob P>
Result<Maximum<P>> Measure<P>::maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) {
    auto joint = TRY(marginal(over, Side::all, work));
    std::size_t best = 0;
    for (std::size_t i = 1; i < joint.values.size(); ++i)
        if (joint.values[best] < joint.values[i]) best = i;
    Maximum<P> out{{}, joint.values[best], 0};
    for (const auto& value : joint.values) out.ties += value == joint.values[best] ? 1 : 0;
    for (const auto& [slot, value] : configuration(over, best, sizes)) out.values.push_back(value);
    return out;
}

template <Prob P>
Status apply_soft_evidence(Measure<P>& measure, const Query& query, const Variables& variables, const ZeroFault& zero, Work& work) {
    const Shape shape = shape_of(query);
    const Sizes sizes = sizes_of(variables);
    for (const auto& item : query.given.soft) {
        if (item.kind != SoftEvidence::Kind::likelihood) continue;
        Potential<P> weights{{static_cast<Slot>(index(item.variable))}, {}};
        for (const auto& weight : item.weights) weights.values.push_back(prob_of<P>(weight));
        measure.weigh(std::move(weights));
    }
    for (const auto& item : query.given.soft) {
        if (item.kind != SoftEvidence::Kind::jeffrey) continue;
        if (auto status = impose(measure, item, shape.given, variables, sizes, zero, work); !status) return status;
    }
    return Done{};
}

template <Prob P>
Result<Answer> answer_query(Measure<P>& measure, const Query& query, const Variables& variables, const ZeroFault& zero, Work& work) {
    const Shape shape = shape_of(query);
    const Sizes sizes = sizes_of(variables);
    TRY(apply_soft_evidence(measure, query, variables, zero, work));
    if (query.goal == Goal::most_probable && shape.given.empty() && !shape.targets.empty())
        return most_probable(measure, shape, variables, sizes, zero, work);

    auto answer = TRY(measure.marginal(shape.answer, Side::all, work));
    if (shape.target_events) {
        auto den = TRY(measure.marginal(shape.given, Side::evidence, work));
        TRY(divide(answer, den, sizes, zero, work));
    } else {
        TRY(divide(answer, sum_to<P>(answer, shape.given, sizes), sizes, zero, work));
    }
    Answer out;
    out.exact = std::same_as<P, Rational>;
    if (shape.answer.empty()) {
        out.value = to_number(answer.values[0]);
        if constexpr (std::same_as<P, LogProb>) {
            const LogProb p = answer.values[0];
            if (!p.is_zero() && std::get<Number>(out.value).is_zero()) out.log = p.log();
        }
        return out;
    }
    std::vector<Variable> over;
    for (const auto slot : shape.answer) over.push_back(variables[slot].variable);
    Factor factor;
    if constexpr (std::same_as<P, Rational>) {
        factor = Factor(std::move(over), std::move(answer.values));
    } else {
        Factor::Real logs;
        logs.reserve(answer.values.size());
        for (const auto p : answer.values) logs.push_back(p.log());
        factor = Factor::of_logs(std::move(over), std::move(logs));
    }
    if (query.goal == Goal::most_probable)
        out.value = assignment_of(factor);
    else
        out.value = std::move(factor);
    return out;
}

template class Measure<Rational>;
template class Measure<LogProb>;
template Status apply_soft_evidence(Measure<Rational>&, const Query&, const Variables&, const ZeroFault&, Work&);
template Status apply_soft_evidence(Measure<LogProb>&, const Query&, const Variables&, const ZeroFault&, Work&);
template Result<Answer> answer_query(Measure<Rational>&, const Query&, const Variables&, const ZeroFault&, Work&);
template Result<Answer> answer_query(Measure<LogProb>&, const Query&, const Variables&, const ZeroFault&, Work&);

}  // namespace credence::rt
