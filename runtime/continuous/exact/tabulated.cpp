#include "runtime/continuous/exact/tabulated.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/continuous/exact/chebyshev.hpp"
#include "runtime/core/quadrature.hpp"
#include "runtime/core/search.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double table_tolerance = 2e-11;

struct AsinhScale {
    double centre = 0;
    double scale = 1;
    double v(double z) const { return std::asinh((z - centre) / scale); }
    double z(double at) const { return centre + scale * std::sinh(at); }
    double slope(double at) const { return scale * std::cosh(at); }  ///< dz/dv
};

class Tabulated final : public Distribution {
public:
    Tabulated(AsinhScale scale, PiecewiseChebyshev cdf) : scale_(scale), cdf_(std::move(cdf)) {
        mean_ = moment([](double z) { return z; }, 1);
        if (std::isfinite(mean_)) variance_ = moment([this](double z) { return (z - mean_) * (z - mean_); }, 2);
    }

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override {
        if (std::isfinite(mean_) && std::isfinite(variance_))
            return {{"mean", Number::real(mean_)}, {"sd", Number::real(std::sqrt(variance_))}};
        return {};
    }
    Support support() const override { return Support::reals; }
    Result<Number> pdf(const Outcome& x) const override {
        const auto* number = std::get_if<Number>(&x);
        const auto* label = std::get_if<Label>(&x);
        if (label && label->number()) return pdf(*label->number());
        if (!number) return Fault{.code = "E-TYPE", .message = "density is over numbers"};
        return Number::real(density(number->real()));
    }
    double log_pdf(const Outcome& x) const override {
        const auto found = pdf(x);
        return found ? std::log(found->real()) : -INFINITY;
    }
    Result<Number> cdf(const Number& x) const override { return Number::real(lower(x.real())); }
    Result<Number> quantile(const Number& p) const override {
        if (!(p.real() >= 0 && p.real() <= 1)) return Fault{.code = "E-PARAMETER", .message = "quantile: p must be between 0 and 1"};
        return Number::real(point(p.real()));
    }
    Result<Outcome> mean() const override {
        if (!std::isfinite(mean_)) return without("mean");
        return Outcome(Number::real(mean_));
    }
    Result<Outcome> variance() const override {
        if (!std::isfinite(mean_) || !std::isfinite(variance_)) return without("variance");
        return Outcome(Number::real(variance_));
    }
    Result<Number> entropy() const override {
        double nats = 0;
        for (const auto& piece : cdf_.pieces())
            nats -= integrate_panel(
                        [&](double v) {
                            const double slope = piece.slope(v);
                            return slope > 0 ? slope * std::log(slope / scale_.slope(v)) : 0;
                        },
                        piece.low, piece.high)
                        .integral;
        return Number::real(nats / std::log(2.0));
    }
    Outcome sample(Rng& rng) const override { return Number::real(point(rng.uniform())); }

private:
    static Fault without(std::string_view what) {
        return {.code = "E-UNDEFINED",
                .message = "density: it has no " + std::string(what) + ", its tails are too heavy",
                .hint = "ask for its median, or for another quantile"};
    }
    bool reaches(double v) const { return v >= cdf_.low() && v <= cdf_.high(); }
    double lower(double z) const {
        const double v = scale_.v(z);
        if (!reaches(v)) return v < cdf_.low() ? 0 : 1;
        return std::clamp(cdf_.at(v), 0.0, 1.0);
    }
    double density(double z) const {
        const double v = scale_.v(z);
        return reaches(v) ? std::max(0.0, cdf_.piece_at(v).slope(v) / scale_.slope(v)) : 0;
    }
    double point(double p) const {
        return scale_.z(root_between([&](double v) { return cdf_.at(v) - p; }, cdf_.low(), cdf_.high()));
    }
    /// NaN where z^order times what is left beyond z does not fall: then the moment does not exist.
    template <class G>
    double moment(const G& g, int order) const {
        const double beyond = 1e-9;
        for (const bool up : {false, true}) {
            const double near = point(up ? 1 - 1e-6 : 1e-6) - scale_.centre;
            const double far = point(up ? 1 - beyond : beyond) - scale_.centre;
            if (std::pow(std::abs(far), order) * beyond > 0.3 * std::pow(std::abs(near), order) * 1e-6) return NAN;
        }
        // Beyond these ends what the table tells is smaller than its error, which large values would only magnify.
        const double nothing = 0.1 * table_tolerance;
        const double first = scale_.v(point(nothing));
        const double last = scale_.v(point(1 - nothing));
        double sum = 0;
        for (const auto& piece : cdf_.pieces()) {
            const double low = std::max(piece.low, first);
            const double high = std::min(piece.high, last);
            if (low < high) sum += integrate_panel([&](double v) { return g(scale_.z(v)) * piece.slope(v); }, low, high).integral;
        }
        return sum;
    }

    AsinhScale scale_;
    PiecewiseChebyshev cdf_;
    double mean_ = NAN;
    double variance_ = NAN;
};

}  // namespace

DistributionPtr tabulated(const std::function<double(double)>& cdf, const TableRange& range) {
    if (!(range.scale > 0) || !std::isfinite(range.scale) || !std::isfinite(range.centre)) return nullptr;
    const AsinhScale scale{range.centre, range.scale};
    double low = std::max(-36.0, scale.v(range.low));
    double high = std::min(36.0, scale.v(range.high));
    constexpr double left = 1e-13;
    for (int i = 0; i < 40 && low > -36 && cdf(scale.z(low)) > left; ++i) low -= 0.25 * (1 + std::abs(low));
    for (int i = 0; i < 40 && high < 36 && cdf(scale.z(high)) < 1 - left; ++i) high += 0.25 * (1 + std::abs(high));
    auto fitted = PiecewiseChebyshev::fit([&](double v) { return cdf(scale.z(v)); }, low, high, table_tolerance);
    return fitted ? std::make_shared<const Tabulated>(scale, *std::move(fitted)) : nullptr;
}

}  // namespace credence::rt::continuous
