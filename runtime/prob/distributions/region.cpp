#include "runtime/prob/distributions/region.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/search.hpp"
#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

/// ln(e^a − e^b), a ≥ b.
double log_difference(double a, double b) {
    if (b == -infinity) return a;
    return a > b ? a + std::log1p(-std::exp(b - a)) : -infinity;
}

/// ln of a tail from its value; from the density where that has vanished.
double log_tail_of(const FamilyInfo& family, double tail, double x, bool up, const double* parameters) {
    constexpr double smallest = 1e-290;
    if (tail > smallest || !family.log_density) return std::log(tail);
    const DensityValue density = family.log_density(x, parameters);
    const double fall = up ? -density.dx : density.dx;
    return fall > 0 ? density.value - std::log(fall) : -infinity;
}

LogTails tails_at(const FamilyInfo& family, double x, const double* parameters) {
    if (family.log_tails) return family.log_tails(x, parameters);
    std::vector<Number> numbers;
    for (std::size_t k = 0; k < family.parameters.size(); ++k) numbers.push_back(Number::real(parameters[k]));
    if (family.top) numbers[*family.top] = Rational::from_binary(std::floor(parameters[*family.top]));
    const auto made = family.make(numbers, {});
    if (!made) return {std::nan(""), std::nan("")};
    const auto below = (*made)->cdf(Number::real(x));
    const auto above = (*made)->above(Number::real(x));
    if (!below || !above) return {std::nan(""), std::nan("")};
    return {log_tail_of(family, below->real(), x, false, parameters), log_tail_of(family, above->real(), x, true, parameters)};
}

double log_mass_of_piece(const FamilyInfo& family, double low, double high, const double* parameters) {
    if (std::isinf(low) && std::isinf(high)) return 0;
    if (std::isinf(low)) return tails_at(family, high, parameters).below;
    if (std::isinf(high)) return tails_at(family, low, parameters).above;
    const LogTails a = tails_at(family, low, parameters);
    const LogTails b = tails_at(family, high, parameters);
    // From the side on which both are small.
    return b.below < a.above ? log_difference(b.below, a.below) : log_difference(a.above, b.above);
}

/// A piece of the line in doubles.
struct Stretch {
    double low = 0;
    double high = 0;
};

double log_mass_value(const FamilyInfo& family, std::span<const Stretch> pieces, const double* parameters) {
    double out = -infinity;
    for (const auto& piece : pieces) {
        const double log = log_mass_of_piece(family, piece.low, piece.high, parameters);
        const double top = std::max(out, log);
        out = top == -infinity || std::isnan(log) ? log : top + std::log1p(std::exp(std::min(out, log) - top));
    }
    return out;
}

/// Where P(X > x) = q, from `from` on, where it is more.
double upper_quantile(const Distribution& distribution, double q, double from) {
    const auto excess = [&](double x) {
        const auto above = distribution.above(Number::real(x));
        return above ? above->real() - q : -q;
    };
    double step = 1e-3 * (1 + std::abs(from));
    while (excess(from + step) > 0 && step < 1e300) step *= 2;
    return root_between(excess, from, from + step);
}

/// dF(x)/dp = c · f(x) for the parameters that move or stretch the whole distribution: c; NaN for the others.
double shift(const FamilyInfo& family, std::size_t k, double x, const double* p) {
    const auto place = [&](Role role, Role other) {
        for (std::size_t j = 0; j < family.parameters.size(); ++j)
            if (family.parameters[j].role == role || family.parameters[j].role == other) return p[j];
        return 0.0;
    };
    switch (family.parameters[k].role) {
        case Role::place:
        case Role::corner:
            return -1;
        case Role::spread:
            return -(x - place(Role::place, Role::corner)) / p[k];
        case Role::inverse_spread:
            return x / p[k];
        case Role::log_place:
            return x > 0 ? -x : 0;
        case Role::log_spread:
            return x > 0 ? -x * (std::log(x) - place(Role::log_place, Role::log_place)) / p[k] : 0;
        default:
            return std::nan("");
    }
}

