// Dirichlet: a distribution over probability vectors. Its density is with respect to all coordinates but the last.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"
#include "runtime/prob/distributions/variates.hpp"

namespace credence::rt {

namespace {

class Dirichlet final : public Distribution {
public:
    explicit Dirichlet(std::vector<Number> concentration) : concentration_(std::move(concentration)) {
        for (const Number& entry : concentration_) {
            alpha_.push_back(entry.real());
            total_ += entry;
            whole_ = whole_ && entry.is_exact() && entry.exact().is_integer();
        }
        whole_ = whole_ && total_.real() <= largest_exact_sum;
        total_real_ = total_.real();
        log_scale_ = stirling_error(total_real_) - 0.5 * std::log(total_real_) - 0.5 * ln_2pi * (static_cast<double>(alpha_.size()) - 1);
        for (const double alpha : alpha_) log_scale_ += 0.5 * std::log(alpha) - stirling_error(alpha);
    }

    std::string_view name() const override { return "dirichlet"; }
    std::vector<Parameter> parameters() const override { return {{"concentration", concentration_}}; }
    Support support() const override { return Support::vectors; }

    Result<Number> pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != alpha_.size())
            return outcome_fault(name(), fmt::format("a list of {} numbers", alpha_.size()), x);
        if (!on_simplex(*point)) return Number(0);
        const bool exact = whole_ && std::all_of(point->begin(), point->end(), [](const Number& entry) {
                               return entry.is_exact() && largest_exact_sum * static_cast<double>(entry.exact().bits()) <=
                                                              static_cast<double>(exact_bits_limit);
                           });
        return exact ? Number(exact_density(*point)) : Number::real(std::exp(log_pdf(x)));
    }
    // Γ(α₀) / Π Γ(αᵢ) · Π xᵢ^(αᵢ−1) with Stirling's formula for each Γ: what is left of the powers are deviances of αᵢ from α₀ xᵢ
    double log_pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != alpha_.size() || !on_simplex(*point)) return -infinity;
        double sum = log_scale_;
        bool unbounded = false;
        for (std::size_t i = 0; i < alpha_.size(); ++i) {
            const Number& share = (*point)[i];
            const double expected = total_real_ * share.real();
            if (alpha_[i] == 1)
                sum += std::log(total_real_) + 1 - expected;
            else if (!share.is_zero())
                sum -= deviance(alpha_[i], expected) + share.log();
            else if (alpha_[i] > 1)
                return -infinity;
            else
                unbounded = true;
        }
        return unbounded ? infinity : sum;
    }
    Result<Number> cdf(const Number&) const override { return unordered_fault(name(), "cdf", "vectors"); }
    Result<Number> quantile(const Number&) const override { return unordered_fault(name(), "quantile", "vectors"); }
    Result<Outcome> mode() const override {
        Number rest = 0;
        for (const auto& x : concentration_) {
            if (!(Number(1) < x)) return no_mode_fault("dirichlet", "is flat, or largest at an edge");
            rest += x - Number(1);
        }
        Point out;
        for (const auto& x : concentration_) out.push_back((x - Number(1)) / rest);
        return Outcome(std::move(out));
    }
    Result<Outcome> mean() const override {
        Point out;
        for (const Number& entry : concentration_) out.push_back(entry / total_);
        return Outcome(std::move(out));
    }
    Result<Outcome> variance() const override {
        Point out;
        for (const Number& entry : concentration_) out.push_back(entry * (total_ - entry) / (total_ * total_ * (total_ + Number(1))));
        return Outcome(std::move(out));
    }
    // ln B(α) + (α₀ − k) ψ(α₀) − Σ (αᵢ − 1) ψ(αᵢ), with the parts of size α ln α cancelled by hand
    Result<Number> entropy() const override {
        const double total = total_real_;
        const auto k = static_cast<double>(alpha_.size());
        CompensatedSum nats;
        nats.add(0.5 * (k - 1) * ln_2pi - stirling_error(total) + (total - k) * digamma_minus_log(total) + (0.5 - k) * std::log(total));
        for (const double a : alpha_) nats.add(0.5 * std::log(a) + stirling_error(a) - (a - 1) * digamma_minus_log(a));
        return Number::real(nats.value() * nats_to_bits);
    }
    Outcome sample(Rng& rng) const override {
        std::vector<double> logs;
        for (const double alpha : alpha_) logs.push_back(log_standard_gamma(alpha, rng));
        const double largest = *std::max_element(logs.begin(), logs.end());
        double sum = 0;
        for (double& entry : logs) sum += entry = std::exp(entry - largest);
        Point out;
        for (const double share : logs) out.push_back(Number::real(share / sum));
        return out;
    }

