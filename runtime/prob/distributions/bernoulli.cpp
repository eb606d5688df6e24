// Bernoulli: the labels true and false, which as numbers are 1 and 0.

#include <cmath>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Bernoulli final : public Distribution {
public:
    explicit Bernoulli(const Number& p) : p_(p), q_(Number(1) - p), p_real_(p_.real()), log_p_(p_.log()), log_q_(q_.log()) {}

    std::string_view name() const override { return "bernoulli"; }
    std::vector<Parameter> parameters() const override { return {{"p", p_}}; }
    Support support() const override { return Support::labels; }
    DomainPtr finite_values() const override { return boolean_domain(); }

    Result<Number> pdf(const Outcome& x) const override {
        if (std::holds_alternative<Point>(x)) return outcome_fault(name(), "true, false, 1 or 0", x);
        const auto success = side(x);
        if (!success) return Number(0);
        return *success ? p_ : q_;
    }
    double log_pdf(const Outcome& x) const override {
        const auto success = side(x);
        if (!success) return -infinity;
        return *success ? log_p_ : log_q_;
    }
    Result<Number> cdf(const Number& x) const override {
        if (x < Number(0)) return Number(0);
        if (x < Number(1)) return q_;
        return x.is_nan() ? x : Number(1);
    }
    Result<Number> quantile(const Number& p) const override {
        if (auto fault = level_fault(p)) return *std::move(fault);
        return Number(p <= q_ ? 0 : 1);
    }
    Result<Outcome> mean() const override { return Outcome(p_); }
    Result<Outcome> variance() const override { return Outcome(p_ * q_); }
    Result<Number> entropy() const override {
        const auto term = [](const Number& p) { return p.is_zero() ? 0 : -p.real() * p.log() * nats_to_bits; };
        return Number::real(term(p_) + term(q_));
    }
    Outcome sample(Rng& rng) const override { return Label::of_bool(rng.uniform() < p_real_); }

private:
    static std::optional<bool> side(const Outcome& x) {
        if (const auto number = number_of(x)) {
            if (*number == Number(1)) return true;
            if (*number == Number(0)) return false;
            return std::nullopt;
        }
        const auto* label = std::get_if<Label>(&x);
        if (label != nullptr && label->text() == "true") return true;
        if (label != nullptr && label->text() == "false") return false;
        return std::nullopt;
    }

    Number p_;
    Number q_;
    double p_real_;
    double log_p_;
    double log_q_;
};

}  // namespace

Result<DistributionPtr> make_bernoulli(const Number& p) {
    const auto check = ParameterCheck("bernoulli").probability("p", p);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Bernoulli>(p));
}

const FamilyInfo bernoulli_family{
    .name = "bernoulli",
    .parameters = {{"p", Role::probability}},
    .support = Support::labels,
    .range = ValueRange::counts,
    .summary = "true with probability p, otherwise false.",
    .example = "pdf(bernoulli(1/4), false) == 3/4",
    .make = [](Numbers p, Labels) { return make_bernoulli(p[0]); },
    .log_density =
        [](double x, const double* p) {
            if (x != 0 && x != 1) return outside_support();
            return trials_log_density(x, 1, p[0]);
        },
    .maximise = [](const WeightedValues& data, const KnownParameters&, std::vector<double>& theta) { theta[0] = data.mean(); },
    .counted = [](const ExactValues& data, std::size_t, Known, Found) { return quotient(data.total(), data.count()); },
    .conjugate = [](const Number& x, Known) -> std::optional<ConjugateForm> {
        return ConjugateForm{.first = x.is_zero() ? 0 : 1, .second = x.is_zero() ? 1 : 0};
    },
};

}  // namespace credence::rt
