// The distribution of equally probable draws.

#include "runtime/prob/distributions/samples.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

class Samples final : public Distribution {
public:
    explicit Samples(std::vector<double> values) : values_(values), drawn_(std::move(values)) {
        std::sort(values_.begin(), values_.end());
        CompensatedSum sum;
        for (const double v : values_) sum.add(v);
        mean_ = sum.value() / static_cast<double>(values_.size());
        CompensatedSum squares;
        for (const double v : values_) squares.add((v - mean_) * (v - mean_));
        variance_ = squares.value() / static_cast<double>(std::max<std::size_t>(1, values_.size() - 1));
        const double spread = std::min(std::sqrt(variance_), (at(0.75) - at(0.25)) / 1.34);
        width_ = 0.9 * (spread > 0 ? spread : std::sqrt(variance_)) * std::pow(static_cast<double>(values_.size()), -0.2);
    }

    const std::vector<double>& drawn() const { return drawn_; }
    std::string_view name() const override { return "samples"; }
    std::vector<Parameter> parameters() const override {
        return {{"n", Number(Rational(static_cast<std::int64_t>(values_.size())))},
                {"mean", Number::real(mean_)},
                {"sd", Number::real(std::sqrt(variance_))}};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        const auto at = number_of(x);
        if (!at) return outcome_fault(name(), "a number", x);
        return Number::real(kernel(at->real()));
    }
    double log_pdf(const Outcome& x) const override {
        const auto at = number_of(x);
        return at ? std::log(kernel(at->real())) : -infinity;
    }
    Result<Number> cdf(const Number& x) const override {
        const auto count = std::upper_bound(values_.begin(), values_.end(), x.real()) - values_.begin();
        return Number::real(static_cast<double>(count) / static_cast<double>(values_.size()));
    }
    Result<Number> quantile(const Number& p) const override {
        if (auto fault = level_fault(p)) return *std::move(fault);
        return Number::real(at(p.real()));
    }
    Result<Outcome> mean() const override { return Outcome(Number::real(mean_)); }
    Result<Outcome> variance() const override { return Outcome(Number::real(variance_)); }
    /// From the distances of draws m places apart (Vasicek 1976), with fewer of them counted at the ends (Ebrahimi, Pflughoeft and Soofi
    /// 1994).
    Result<Number> entropy() const override {
        const std::size_t n = values_.size();
        const auto m = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(n))));
        CompensatedSum nats;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t below = std::min(i, m);
            const std::size_t above = std::min(n - 1 - i, m);
            const double apart = values_[i + above] - values_[i - below];
            if (!(apart > 0))
                return Fault{.code = "E-UNDEFINED",
                             .message = "samples: the draws are too few, or too many of them equal, for an estimate of the entropy"};
            nats.add(std::log(static_cast<double>(n) * apart / static_cast<double>(below + above)));
        }
        return Number::real(nats.value() / static_cast<double>(n) * nats_to_bits);
    }
    Outcome sample(Rng& rng) const override { return Number::real(values_[rng.below(values_.size())]); }

private:
    double at(double p) const {
        const double position = p * static_cast<double>(values_.size() - 1);
        const auto i = static_cast<std::size_t>(position);
        if (i + 1 >= values_.size()) return values_.back();
        return values_[i] + (position - static_cast<double>(i)) * (values_[i + 1] - values_[i]);
    }
    double kernel(double x) const {
        if (!(width_ > 0)) return 0;
        double sum = 0;
        for (const double v : values_) sum += std::exp(-0.5 * (x - v) * (x - v) / (width_ * width_));
        return sum / (static_cast<double>(values_.size()) * width_ * 2.5066282746310002);
    }

    std::vector<double> values_;  // ascending
    std::vector<double> drawn_;   // as given
    double mean_ = 0;
    double variance_ = 0;
    double width_ = 0;
};

}  // namespace

const std::vector<double>* drawn_values(const Distribution& distribution) {
    const auto* samples = dynamic_cast<const Samples*>(&distribution);
    return samples ? &samples->drawn() : nullptr;
}

DistributionPtr make_samples(std::vector<double> values) { return std::make_shared<const Samples>(std::move(values)); }

}  // namespace credence::rt
