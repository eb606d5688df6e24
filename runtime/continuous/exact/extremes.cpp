#include "runtime/continuous/exact/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "runtime/prob/declared/continuous_net.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_parts = 12;

std::string extreme_key(const Term& term) {
    return term_text(term, [](VarId v) { return fmt::format("v{}", index(v)); });
}

/// max(a, max(b, c)) as a, b, c.
void flatten_extreme(const Term& term, TermOp op, std::vector<Term>& out) {
    if (term->op != op) {
        out.push_back(term);
        return;
    }
    for (const auto& part : term->parts) flatten_extreme(part, op, out);
}

Term joined_terms(const std::vector<Term>& terms, TermOp op) {
    Term out = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i) out = make_term(op, {out, terms[i]});
    return out;
}

/// A comparison of an extreme with one of its own parts: with the others. Null if it is none.
Term against_others(TermOp op, const Term& left, const Term& right) {
    for (const bool on_right : {true, false}) {
        const Term& extreme = on_right ? right : left;
        const Term& one = on_right ? left : right;
        if (extreme->op != TermOp::max && extreme->op != TermOp::min) continue;
        std::vector<Term> all;
        flatten_extreme(extreme, extreme->op, all);
        const auto key = extreme_key(one);
        const auto own = [&](const Term& part) { return extreme_key(part) == key; };
        std::vector<Term> others;
        std::copy_if(all.begin(), all.end(), std::back_inserter(others), [&](const Term& part) { return !own(part); });
        if (others.size() == all.size()) continue;
        if (others.empty()) return constant_term(op == TermOp::less ? 0 : 1);
        const Term rest = joined_terms(others, extreme->op);
        const bool greatest = extreme->op == TermOp::max;
        // The one is never above the greatest, and never below the least.
        if (op == TermOp::equal) return make_term(TermOp::less_equal, greatest ? std::vector{rest, one} : std::vector{one, rest});
        const bool possible = on_right == greatest;  // one < max, min < one
        if (possible && op == TermOp::less_equal) return constant_term(1);
        if (!possible && op == TermOp::less) return constant_term(0);
        return make_term(op, on_right ? std::vector{one, rest} : std::vector{rest, one});
    }
    return nullptr;
}

/// Comparisons of a conjunction (or disjunction) that have a side in common: one comparison with an extreme of the other sides.
Term merged_comparisons(TermOp joint, std::vector<Term> parts) {
    std::vector<Term> out;
    struct Group {
        TermOp op;
        bool below;  ///< the common side is the smaller one
        Term common;
        std::vector<Term> others;
    };
    std::map<std::string, std::size_t> sides;  // how often each side occurs in comparisons
    const auto order = [](const Term& t) { return t->op == TermOp::less || t->op == TermOp::less_equal; };
    for (const auto& part : parts)
        if (order(part))
            for (const auto& side : part->parts) ++sides[extreme_key(side)];
    std::map<std::string, Group> groups;
    for (const auto& part : parts) {
        if (!order(part) || !part->parts[0]->has_variables || !part->parts[1]->has_variables) {
            out.push_back(part);
            continue;
        }
        const bool below = sides[extreme_key(part->parts[0])] >= sides[extreme_key(part->parts[1])];
        const Term& common = part->parts[below ? 0 : 1];
        auto key = fmt::format("{} {} {}", static_cast<int>(part->op), below, extreme_key(common));
        auto& group = groups.try_emplace(std::move(key), Group{part->op, below, common, {}}).first->second;
        group.others.push_back(part->parts[below ? 1 : 0]);
    }
    for (const auto& [key, group] : groups) {
        // x < a and x < b: x < min(a, b); a < x and b < x: max(a, b) < x; with `or` the other way round.
        const Term side = joined_terms(group.others, (joint == TermOp::and_) == group.below ? TermOp::min : TermOp::max);
        out.push_back(make_term(group.op, group.below ? std::vector{group.common, side} : std::vector{side, group.common}));
    }
    return joined_terms(out, joint);
}

bool holds_below(const Term& term, const std::map<const TermNode*, std::size_t>& place, std::size_t below) {
    if (const auto at = place.find(term.get()); at != place.end()) return (below >> at->second & 1U) != 0;
    const bool first = holds_below(term->parts[0], place, below);
    if (first == (term->op == TermOp::min)) return first;  // max <= z: both are; min <= z: one is
    return holds_below(term->parts[1], place, below);
}

