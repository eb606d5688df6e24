#include "runtime/continuous/exact/means.hpp"

#include <algorithm>

#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

namespace {

/// The mean of a family as a term of its parameters; null if it is not so simple.
Term mean_term(Family family, const std::vector<Term>& p) {
    if (family == Family::normal || family == Family::laplace || family == Family::poisson) return p[0];
    if (family == Family::binomial) return make_term(TermOp::multiply, {p[0], p[1]});
    if (family == Family::exponential) return make_term(TermOp::divide, {constant_term(1), p[0]});
    if (family == Family::geometric)
        return make_term(TermOp::subtract, {make_term(TermOp::divide, {constant_term(1), p[0]}), constant_term(1)});
    if (family == Family::gamma) return make_term(TermOp::divide, {p[0], p[1]});
    if (family == Family::beta) return make_term(TermOp::divide, {p[0], make_term(TermOp::add, {p[0], p[1]})});
    return nullptr;
}

bool stands_within(const Term& term, VarId v) {
    const auto from = variables_of(term);
    return std::binary_search(from.begin(), from.end(), v);
}

/// Whether nothing was drawn from it, and no evidence speaks of it.
bool is_open_leaf(const Unrolled& problem, VarId v) {
    for (const auto& instance : problem.instances) {
        if (instance.tied && stands_within(instance.tied, v)) return false;
        if (std::any_of(instance.parameters.begin(), instance.parameters.end(), [&](const Term& t) { return stands_within(t, v); }))
            return false;
    }
    return std::none_of(problem.real_events.begin(), problem.real_events.end(),
                        [&](const RealEvent& event) { return std::find(event.over.begin(), event.over.end(), v) != event.over.end(); });
}

}  // namespace

std::optional<Number> mean_given(const Posterior& posterior, const Term& term, bool& integrated) {
    if (const auto linear = as_linear(term)) {
        Number out = linear->constant;
        for (const auto& [v, coefficient] : linear->coefficients) {
            const auto d = marginal_of(posterior, variable_term(v));
            const auto mean = d ? d->mean() : Result<Outcome>(Fault{});
            if (!mean) return std::nullopt;
            out += coefficient * std::get<Number>(*mean);
        }
        return out;
    }
    if (auto mean = mean_of_polynomial(posterior, term)) return mean;
    const auto from = variables_of(term);
    const auto d = from.size() == 1 ? marginal_of(posterior, variable_term(from[0])) : nullptr;
    if (!d) return std::nullopt;
    integrated = true;
    return Number::real(expected_value(*d, [&](double x) { return evaluate(term, [x](const TermNode&) { return x; }); }));
}

bool are_independent(const Subproblem& subproblem, const Term& a, const Term& b) {
    if (!a->has_variables || !b->has_variables) return false;
    const auto from = variables_of(a);
    const auto other = variables_of(b);
    const auto meets = [](const std::vector<VarId>& variables, const Subproblem& piece) {
        return std::any_of(variables.begin(), variables.end(),
                           [&](VarId v) { return std::binary_search(piece.latents.begin(), piece.latents.end(), v); });
    };
    const auto pieces = connected(subproblem);
    return std::none_of(pieces.begin(), pieces.end(), [&](const Subproblem& piece) { return meets(from, piece) && meets(other, piece); });
}

Term with_means_of_leaves(const Unrolled& problem, const Term& term) {
    const auto linear = as_linear(term);
    if (!linear) return term;
    return rewrite(term, [&](const TermNode& leaf) -> Term {
        const Instance& own = problem.instances[index(leaf.variable)];
        const bool drawn = leaf.op == TermOp::variable && own.is_real_latent() && !own.set && !own.table;
        // By its own distribution a number without parents has an exact mean.
        const bool hangs = std::any_of(own.parameters.begin(), own.parameters.end(), [](const Term& t) { return t->has_variables; });
        if (!drawn || !hangs || !is_open_leaf(problem, leaf.variable)) return nullptr;
        return mean_term(own.family, own.parameters);
    });
}

}  // namespace credence::rt::continuous
