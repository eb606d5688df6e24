// The terms of a parametric space, in exact numbers.

#include <algorithm>
#include <cmath>

#include "runtime/hypotheses/grid.hpp"
#include "runtime/prob/declared/hypotheses.hpp"

namespace credence::rt {

namespace {

/// The values of the variables at one point of the grid, parameters first. Null: a label that is not a number.
struct GridPoint {
    std::vector<const Label*> labels;
    std::vector<const Number*> numbers;
};

/// Nothing if it has no value.
std::optional<Number> operation(TermOp op, const Number& a, const Number& b) {
    Number out = number_value(op, a, b);
    return out.is_exact() || std::isfinite(out.real()) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Number> number_at(const Term& term, const GridPoint& point) {
    switch (term->op) {
        case TermOp::constant:
            return term->value;
        case TermOp::variable:
            if (const auto* n = point.numbers[index(term->variable)]) return *n;
            return std::nullopt;
        case TermOp::is:
            return Number(*point.labels[index(term->variable)] == term->label ? 1 : 0);
        case TermOp::choose: {
            const auto condition = number_at(term->parts[0], point);
            if (!condition) return std::nullopt;
            return number_at(term->parts[condition->is_zero() ? 2 : 1], point);
        }
        default:
            break;
    }
    const auto a = number_at(term->parts[0], point);
    if (!a) return std::nullopt;
    if (term->parts.size() == 1) return operation(term->op, *a, Number(0));
    const auto b = number_at(term->parts[1], point);
    if (!b) return std::nullopt;
    return operation(term->op, *a, *b);
}

/// The points of the grid, in the order of the hypotheses.
class GridPoints {
public:
    explicit GridPoints(std::span<const Variable> parameters) : parameters_(parameters.begin(), parameters.end()) {
        for (const auto& p : parameters_) {
            auto& own = numbers_.emplace_back();
            for (const auto& label : p.domain->labels()) own.push_back(label.number() ? std::optional(*label.number()) : std::nullopt);
        }
    }
    std::size_t size() const {
        std::size_t out = 1;
        for (const auto& p : parameters_) out *= p.size();
        return out;
    }
    std::size_t parameters() const { return parameters_.size(); }
    GridPoint room(std::size_t inputs = 0) const {
        GridPoint out;
        out.labels.resize(parameters_.size() + inputs);
        out.numbers.resize(parameters_.size() + inputs);
        return out;
    }
    void put(std::size_t hypothesis, GridPoint& point) const {
        for (std::size_t k = parameters_.size(); k-- > 0; hypothesis /= parameters_[k].size()) {
            const std::size_t i = hypothesis % parameters_[k].size();
            point.labels[k] = &(*parameters_[k].domain)[i];
            point.numbers[k] = numbers_[k][i] ? &*numbers_[k][i] : nullptr;
        }
    }

private:
    std::vector<Variable> parameters_;
    std::vector<std::vector<std::optional<Number>>> numbers_;
};

bool is_probability(const Number& p) { return p.sign() >= 0 && p <= Number(1); }

}  // namespace

std::optional<std::vector<Number>> values_on_grid(const Term& term, std::span<const Variable> parameters) {
    const GridPoints grid(parameters);
    GridPoint point = grid.room();
    std::vector<Number> out;
    out.reserve(grid.size());
    for (std::size_t h = 0; h < grid.size(); ++h) {
        grid.put(h, point);
        auto value = number_at(term, point);
        if (!value) return std::nullopt;
        out.push_back(*std::move(value));
    }
    return out;
}

OutcomeOf outcome_by_terms(const OutcomeTerms& terms, std::span<const Variable> parameters) {
    const auto points = std::make_shared<const GridPoints>(parameters);
    return [terms, points](std::size_t h, std::span<const Label> inputs) -> Result<DistributionPtr> {
        GridPoint point = points->room(inputs.size());
        points->put(h, point);
        std::vector<std::optional<Number>> numbers;
        numbers.reserve(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            numbers.push_back(inputs[i].number() ? std::optional(*inputs[i].number()) : std::nullopt);
            point.labels[points->parameters() + i] = &inputs[i];
            point.numbers[points->parameters() + i] = numbers.back() ? &*numbers.back() : nullptr;
        }
        std::vector<Number> values;
        for (const auto& term : terms.parameters) {
            auto value = number_at(term, point);
            if (!value) return Fault{.code = "E-UNDEFINED", .message = "the hypothesis says nothing here"};
            values.push_back(*std::move(value));
        }
        return make_distribution(terms.family, values, terms.labels);
    };
}

bool tabulate_terms(HypothesisSpace& space) {
    const OutcomeTerms& terms = *space.terms;
    const bool boolean = terms.family == Family::bernoulli;
    if (!boolean && terms.family != Family::categorical) return false;
    std::vector<Label> labels = boolean ? boolean_domain()->labels() : terms.labels;
    std::vector<std::size_t> order(labels.size());  // by label of the domain: its position in the terms
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    if (std::all_of(labels.begin(), labels.end(), [](const Label& l) { return l.is_number(); }))
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return labels[a] < labels[b]; });
    const GridPoints grid(space.parameters);
    GridPoint point = grid.room();
    std::vector<Number> table;
    table.reserve(grid.size() * labels.size());
    std::vector<Number> row(labels.size());
    for (std::size_t h = 0; h < grid.size(); ++h) {
        grid.put(h, point);
        Number total = 0;
        for (std::size_t k = 0; k < terms.parameters.size(); ++k) {
            auto p = number_at(terms.parameters[k], point);
            if (!p || !is_probability(*p)) return false;
            row[k] = *std::move(p);
            if (!boolean) total += row[k];
        }
        if (boolean)
            row[1] = Number(1) - row[0];
        else if (!sums_to_one(total))
            return false;
        for (const auto k : order) table.push_back(row[k]);
    }
    std::vector<Label> sorted;
    for (const auto k : order) sorted.push_back(labels[k]);
    space.outcome.domain = make_domain(std::move(sorted));
    space.table = std::move(table);
    return true;
}

bool draws_numbers(const HypothesisSpace& space) {
    const Family family = space.terms->family;
    if (!family->log_density || family->top) return false;
    // The density at one point shows which hypotheses need a closer look. By its own function it is NaN where they do.
    const Number inside = family->range == ValueRange::unit ? Number(Rational(1, 2)) : Number(1);
    const ObservationGroup probe{.inputs = {}, .value = Label::of_number(inside), .count = 1};
    const auto logs = grid_log_likelihoods(space, std::span(&probe, 1));
    if (!logs) return false;
    const auto closer = outcome_by_terms(*space.terms, space.parameters);
    for (std::size_t h = 0; h < logs->size(); ++h) {
        const bool fine = family->log_density_term ? std::isfinite((*logs)[h]) : !std::isnan((*logs)[h]);
        if (!fine && !closer(h, {})) return false;
    }
    return true;
}

}  // namespace credence::rt