void collect_parts(const Term& term, std::map<std::string, std::size_t>& keys, std::map<const TermNode*, std::size_t>& place,
                   std::vector<Term>& parts) {
    if (place.contains(term.get())) return;
    if (is_extreme(term)) {
        for (const auto& part : term->parts) collect_parts(part, keys, place, parts);
        return;
    }
    const auto at = keys.try_emplace(extreme_key(term), parts.size()).first->second;
    if (at == parts.size()) parts.push_back(term);
    place[term.get()] = at;
}

class Extreme final : public Distribution {
public:
    Extreme(std::vector<DistributionPtr> parts, std::vector<char> holds) : parts_(std::move(parts)), holds_(std::move(holds)) {}

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override {
        const double middle = centre();
        const double squares = spread(middle);
        if (!std::isfinite(middle) || !std::isfinite(squares)) return {};
        return {{"mean", Number::real(middle)}, {"sd", Number::real(std::sqrt(squares))}};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        const auto* at = std::get_if<Number>(&x);
        if (!at) return Fault{.code = "E-TYPE", .message = "density is over numbers"};
        return Number::real(density(at->real()));
    }
    double log_pdf(const Outcome& x) const override {
        const auto* at = std::get_if<Number>(&x);
        return at ? std::log(density(at->real())) : -INFINITY;
    }
    Result<Number> cdf(const Number& x) const override { return Number::real(below(x.real(), false)); }
    Result<Number> above(const Number& x) const override { return Number::real(below(x.real(), true)); }
    Result<Number> quantile(const Number& p) const override {
        if (!(p.real() >= 0 && p.real() <= 1)) return Fault{.code = "E-PARAMETER", .message = "quantile: p must be between 0 and 1"};
        return Number::real(point(p.real()));
    }
    Result<Outcome> mean() const override {
        const double middle = centre();
        if (!std::isfinite(middle)) return Fault{.code = "E-UNDEFINED", .message = "density: it has no mean, its tails are too heavy"};
        return Outcome(Number::real(middle));
    }
    Result<Outcome> variance() const override {
        const double squares = spread(centre());
        if (!std::isfinite(squares)) return Fault{.code = "E-UNDEFINED", .message = "density: it has no variance, its tails are too heavy"};
        return Outcome(Number::real(squares));
    }
    Result<Number> entropy() const override {
        return Number::real(expected_value(*this, [this](double x) { return -log_pdf(Number::real(x)); }) / std::log(2.0));
    }
    Outcome sample(Rng& rng) const override {
        std::vector<double> drawn;
        for (const auto& part : parts_) drawn.push_back(std::get<Number>(part->sample(rng)).real());
        // The least drawn value such that the parts up to it make the term true.
        std::vector<double> order = drawn;
        std::sort(order.begin(), order.end());
        for (const double z : order) {
            std::size_t bits = 0;
            for (std::size_t i = 0; i < drawn.size(); ++i) bits |= static_cast<std::size_t>(drawn[i] <= z) << i;
            if (holds_[bits]) return Number::real(z);
        }
        return Number::real(order.back());
    }

private:
    double lower(std::size_t i, double z) const {
        const auto p = parts_[i]->cdf(Number::real(z));
        return p ? p->real() : NAN;
    }
    double upper(std::size_t i, double z) const {
        const auto p = parts_[i]->above(Number::real(z));
        return p ? p->real() : NAN;
    }
    /// P(the term is at most z), or above it: the sum over the patterns of parts, one part folded in at a time.
    double below(double z, bool complement) const {
        std::vector<double> sums(holds_.size());
        for (std::size_t b = 0; b < holds_.size(); ++b) sums[b] = (holds_[b] != 0) != complement ? 1 : 0;
        for (std::size_t i = parts_.size(); i-- > 0;) {
            const double p = lower(i, z);
            const double q = upper(i, z);
            const std::size_t half = std::size_t{1} << i;
            for (std::size_t b = 0; b < half; ++b) sums[b] = q * sums[b] + p * sums[b | half];
        }
        return sums[0];
    }
    /// The derivative of that: each part's density where its pattern decides.
    double density(double z) const {
        std::vector<double> sums(holds_.begin(), holds_.end());
        std::vector<double> slopes(holds_.size(), 0.0);
        for (std::size_t i = parts_.size(); i-- > 0;) {
            const double p = lower(i, z);
            const double q = upper(i, z);
            const double found = std::exp(parts_[i]->log_pdf(Number::real(z)));
            const double f = std::isfinite(found) ? found : 0;
            const std::size_t half = std::size_t{1} << i;
            for (std::size_t b = 0; b < half; ++b) {
                slopes[b] = q * slopes[b] + p * slopes[b | half] + f * (sums[b | half] - sums[b]);
                sums[b] = q * sums[b] + p * sums[b | half];
            }
        }
        return std::max(0.0, slopes[0]);
    }
    /// Between the quantiles of the parts.
    double point(double p) const {
        double low = INFINITY;
        double high = -INFINITY;
        for (const auto& part : parts_) {
            const auto ends = [&](double at) {
                const auto q = part->quantile(Number::real(at));
                return q ? q->real() : NAN;
            };
            // No part is below all of these with more than p, and all are with at least p.
            const auto n = static_cast<double>(parts_.size());
            low = std::min(low, ends(p <= 0 ? 0 : -std::expm1(std::log1p(-p) / n)));
            high = std::max(high, ends(p >= 1 ? 1 : std::pow(p, 1 / n)));
        }
        if (!std::isfinite(low) || !std::isfinite(high)) return p <= 0 ? low : high;
        if (p <= 0 || p >= 1) return end_point(p >= 1, low, high);
        for (int step = 0; step < 200; ++step) {
            const double middle = 0.5 * (low + high);
            if (!(middle > low && middle < high)) break;
            (below(middle, false) < p ? low : high) = middle;
        }
        return 0.5 * (low + high);
    }
    /// Where it ends, between the outermost ends of its parts.
    double end_point(bool upper_end, double low, double high) const {
        for (int step = 0; step < 200; ++step) {
            const double middle = 0.5 * (low + high);
            if (!(middle > low && middle < high)) break;
            const bool past = upper_end ? below(middle, true) <= 0 : below(middle, false) > 0;
            (past ? high : low) = middle;
        }
        return 0.5 * (low + high);
    }