private:
    static bool on_simplex(const Point& point) {
        Number sum;
        for (const Number& entry : point) {
            if (!(entry >= Number(0))) return false;
            sum += entry;
        }
        return sum.is_exact() ? sum == Number(1) : std::abs(sum.real() - 1) <= 1e-9;
    }
    Rational exact_density(const Point& point) const {
        Rational out = factorial(static_cast<std::int64_t>(total_.real()) - 1);
        for (std::size_t i = 0; i < alpha_.size(); ++i) {
            const auto power = static_cast<std::int64_t>(alpha_[i]) - 1;
            out *= point[i].exact().pow(power) / factorial(power);
        }
        return out;
    }

    std::vector<Number> concentration_;
    std::vector<double> alpha_;
    Number total_;
    bool whole_ = true;
    double total_real_ = 0;
    double log_scale_ = 0;  // what of ln pdf does not depend on x
};

}  // namespace

Result<DistributionPtr> make_dirichlet(std::vector<Number> concentration) {
    ParameterCheck check("dirichlet");
    check.require(concentration.size() >= 2, "concentration", "have at least two entries", std::to_string(concentration.size()),
                  "at least two entries");
    for (const Number& entry : concentration) check.positive("concentration", entry);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Dirichlet>(std::move(concentration)));
}

namespace {

/// X[i] against all others together.
Result<DistributionPtr> beta_of_entry(std::span<const Parameter> parameters, std::size_t i) {
    const auto& concentration = std::get<std::vector<Number>>(parameters[0].value);
    Number others = 0;
    for (std::size_t k = 0; k < concentration.size(); ++k)
        if (k != i) others += concentration[k];
    return make_beta(concentration[i], others);
}

/// beta(αᵢ, αᵢ₊₁ + … + αₖ)
std::vector<Stick> break_stick(std::span<const Term> concentration) {
    std::vector<Stick> out;
    for (std::size_t i = 0; i + 1 < concentration.size(); ++i) {
        Term others = concentration[i + 1];
        for (std::size_t l = i + 2; l < concentration.size(); ++l) others = make_term(TermOp::add, {others, concentration[l]});
        out.emplace_back(concentration[i], std::move(others));
    }
    return out;
}

std::optional<std::vector<Number>> concentration_of(std::span<const std::pair<Number, Number>> betas) {
    std::vector<Number> out;
    for (std::size_t i = 0; i < betas.size(); ++i) {
        out.push_back(betas[i].first);
        if (i + 1 < betas.size() && !(betas[i].second == betas[i + 1].first + betas[i + 1].second)) return std::nullopt;
    }
    out.push_back(betas.back().second);
    return out;
}

constexpr VectorFamily dirichlet_vector{
    .make = [](std::span<const ParameterValue> parameters) { return make_dirichlet(std::get<std::vector<Number>>(parameters[0])); },
    .entry = beta_of_entry,
    .sticks = break_stick,
    .from_sticks = concentration_of,
};

}  // namespace

const FamilyInfo dirichlet_family{
    .name = "dirichlet",
    .parameters = {{.name = "concentration", .form = Form::list}},
    .support = Support::vectors,
    .range = ValueRange::counts,
    .summary =
        "A distribution of the probabilities of several outcomes. concentration has one positive number for each outcome; it acts like a "
        "count of observations.",
    .example = "mean(dirichlet([4, 3, 2])) == [4/9, 3/9, 2/9]",
    .make =
        [](Numbers p, Labels) {
            return make_dirichlet({p.begin(), p.end()});
        },
    .vector = &dirichlet_vector,
};

}  // namespace credence::rt
