// Multinomial: how often each of k outcomes occurs in n independent trials. Given those before it, each count is binomial.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

constexpr double most_trials_of_all = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
constexpr double most_exact_counts = 1000;
constexpr double most_summed_trials = 1e6;  // of the entropy; beyond, what the normal limit leaves out is below 1e-6 bits

class Multinomial final : public Distribution {
public:
    Multinomial(Number n, std::vector<Number> p) : n_(std::move(n)), trials_(n_.real()), p_(std::move(p)) {
        bits_ = trials_;
        double rest = 1;
        for (const Number& share : p_) {
            const double x = share.real();
            shares_.push_back(x);
            given_.push_back(rest > 0 ? std::min(1.0, x / rest) : 0.0);
            rest -= x;
            exact_ = exact_ && share.is_exact();
            if (exact_) bits_ = std::max(bits_, trials_ * static_cast<double>(share.exact().bits()));
        }
        // What rounding leaves over or takes away falls to the last outcome that can occur.
        for (std::size_t j = shares_.size(); j-- > 0;)
            if (shares_[j] > 0) {
                given_[j] = 1;
                break;
            }
        exact_ = exact_ && trials_ <= most_exact_counts && bits_ <= static_cast<double>(exact_bits_limit);
    }

    std::string_view name() const override { return "multinomial"; }
    std::vector<Parameter> parameters() const override { return {{"n", n_}, {"p", p_}}; }
    Support support() const override { return Support::vectors; }

    Result<Number> pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != p_.size()) return outcome_fault(name(), fmt::format("a list of {} numbers", p_.size()), x);
        if (!adds_up(*point)) return Number(0);
        return exact_ ? Number(exact_mass(*point)) : Number::real(std::exp(log_pdf(x)));
    }
    double log_pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != p_.size() || !adds_up(*point)) return -infinity;
        double sum = 0;
        double left = trials_;
        for (std::size_t j = 0; j < given_.size() && left > 0; ++j) {
            const double count = (*point)[j].real();
            if (count > 0 && given_[j] == 0) return -infinity;
            if (count < left && given_[j] == 1) return -infinity;
            if (given_[j] > 0 && given_[j] < 1) sum += log_binomial_mass(count, left, given_[j], 1 - given_[j]);
            left -= count;
        }
        return sum;
    }
    Result<Number> cdf(const Number&) const override { return unordered_fault(name(), "cdf", "vectors"); }
    Result<Number> quantile(const Number&) const override { return unordered_fault(name(), "quantile", "vectors"); }
    /// No count of the mode is below ⌊n p⌋ (Feller, 1968, VI.10); the trials that are left go one by one to where p / (count + 1) is
    /// largest.
    Result<Outcome> mode() const override {
        Point out;
        double left = trials_;
        for (const Number& share : p_) {
            out.push_back(Number(Rational(static_cast<std::int64_t>(std::floor((n_ * share).real())))));
            left -= out.back().real();
        }
        for (; left > 0; --left) {
            std::size_t best = 0;
            for (std::size_t j = 1; j < p_.size(); ++j)
                if (p_[best] / (out[best] + Number(1)) < p_[j] / (out[j] + Number(1))) best = j;
            out[best] += Number(1);
        }
        return Outcome(std::move(out));
    }
    Result<Outcome> mean() const override {
        Point out;
        for (const Number& share : p_) out.push_back(n_ * share);
        return Outcome(std::move(out));
    }
    Result<Outcome> variance() const override {
        Point out;
        for (const Number& share : p_) out.push_back(n_ * share * (Number(1) - share));
        return Outcome(std::move(out));
    }
    /// −ln n! − n Σ p ln p + Σ E[ln X!], the expectations over each count's own binomial.
    Result<Number> entropy() const override {
        CompensatedSum nats;
        if (trials_ > most_summed_trials) {
            std::size_t possible = 0;
            for (const double p : shares_) {
                if (p == 0) continue;
                ++possible;
                nats.add(0.5 * std::log(p));
            }
            nats.add(0.5 * static_cast<double>(possible - 1) * (ln_2pi + 1 + std::log(trials_)));
            return Number::real(possible < 2 ? 0 : nats.value() * nats_to_bits);
        }
        nats.add(-log_gamma(trials_ + 1));
        for (const double p : shares_) {
            if (p == 0) continue;
            nats.add(-trials_ * p * std::log(p));
            const double reach = 12 * std::sqrt(trials_ * p * (1 - p)) + 40;
            const double first = std::max(0.0, std::floor(trials_ * p - reach));
            const double last = std::min(trials_, std::ceil(trials_ * p + reach));
            for (double k = first; k <= last; ++k) {
                const double mass = p == 1 ? (k == trials_ ? 1.0 : 0.0) : std::exp(log_binomial_mass(k, trials_, p, 1 - p));
                if (mass > 0) nats.add(mass * log_gamma(k + 1));
            }
        }
        return Number::real(std::max(0.0, nats.value()) * nats_to_bits);
    }
    Outcome sample(Rng& rng) const override {
        Point out;
        double left = trials_;
        for (const double p : given_) {
            Number count(0);
            if (left > 0 && p > 0) {
                const auto drawn = make_binomial(Number(Rational(static_cast<std::int64_t>(left))), Number::real(p));
                count = std::get<Number>((*drawn)->sample(rng));
            }
            left -= count.real();
            out.push_back(std::move(count));
        }
        return out;
    }

