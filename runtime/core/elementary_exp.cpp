#include <array>
#include <cmath>
#include <limits>

#include "runtime/core/bits.hpp"
#include "runtime/core/elementary.hpp"

// eˣ = 2^(n/128) · eʳ with |r| ≤ ln 2 / 256: a table of 128 powers, the exponent bits, and a short series (Tang 1989).

namespace credence::rt {

namespace {

constexpr int exp_steps = 128;
constexpr double exp_infinity = std::numeric_limits<double>::infinity();
constexpr double nearest_whole = 0x1.8p52;  // a double this large holds a whole number in its lowest bits
constexpr double near_range = 708;          // within it, neither the result nor a step of it leaves the normal doubles

/// 2^(i/128) = head · (1 + tail)
struct PowersOfTwo {
    std::array<double, exp_steps> head{};
    std::array<double, exp_steps> tail{};

    constexpr PowersOfTwo() {
        constexpr Pair root{0x1.0163da9fb3335p+0, 0x1.b61299ab8cdb7p-54};
        Pair power{1, 0};
        for (std::size_t i = 0; i < exp_steps; ++i) {
            head[i] = power.hi;
            tail[i] = power.lo / power.hi;
            power = power * root;
        }
    }
};
constexpr PowersOfTwo powers;

/// eˣ = head · (1 + tail) · 2^exponent · e^(hi + lo), where hi is exact.
struct Reduced {
    std::uint64_t head;
    double tail;
    std::int64_t exponent;
    double hi;
    double lo;
};

inline Reduced reduced(std::int64_t n, double hi, double lo) {
    const auto i = static_cast<std::size_t>(n & (exp_steps - 1));
    return {bits_of(powers.head[i]), powers.tail[i], n >> 7, hi, lo};
}

inline Reduced reduce_exp(double x, double lo) {
    constexpr double per_unit = 0x1.71547652b82fep+7;                   // 128 / ln 2
    constexpr Pair step{0x1.62e42ff000000p-8, -0x1.718432a1b0e26p-42};  // ln 2 / 128, first 28 bits of it
    const double shifted = x * per_unit + nearest_whole;
    const double n = shifted - nearest_whole;
    return reduced(static_cast<std::int64_t>(bits_of(shifted) - bits_of(nearest_whole)), x - n * step.hi, lo - n * step.lo);
}

/// eʳ − 1 − r
inline double exp_series(double r) {
    const double square = r * r;
    return square * (0.5 + r * (1.0 / 6)) + square * square * (1.0 / 24 + r * (1.0 / 120) + square * (1.0 / 720));
}

inline double with_exponent(std::uint64_t bits, std::int64_t exponent) {
    return double_of(bits + (static_cast<std::uint64_t>(exponent) << 52));
}

inline double exp_near(const Reduced& x) {
    const double r = x.hi + x.lo;
    const double power = with_exponent(x.head, x.exponent);
    return power + power * (r + (x.tail + exp_series(r)));
}

/// Results that are very large or hardly normal: the exponent goes in by two factors, so that there is one rounding below the normals.
double exp_far(double x, double lo) {
    if (std::isnan(x)) return x;
    if (x > 710) return exp_infinity;
    if (x < -746) return 0;
    Reduced r = reduce_exp(x, lo);
    const std::int64_t half = x > 0 ? 1000 : -1000;
    r.exponent -= half;
    return exp_near(r) * with_exponent(bits_of(1.0), half);
}

inline double exp_from(double x, double lo) {
    if (!(std::abs(x) <= near_range)) return exp_far(x, lo);
    return exp_near(reduce_exp(x, lo));
}

/// eˣ / 2, which may be in range where eˣ is not.
double half_exp(double x) {
    constexpr Pair ln_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return x > 711 ? exp_infinity : exp_of(Pair{x} - ln_2);
}

constexpr double far_from_one = 100;  // e⁻ˣ is nothing beside eˣ

/// eˣ − 1 to some 60 bits; |x| ≤ 700
Pair expm1_pair(double x) {
    const Reduced by = reduce_exp(x, 0);
    const double r = by.hi + by.lo;
    const double power = with_exponent(by.head, by.exponent);
    // With P = power: (P − 1) + P·r = (P − 1) + hi + (P − 1)·hi + P·lo, where the first two are added exactly.
    const Pair less_one = exact_sum(power, -1);
    const Pair sum = exact_sum(less_one.hi, by.hi);
    return ordered_sum(sum.hi, sum.lo + less_one.lo + less_one.hi * by.hi + power * (by.lo + by.tail * (1 + r) + exp_series(r)));
}

}  // namespace

double exp_of(Pair x) { return exp_from(x.hi, x.lo); }

extern "C" {

double exp(double x) { return exp_from(x, 0); }

double exp2(double x) {
    constexpr double ln_2 = 0x1.62e42fefa39efp-1;
    if (!(std::abs(x) <= 1020)) {
        if (std::isnan(x)) return x;
        if (x >= 1024) return exp_infinity;
        if (x < -1075) return 0;
        const double half = x > 0 ? 1000 : -1000;
        return exp2(x - half) * exp2(half);
    }
    const double shifted = x * exp_steps + nearest_whole;
    const double n = shifted - nearest_whole;
    return exp_near(reduced(static_cast<std::int64_t>(bits_of(shifted) - bits_of(nearest_whole)), (x - n / exp_steps) * ln_2, 0));
}

double expm1(double x) {
    if (x == 0 || std::isnan(x)) return x;
    if (x > 700) return exp(x);
    if (x < -40) return -1;
    return expm1_pair(x).hi;
}

/// (e²ˣ − 1) / (e²ˣ + 1)
double tanh(double x) {
    const double size = std::abs(x);
    if (!(size >= 0x1p-28)) return x;
    if (size > 20) return std::copysign(1.0, x);
    const Pair grown = expm1_pair(2 * size);
    return std::copysign((grown / (grown + Pair{2})).hi, x);
}

/// (g + g / (1 + g)) / 2 with g = eˣ − 1
double sinh(double x) {
    const double size = std::abs(x);
    if (!(size >= 0x1p-28)) return x;
    if (size > far_from_one) return std::copysign(half_exp(size), x);
    const Pair grown = expm1_pair(size);
    return std::copysign(0.5 * (grown + grown / (grown + Pair{1})).hi, x);
}

/// 1 + g² / (2 (1 + g)) with g = eˣ − 1
double cosh(double x) {
    const double size = std::abs(x);
    if (std::isnan(x)) return x;
    if (size > far_from_one) return half_exp(size);
    const Pair grown = expm1_pair(size);
    return (Pair{1} + grown * grown / ((grown + Pair{1}) * Pair{2})).hi;
}
}

}  // namespace credence::rt