    double centre() const {
        return expected_value(*this, [](double x) { return x; });
    }
    double spread(double middle) const {
        return expected_value(*this, [middle](double x) { return (x - middle) * (x - middle); });
    }

    std::vector<DistributionPtr> parts_;
    std::vector<char> holds_;
};

}  // namespace

std::vector<Term> parts_under(const Term& term, TermOp op) {
    std::vector<Term> out;
    flatten_extreme(term, op, out);
    return out;
}

bool is_extreme(const Term& term) { return term->has_variables && (term->op == TermOp::min || term->op == TermOp::max); }

Term with_extremes_apart(const Term& condition) {
    if (!condition->has_variables || condition->parts.empty()) return condition;
    const TermOp op = condition->op;
    if (op == TermOp::less || op == TermOp::less_equal || op == TermOp::equal) {
        Term left = condition->parts[0];
        Term right = condition->parts[1];
        if (left->op == TermOp::subtract && is_constant(right) && right->value.is_zero()) {  // a - b < 0
            right = left->parts[1];
            left = Term(left->parts[0]);
        } else if (right->op == TermOp::subtract && is_constant(left) && left->value.is_zero()) {  // 0 < a - b
            left = right->parts[1];
            right = Term(right->parts[0]);
        }
        const Term apart = against_others(op, left, right);
        if (apart) return apart;
        return op == TermOp::equal ? condition : make_term(op, {left, right});
    }
    if (op == TermOp::and_ || op == TermOp::or_) {
        std::vector<Term> parts;
        flatten_extreme(condition, op, parts);
        for (auto& part : parts) part = with_extremes_apart(part);
        return merged_comparisons(op, std::move(parts));
    }
    if (op != TermOp::not_) return condition;
    const Term& inner = condition->parts[0];
    const auto negated = [](const Term& part) { return make_term(TermOp::not_, {part}); };
    if (inner->op == TermOp::less || inner->op == TermOp::less_equal)
        return with_extremes_apart(
            make_term(inner->op == TermOp::less ? TermOp::less_equal : TermOp::less, {inner->parts[1], inner->parts[0]}));
    if (inner->op == TermOp::and_ || inner->op == TermOp::or_)
        return with_extremes_apart(
            make_term(inner->op == TermOp::and_ ? TermOp::or_ : TermOp::and_, {negated(inner->parts[0]), negated(inner->parts[1])}));
    return make_term(op, {with_extremes_apart(inner)});
}

std::optional<ExtremeParts> parts_of_extreme(const Term& term) {
    std::map<std::string, std::size_t> keys;
    std::map<const TermNode*, std::size_t> place;
    ExtremeParts out;
    collect_parts(term, keys, place, out.parts);
    if (out.parts.size() > most_parts) return std::nullopt;
    out.holds.resize(std::size_t{1} << out.parts.size());
    for (std::size_t b = 0; b < out.holds.size(); ++b) out.holds[b] = holds_below(term, place, b) ? 1 : 0;
    return out;
}

DistributionPtr make_extreme(std::vector<DistributionPtr> parts, std::vector<char> holds) {
    return std::make_shared<const Extreme>(std::move(parts), std::move(holds));
}

}  // namespace credence::rt::continuous
