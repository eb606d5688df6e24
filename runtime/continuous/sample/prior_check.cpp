#include "runtime/continuous/sample/prior_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/density.hpp"
#include "runtime/continuous/exact/axes.hpp"
#include "runtime/continuous/sample/draws.hpp"

namespace credence::rt::continuous {

namespace {

/// Where the values of a term lie, from where those of its variables do; perhaps wider than they are.
struct ValueBounds {
    double low = -INFINITY;
    double high = INFINITY;
};

ValueBounds bounds_of(const Instance& instance) {
    if (instance.domain) {
        ValueBounds out{INFINITY, -INFINITY};
        for (const auto& label : instance.domain->labels()) {
            const double value = label.number() ? label.number()->real() : label.text() == "true" ? 1 : 0;
            out = {std::min(out.low, value), std::max(out.high, value)};
        }
        return out;
    }
    switch (range_of(instance.family)) {
        case Range::positive:
        case Range::counts:
            return {0, INFINITY};
        case Range::unit:
            return {0, 1};
        case Range::between:
            if (const auto* ends = instance.parameters.data() + instance.family->first_end; is_constant(ends[0]) && is_constant(ends[1]))
                return {ends[0]->value.real(), ends[1]->value.real()};
            return {};
        default:
            return {};
    }
}

ValueBounds bounds_of(const Unrolled& problem, const Term& term) {
    if (is_constant(term)) return {term->value.real(), term->value.real()};
    if (is_truth(term) || term->op == TermOp::is) return {0, 1};
    if (term->op == TermOp::variable) return bounds_of(problem.instances[index(term->variable)]);
    constexpr std::uint32_t largest = 5000;
    if (term->parts.empty() || term->size > largest) return {};
    const ValueBounds a = bounds_of(problem, term->parts[0]);
    const ValueBounds b = term->parts.size() > 1 ? bounds_of(problem, term->parts[1]) : ValueBounds{0, 0};
    const auto product = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
    switch (term->op) {
        case TermOp::add:
            return {a.low + b.low, a.high + b.high};
        case TermOp::subtract:
            return {a.low - b.high, a.high - b.low};
        case TermOp::negate:
            return {-a.high, -a.low};
        case TermOp::multiply: {
            const auto [least, most] =
                std::minmax({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
            return {least, most};
        }
        case TermOp::divide:
            if (!(b.low > 0) || !(a.low >= 0)) return {};
            return {a.low / b.high, a.high / b.low};
        case TermOp::logistic:
            return {0, 1};
        case TermOp::exp:
            return {std::exp(a.low), std::exp(a.high)};
        case TermOp::min:
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        case TermOp::max:
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        case TermOp::choose: {
            const ValueBounds c = bounds_of(problem, term->parts[2]);
            return {std::min(b.low, c.low), std::max(b.high, c.high)};
        }
        default:
            return {};
    }
}

constexpr double rounding = 1e-9;

bool is_probability(double p) { return p >= -rounding && p <= 1 + rounding; }

/// A probability whose bounds reach beyond 0 and 1, or the sum of the probabilities of labels.
struct Suspect {
    std::size_t instance = 0;
    Term term;
    bool is_sum = false;
};

bool is_possible(const Suspect& suspect, double p) { return is_probability(p) && !(suspect.is_sum && std::abs(p - 1) > rounding); }

Fault wrong_probability(const Unrolled& problem, const Suspect& suspect, double p) {
    const auto& name = problem.instances[suspect.instance].name;
    const std::string text = term_text(suspect.term, [&](VarId v) { return problem.name(v); });
    if (suspect.is_sum)
        return {.code = "E-SUM",
                .message = fmt::format("the probabilities of {} can have the sum {:.3g}: {}", name, p, text),
                .label = "probabilities of all values sum to 1",
                .hint = "give one value the rest, as in { yes: x, no: 1 - x }, or divide by the sum"};
    return {.code = "E-PARAMETER",
            .message = fmt::format("the probability of {} can be {:.3g}: {}", name, p, text),
            .label = "probabilities lie between 0 and 1",
            .hint = "a parameter drawn from a prior must stay in range: 1 / (1 + exp(-x)) is a probability for every x"};
}

std::vector<Suspect> suspects_in(const Unrolled& problem) {
    constexpr std::size_t most_suspects = 20;
    std::vector<Suspect> out;
    for (std::size_t i = 0; i < problem.instances.size() && out.size() < most_suspects; ++i) {
        const auto& instance = problem.instances[i];
        if (instance.table || instance.set) continue;
        if (instance.family == Family::categorical) {
            Term sum = constant_term(0);
            for (const auto& term : instance.parameters) sum = make_term(TermOp::add, {sum, term});
            if (sum->has_variables) out.push_back({i, sum, true});
        }
        for (std::size_t k = 0; k < instance.parameters.size(); ++k) {
            const bool one = instance.family == Family::categorical ||
                             (k < instance.family->parameters.size() && instance.family->parameters[k].role == Role::probability);
            const Term& term = instance.parameters[k];
            if (!one || !term->has_variables) continue;
            const ValueBounds bounds = bounds_of(problem, term);
            if (!is_probability(bounds.low) || !is_probability(bounds.high)) out.push_back({i, term});
        }
    }
    return out;
}

/// They and all that they are computed from.
std::vector<bool> ancestors_of(const Unrolled& problem, const std::vector<Suspect>& suspects) {
    std::vector<bool> out(problem.instances.size(), false);
    const auto mark = [&](const Term& term) {
        for (const auto v : variables_of(term)) out[index(v)] = true;
    };
    for (const auto& suspect : suspects) mark(suspect.term);
    for (std::size_t i = out.size(); i-- > 0;) {
        if (!out[i] || problem.instances[i].value) continue;
        for (const auto& term : problem.instances[i].parameters) mark(term);
        for (const auto v : problem.instances[i].table_parents) out[index(v)] = true;
    }
    return out;
}

}  // namespace

Status check_probabilities(const Unrolled& problem, const Run& run) {
    const bool restricted =
        std::any_of(problem.real_events.begin(), problem.real_events.end(), [](const RealEvent& e) { return e.evidence; }) ||
        std::any_of(problem.instances.begin(), problem.instances.end(), [](const Instance& i) { return i.tied || !i.region.empty(); });
    if (restricted) return Done{};
    const auto suspects = suspects_in(problem);
    if (suspects.empty()) return Done{};
    const auto needed = ancestors_of(problem, suspects);
    constexpr std::ptrdiff_t most_drawn = 2000;
    if (std::count(needed.begin(), needed.end(), true) > most_drawn) return Done{};
    const Rng rng = run.rng.child("probabilities");
    std::vector<double> row(problem.instances.size(), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = observed_value(problem.instances[i]);
    constexpr std::size_t draws = 100;
    for (std::size_t d = 0; d < draws; ++d) {
        Rng own = rng.child(d);
        TermEvaluation terms = terms_in(problem, row);
        for (std::size_t i = 0; i < row.size(); ++i)
            if (needed[i] && problem.instances[i].latent() && !draw_forward(problem, i, nullptr, row, terms, own)) return Done{};
        for (const auto& suspect : suspects) {
            const double p = terms(suspect.term);
            if (!is_possible(suspect, p)) return wrong_probability(problem, suspect, p);
        }
    }
    return Done{};
}

}  // namespace credence::rt::continuous