DensityValue log_mass_of(const FamilyInfo& family, std::span<const Stretch> pieces, const double* parameters) {
    DensityValue out;
    out.value = log_mass_value(family, pieces, parameters);
    if (!std::isfinite(out.value)) return out;
    for (std::size_t k = 0; k < family.parameters.size(); ++k) {
        const bool known = family.log_density && !std::isnan(shift(family, k, 1, parameters)) && family.support == Support::reals;
        if (known) {
            for (const auto& piece : pieces)
                for (const bool up : {false, true}) {
                    const double x = up ? piece.high : piece.low;
                    if (std::isinf(x)) continue;
                    const double density = family.log_density(x, parameters).value;
                    if (density == -infinity) continue;
                    out.dp[k] += (up ? 1 : -1) * shift(family, k, x, parameters) * std::exp(density - out.value);
                }
            continue;
        }
        if (family.top && *family.top == k) continue;
        // No formula: a central difference, right to about ten digits.
        double moved[most_parameters] = {};
        std::copy_n(parameters, family.parameters.size(), moved);
        const double step = 6e-6 * std::max(std::abs(parameters[k]), 1e-3);
        moved[k] = parameters[k] + step;
        const double more = log_mass_value(family, pieces, moved);
        moved[k] = parameters[k] - step;
        const double less = log_mass_value(family, pieces, moved);
        out.dp[k] = std::isfinite(more) && std::isfinite(less) ? (more - less) / (2 * step) : 0;
    }
    return out;
}

}  // namespace

Region region_where(std::vector<Number> marks, bool counts, const std::function<bool(double)>& holds) {
    if (counts) {
        std::vector<Number> whole;
        for (const auto& mark : marks) {
            whole.push_back(CountDistribution::whole(std::ceil(mark.real()) - 1));
            whole.push_back(CountDistribution::whole(std::floor(mark.real())));
        }
        marks = std::move(whole);
    }
    std::sort(marks.begin(), marks.end());
    marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
    Region out;
    for (std::size_t k = 0; k <= marks.size(); ++k) {
        Interval piece;
        if (k > 0) piece.low = marks[k - 1];
        if (k < marks.size()) piece.high = marks[k];
        const double inside = piece.low && piece.high ? (counts ? piece.to() : 0.5 * (piece.from() + piece.to()))
                              : piece.high            ? (counts ? piece.to() : piece.to() - 1 - std::abs(piece.to()))
                              : piece.low             ? piece.from() + 1 + (counts ? 0 : std::abs(piece.from()))
                                                      : 0;
        if (!holds(inside)) continue;
        if (!out.empty() && out.back().high && piece.low && *out.back().high == *piece.low)
            out.back().high = piece.high;
        else
            out.push_back(std::move(piece));
    }
    return out;
}

Result<Number> mass_of(const Distribution& distribution, const Region& region) {
    Number out = 0;
    for (const auto& piece : region) {
        const auto mass = TRY(mass_between(distribution, piece.low ? &*piece.low : nullptr, piece.high ? &*piece.high : nullptr));
        out += mass;
    }
    return out;
}

Result<double> sample_from(const Distribution& distribution, const Region& region, Rng& rng) {
    const auto total = TRY(mass_of(distribution, region));
    double u = rng.uniform() * total.real();
    for (const auto& piece : region) {
        const auto own = TRY(mass_between(distribution, piece.low ? &*piece.low : nullptr, piece.high ? &*piece.high : nullptr));
        const double mass = own.real();
        if (u >= mass && &piece != &region.back()) {
            u -= mass;
            continue;
        }
        // From the nearer end, so that a tail keeps its digits. Above the upper quartile that is the upper one.
        const auto below = TRY(distribution.cdf(piece.low ? *piece.low : Number::real(-infinity)));
        constexpr double high = 0.75;
        double x = 0;
        if (below.real() < high) {
            const auto at = TRY(distribution.quantile(Number::real(std::min(1.0, below.real() + u))));
            x = at.real();
        } else {
            const auto above = TRY(distribution.above(*piece.low));
            x = upper_quantile(distribution, std::max(0.0, above.real() - u), piece.from());
        }
        return std::clamp(x, piece.from(), piece.to());
    }
    return Fault{.code = "E-ZERO", .message = "a value was observed where its distribution has no probability"};
}

DensityValue log_mass(const FamilyInfo& family, const Region& region, const double* parameters) {
    std::vector<Stretch> pieces;
    for (const auto& piece : region) pieces.push_back({piece.from(), piece.to()});
    return log_mass_of(family, pieces, parameters);
}

DensityValue log_mass_between(const FamilyInfo& family, double low, double high, const double* parameters) {
    const Stretch piece{low, high};
    return log_mass_of(family, {&piece, 1}, parameters);
}

}  // namespace credence::rt
