#include "runtime/continuous/exact/chebyshev.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace credence::rt::continuous {

namespace {

constexpr std::size_t chebyshev_degree = 12;
constexpr int most_halvings = 34;
constexpr std::size_t most_pieces = 600;
constexpr int first_pieces = 8;

}  // namespace

double PiecewiseChebyshev::Piece::at(double v) const {  // Clenshaw
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

double PiecewiseChebyshev::Piece::slope(double v) const {  // Σ k c_k U_{k−1}
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

const PiecewiseChebyshev::Piece& PiecewiseChebyshev::piece_at(double v) const {
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), v, [](double at, const Piece& p) { return at < p.low; });
    return after == pieces_.begin() ? *after : *(after - 1);
}

bool PiecewiseChebyshev::add(const std::function<double(double)>& f, double low, double high, double tolerance, int depth) {
    constexpr auto n = static_cast<double>(chebyshev_degree);
    const auto value = [&](double t) { return f(0.5 * (low + high) + 0.5 * (high - low) * t); };
    std::array<double, chebyshev_degree + 1> values{};
    for (std::size_t j = 0; j <= chebyshev_degree; ++j) {
        values[j] = value(std::cos(M_PI * static_cast<double>(j) / n));
        if (std::isnan(values[j])) return false;
    }
    Piece piece{low, high, std::vector<double>(chebyshev_degree + 1, 0.0)};
    for (std::size_t k = 0; k <= chebyshev_degree; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j <= chebyshev_degree; ++j) {
            const double half = j == 0 || j == chebyshev_degree ? 0.5 : 1;
            sum += half * values[j] * std::cos(M_PI * static_cast<double>(j * k) / n);
        }
        piece.c[k] = sum * (k == 0 || k == chebyshev_degree ? 1 : 2) / n;
    }
    bool fits = true;
    for (const double t : {-0.92, -0.33, 0.33, 0.92})
        fits = fits && std::abs(piece.at(0.5 * (low + high) + 0.5 * (high - low) * t) - value(t)) < tolerance;
    if (!fits && depth < most_halvings) {
        const double middle = 0.5 * (low + high);
        return pieces_.size() < most_pieces && add(f, low, middle, tolerance, depth + 1) && add(f, middle, high, tolerance, depth + 1);
    }
    // At a jump no polynomial fits, however short the piece is.
    if (!fits && std::abs(values.front() - values.back()) > 1e-7) return false;
    pieces_.push_back(std::move(piece));
    return true;
}

std::optional<PiecewiseChebyshev> PiecewiseChebyshev::fit(const std::function<double(double)>& f, double low, double high,
                                                          double tolerance) {
    PiecewiseChebyshev out;
    for (int i = 0; i < first_pieces; ++i)
        if (!out.add(f, low + (high - low) * i / first_pieces, low + (high - low) * (i + 1) / first_pieces, tolerance, 0))
            return std::nullopt;
    return out;
}

}  // namespace credence::rt::continuous