private:
    bool adds_up(const Point& point) const {
        double sum = 0;
        for (const Number& count : point) {
            const double x = count.real();
            if (!(x >= 0) || x != std::floor(x)) return false;
            sum += x;
        }
        return sum == trials_;
    }
    Rational exact_mass(const Point& point) const {
        Rational out = factorial(static_cast<std::int64_t>(trials_));
        for (std::size_t j = 0; j < p_.size(); ++j) {
            const auto count = static_cast<std::int64_t>(point[j].real());
            out *= p_[j].exact().pow(count) / factorial(count);
        }
        return out;
    }

    Number n_;
    double trials_;
    std::vector<Number> p_;
    std::vector<double> shares_;
    std::vector<double> given_;  ///< the probability of each outcome in the trials that were none of those before it
    bool exact_ = true;
    double bits_ = 0;
};

}  // namespace

Result<DistributionPtr> make_multinomial(const Number& n, std::vector<Number> p) {
    ParameterCheck check("multinomial");
    const double trials = n.real();
    check.require(trials >= 0 && trials == std::floor(trials) && trials <= most_trials_of_all, "n", "be a whole number, 0 or more",
                  shown(n), "a whole number, 0 or more");
    check.require(p.size() >= 2, "p", "have at least two entries", std::to_string(p.size()), "at least two entries");
    if (!check.fault()) check.probabilities("p", p);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Multinomial>(n, std::move(p)));
}

namespace {

/// Each count is binomial over the trials that those before it leave, with the share of its p in what the p before it leave.
Result<std::vector<VectorPart>> binomial_parts(std::span<const VectorArgument> arguments, std::span<const Term> counts) {
    const Term& most = arguments[0].terms[0];
    const auto& shares = arguments[1].terms;
    const auto whole = is_constant(most) && most->value.is_exact() ? most->value.exact().to_int64() : std::nullopt;
    if (!whole || *whole < 0)
        return Fault{.code = "E-TYPE",
                     .message = "the n of a multinomial in a net is a whole number",
                     .origin = arguments[0].origin,
                     .label = "not a variable, and not below 0"};
    Number sum(0);
    bool constant = true;
    for (std::size_t i = 0; i < shares.size() && (constant = constant && is_constant(shares[i])); ++i) {
        if (shares[i]->value.sign() < 0)
            return Fault{.code = "E-NEGATIVE", .message = fmt::format("p[{}] is below 0", i + 1), .origin = arguments[1].origin};
        sum += shares[i]->value;
    }
    if (constant && !sums_to_one(sum))
        return Fault{.code = "E-SUM",
                     .message = "the probabilities of a multinomial do not sum to 1",
                     .origin = arguments[1].origin,
                     .label = fmt::format("their sum is {}", shown(sum))};
    std::vector<VectorPart> out;
    Term trials = most;
    Term rest = constant_term(1);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const bool last = i + 1 == shares.size();
        const bool nothing_left = is_constant(rest) && rest->value.sign() <= 0;
        const Term share = last ? constant_term(1) : nothing_left ? constant_term(0) : make_term(TermOp::divide, {shares[i], rest});
        // The counts before it may be too many: they are drawn as if nothing were known of the others.
        const Term left = i == 0 ? trials : make_term(TermOp::max, {trials, constant_term(0)});
        out.push_back({&binomial_family, {left, share}, most});
        trials = make_term(TermOp::subtract, {trials, counts[i]});
        rest = make_term(TermOp::subtract, {rest, shares[i]});
    }
    return out;
}

constexpr VectorFamily multinomial_vector{
    .make =
        [](std::span<const ParameterValue> parameters) {
            return make_multinomial(std::get<Number>(parameters[0]), std::get<std::vector<Number>>(parameters[1]));
        },
    .entry =
        [](std::span<const Parameter> parameters, std::size_t i) {
            return make_binomial(std::get<Number>(parameters[0].value), std::get<std::vector<Number>>(parameters[1].value)[i]);
        },
    .parts = binomial_parts,
};

}  // namespace

const FamilyInfo multinomial_family{
    .name = "multinomial",
    .parameters = {{"n"}, {.name = "p", .form = Form::list}},
    .support = Support::vectors,
    .range = ValueRange::counts,
    .summary =
        "The distribution of how often each of several outcomes occurs in n independent trials. p has the probability of each outcome. "
        "In a net, X ~ multinomial(n, p) declares the counts X[1], X[2], …; p may be drawn from a dirichlet.",
    .example = "mean(multinomial(10, [1/2, 1/3, 1/6])) == [5, 10/3, 5/3]",
    .make =
        [](Numbers p, Labels) {
            return make_multinomial(p[0], {p.begin() + 1, p.end()});
        },
    .vector = &multinomial_vector,
};

}  // namespace credence::rt
