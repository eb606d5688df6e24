#include "runtime/continuous/tabulated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "runtime/continuous/quadrature.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt::continuous {

namespace {

constexpr std::size_t chebyshev_degree = 12;
constexpr double table_tolerance = 2e-11;
constexpr int most_halvings = 34;
constexpr std::size_t most_pieces = 600;

using Coefficients = std::array<double, chebyshev_degree + 1>;

/// A polynomial on one piece of the asinh scale.
struct ChebyshevPiece {
    double low = 0;
    double high = 0;
    Coefficients c = {};

    double at(double v) const {  // Clenshaw
        const double t = (2 * v - low - high) / (high - low);
        double b1 = 0;
        double b2 = 0;
        for (std::size_t k = chebyshev_degree; k > 0; --k) {
            const double b = 2 * t * b1 - b2 + c[k];
            b2 = b1;
            b1 = b;
        }
        return t * b1 - b2 + c[0];
    }
    double slope(double v) const {  // Σ k c_k U_{k−1}
        const double t = (2 * v - low - high) / (high - low);
        double sum = 0;
        double before = 0;
        double now = 1;
        for (std::size_t k = 1; k <= chebyshev_degree; ++k) {
            sum += static_cast<double>(k) * c[k] * now;
            const double next = 2 * t * now - before;
            before = now;
            now = next;
        }
        return sum * 2 / (high - low);
    }
};

struct AsinhScale {
    double centre = 0;
    double scale = 1;
    double v(double z) const { return std::asinh((z - centre) / scale); }
    double z(double at) const { return centre + scale * std::sinh(at); }
    double slope(double at) const { return scale * std::cosh(at); }  ///< dz/dv
};

class Tabulated final : public Distribution {
public:
    Tabulated(AsinhScale scale, std::vector<ChebyshevPiece> pieces) : scale_(scale), pieces_(std::move(pieces)) {
        mean_ = moment([](double z) { return z; }, 1);
        if (std::isfinite(mean_)) variance_ = moment([this](double z) { return (z - mean_) * (z - mean_); }, 2);
    }

    std::string_view name() const override { return "density"; }
    std::vector<Parameter> parameters() const override {
        if (std::isfinite(mean_) && std::isfinite(variance_))
            return {{"mean", Number::real(mean_)}, {"sd", Number::real(std::sqrt(variance_))}};
        return {{"median", Number::real(point(0.5))}, {"low", Number::real(point(0.25))}, {"high", Number::real(point(0.75))}};
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
        for (const auto& piece : pieces_)
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
    const ChebyshevPiece* piece_at(double v) const {
        if (!(v >= pieces_.front().low && v <= pieces_.back().high)) return nullptr;
        const auto after =
            std::upper_bound(pieces_.begin(), pieces_.end(), v, [](double at, const ChebyshevPiece& p) { return at < p.low; });
        return &*(after - 1);
    }
    double lower(double z) const {
        const double v = scale_.v(z);
        const auto* piece = piece_at(v);
        if (!piece) return v < pieces_.front().low ? 0 : 1;
        return std::clamp(piece->at(v), 0.0, 1.0);
    }
    double density(double z) const {
        const double v = scale_.v(z);
        const auto* piece = piece_at(v);
        return piece ? std::max(0.0, piece->slope(v) / scale_.slope(v)) : 0;
    }
    double point(double p) const {
        double low = pieces_.front().low;
        double high = pieces_.back().high;
        for (int step = 0; step < 100; ++step) {
            const double middle = 0.5 * (low + high);
            if (!(middle > low && middle < high)) break;
            (piece_at(middle)->at(middle) < p ? low : high) = middle;
        }
        return scale_.z(0.5 * (low + high));
    }
    /// NaN where z^order times what is left beyond z does not fall: then the moment does not exist.
    template <class G>
    double moment(const G& g, int order) const {
        const double beyond = 1e-9;
        for (const bool up : {false, true}) {
            const double near = scale_.z(scale_.v(point(up ? 1 - 1e-6 : 1e-6))) - scale_.centre;
            const double far = scale_.z(scale_.v(point(up ? 1 - beyond : beyond))) - scale_.centre;
            if (std::pow(std::abs(far), order) * beyond > 0.3 * std::pow(std::abs(near), order) * 1e-6) return NAN;
        }
        double sum = 0;
        for (const auto& piece : pieces_)
            sum += integrate_panel([&](double v) { return g(scale_.z(v)) * piece.slope(v); }, piece.low, piece.high).integral;
        return sum;
    }

    AsinhScale scale_;
    std::vector<ChebyshevPiece> pieces_;
    double mean_ = NAN;
    double variance_ = NAN;
};

class TableMaker {
public:
    TableMaker(const std::function<double(double)>& cdf, const AsinhScale& scale) : cdf_(cdf), scale_(scale) {}

    bool add(double low, double high, int depth) {
        Coefficients values;
        for (std::size_t j = 0; j <= chebyshev_degree; ++j) values[j] = f(low, high, std::cos(M_PI * static_cast<double>(j) / degree()));
        ChebyshevPiece piece{low, high, {}};
        for (std::size_t k = 0; k <= chebyshev_degree; ++k) {
            double sum = 0;
            for (std::size_t j = 0; j <= chebyshev_degree; ++j) {
                const double half = j == 0 || j == chebyshev_degree ? 0.5 : 1;
                sum += half * values[j] * std::cos(M_PI * static_cast<double>(j * k) / degree());
            }
            piece.c[k] = sum * (k == 0 || k == chebyshev_degree ? 1 : 2) / degree();
        }
        if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) return false;
        bool fits = true;
        for (const double t : {-0.92, -0.33, 0.33, 0.92}) {
            const double v = 0.5 * (low + high) + 0.5 * (high - low) * t;
            fits = fits && std::abs(piece.at(v) - f(low, high, t)) < table_tolerance;
        }
        if (fits || depth >= most_halvings) {
            // At a jump no polynomial fits, however short the piece is.
            if (!fits && std::abs(values.front() - values.back()) > 1e-7) return false;
            pieces.push_back(piece);
            return true;
        }
        if (pieces.size() >= most_pieces) return false;
        const double middle = 0.5 * (low + high);
        return add(low, middle, depth + 1) && add(middle, high, depth + 1);
    }

    std::vector<ChebyshevPiece> pieces;

private:
    static double degree() { return static_cast<double>(chebyshev_degree); }
    double f(double low, double high, double t) const { return cdf_(scale_.z(0.5 * (low + high) + 0.5 * (high - low) * t)); }
    const std::function<double(double)>& cdf_;
    const AsinhScale& scale_;
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
    TableMaker maker(cdf, scale);
    constexpr int first_pieces = 8;
    for (int i = 0; i < first_pieces; ++i)
        if (!maker.add(low + (high - low) * i / first_pieces, low + (high - low) * (i + 1) / first_pieces, 0)) return nullptr;
    return std::make_shared<const Tabulated>(scale, std::move(maker.pieces));
}

}  // namespace credence::rt::continuous
