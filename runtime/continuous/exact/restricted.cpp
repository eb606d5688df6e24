// A distribution of a number, given that it lies on some pieces of the line.

#include <algorithm>
#include <cmath>

#include "runtime/continuous/exact/regions.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/search.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

namespace {

class Restricted final : public Distribution {
public:
    Restricted(DistributionPtr whole, std::vector<Piece> pieces, double total)
        : whole_(std::move(whole)), pieces_(std::move(pieces)), total_(total) {
        mean_ = expected_value(*this, [](double x) { return x; });
        variance_ = expected_value(*this, [this](double x) { return (x - mean_) * (x - mean_); });
    }

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override {
        return {{"mean", Number::real(mean_)}, {"sd", Number::real(std::sqrt(variance_))}};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        auto density = whole_->pdf(x);
        if (!density) return density;
        const auto* at = std::get_if<Number>(&x);
        return Number::real(at && inside(at->real()) ? density->real() / total_ : 0);
    }
    double log_pdf(const Outcome& x) const override {
        const auto* at = std::get_if<Number>(&x);
        return at && inside(at->real()) ? whole_->log_pdf(x) - std::log(total_) : -INFINITY;
    }
    Result<Number> cdf(const Number& x) const override {
        double sum = 0;
        for (const auto& piece : pieces_) sum += mass(piece.low, std::min(piece.high, x.real()));
        return Number::real(std::clamp(sum / total_, 0.0, 1.0));
    }
    Result<Number> above(const Number& x) const override {
        double sum = 0;
        for (const auto& piece : pieces_) sum += mass(std::max(piece.low, x.real()), piece.high);
        return Number::real(std::clamp(sum / total_, 0.0, 1.0));
    }
    Result<Number> quantile(const Number& p) const override {
        if (!(p.real() >= 0 && p.real() <= 1)) return Fault{.code = "E-PARAMETER", .message = "quantile: p must be between 0 and 1"};
        return Number::real(point(p.real()));
    }
    Result<Outcome> mean() const override { return Outcome(Number::real(mean_)); }
    Result<Outcome> variance() const override { return Outcome(Number::real(variance_)); }
    Result<Number> entropy() const override {
        return Number::real(expected_value(*this, [this](double x) { return -log_pdf(Number::real(x)); }) / std::log(2.0));
    }
    Outcome sample(Rng& rng) const override { return Number::real(point(rng.uniform())); }

private:
    bool inside(double x) const {
        return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return x >= p.low && x <= p.high; });
    }
    double mass(double low, double high) const {
        if (!(low < high)) return 0;
        const Number from = Number::real(low);
        const Number to = Number::real(high);
        const auto found = mass_between(*whole_, std::isfinite(low) ? &from : nullptr, std::isfinite(high) ? &to : nullptr);
        return found ? found->real() : 0;
    }
    double point(double p) const {
        double wanted = p * total_;
        std::size_t k = 0;
        for (; k + 1 < pieces_.size() && mass(pieces_[k].low, pieces_[k].high) < wanted; ++k)
            wanted -= mass(pieces_[k].low, pieces_[k].high);
        const Piece& piece = pieces_[k];
        // A bracket from within the piece outwards.
        const double start = std::isfinite(piece.low) ? piece.low : std::isfinite(piece.high) ? piece.high : 0;
        double low = piece.low;
        double high = piece.high;
        for (double step = 1; !std::isfinite(low) && step < 1e300; step *= 2)
            if (mass(piece.low, start - step) <= wanted) low = start - step;
        for (double step = 1; !std::isfinite(high) && step < 1e300; step *= 2)
            if (mass(piece.low, start + step) >= wanted || mass(start + step, piece.high) <= 0) high = start + step;
        return root_between([&](double x) { return mass(piece.low, x) - wanted; }, low, high);
    }

    DistributionPtr whole_;
    std::vector<Piece> pieces_;
    double total_;
    double mean_ = 0;
    double variance_ = 0;
};

/// The counts at which it holds, up to where less than 1e-17 of them is left.
DistributionPtr counts_where(const Distribution& whole, double total, const std::function<bool(double)>& holds) {
    constexpr std::int64_t most_counts = 1 << 14;
    const auto below = whole.cdf(Number(-1));
    if (!below || below->real() > 0) return nullptr;
    std::vector<std::pair<std::int64_t, Number>> masses;
    double sum = 0;
    for (std::int64_t k = 0; k < most_counts; ++k) {
        const Number count{Rational(k)};
        const auto mass = whole.pdf(count);
        const auto rest = whole.above(count);
        if (!mass || !rest) return nullptr;
        if (holds(static_cast<double>(k)) && mass->sign() > 0) {
            masses.emplace_back(k, *mass);
            sum += mass->real();
        }
        if (rest->real() > 1e-17 * total) continue;
        if (masses.empty()) return nullptr;
        for (auto& [at, share] : masses) share = Number::real(share.real() / sum);
        return make_count_table(std::move(masses));
    }
    return nullptr;
}

}  // namespace

DistributionPtr make_restricted(DistributionPtr whole, std::vector<Number> marks, const std::function<bool(double)>& holds) {
    if (whole->support() != Support::reals && whole->support() != Support::integers) return nullptr;
    const auto total = mass_by_marks(*whole, marks, holds);
    if (!total || !(total->real() > 0)) return nullptr;
    if (whole->support() == Support::integers) return counts_where(*whole, total->real(), holds);
    std::vector<double> ends{-INFINITY};
    for (const auto& mark : marks) ends.push_back(mark.real());
    ends.push_back(INFINITY);
    std::sort(ends.begin(), ends.end());
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const double low = ends[k];
        const double high = ends[k + 1];
        if (!(low < high)) continue;
        const double middle = std::isfinite(low) && std::isfinite(high) ? 0.5 * (low + high)
                              : std::isfinite(low)                      ? low + 1 + std::abs(low)
                              : std::isfinite(high)                     ? high - 1 - std::abs(high)
                                                                        : 0;
        if (!holds(middle)) continue;
        if (!pieces.empty() && pieces.back().high == low)
            pieces.back().high = high;
        else
            pieces.push_back({low, high});
    }
    if (pieces.empty()) return nullptr;
    return std::make_shared<const Restricted>(std::move(whole), std::move(pieces), total->real());
}

}  // namespace credence::rt::continuous
