#include <array>
#include <cmath>
#include <limits>

#include "runtime/core/bits.hpp"
#include "runtime/core/elementary.hpp"

// x = 2ᵏ z, and ln x = k ln 2 − ln c + ln(1 + r) with r = c z − 1, where c is nearly 1/z, short, and 1 around z = 1 (Tang 1990).

namespace credence::rt {

namespace {

constexpr int log_intervals = 128;
constexpr int interval_bits = 45;                      // of the bits of z, those below the number of its interval
constexpr std::uint64_t least_z = 0x3fe6000000000000;  // 0.6875
constexpr std::uint64_t interval_of_one = (0x3ff0000000000000 - least_z) >> interval_bits;
constexpr double log_infinity = std::numeric_limits<double>::infinity();
constexpr Pair ln_of_2{0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};  // first 42 bits of it

/// ln x by 2 artanh((x − 1) / (x + 1)); 0.68 < x < 1.47
constexpr Pair slow_log(double x) {
    const Pair z = Pair{x - 1} / Pair{x + 1};
    const Pair square = z * z;
    Pair sum;
    for (int k = 45; k > 0; k -= 2) sum = sum * square + Pair{1} / Pair{static_cast<double>(k)};
    return Pair{2} * z * sum;
}

/// Of each interval: c, and −ln c with a head that k ln 2 can be added to exactly.
struct Reciprocals {
    std::array<double, log_intervals> c{};
    std::array<double, log_intervals> head{};
    std::array<double, log_intervals> tail{};

    constexpr Reciprocals() {
        for (std::uint64_t i = 0; i < log_intervals; ++i) {
            const double middle = double_of(least_z + (i << interval_bits) + (1ULL << (interval_bits - 1)));
            constexpr double grid = 512;  // c has ten bits
            const bool around_one = i == interval_of_one || i + 1 == interval_of_one;
            c[i] = around_one ? 1 : static_cast<double>(static_cast<int>(grid / middle + 0.5)) / grid;
            const Pair log = -slow_log(c[i]);
            constexpr double shift = 0x1.8p10;  // leaves 42 bits after the point
            head[i] = (log.hi + shift) - shift;
            tail[i] = (log.hi - head[i]) + log.lo;
        }
    }
};
constexpr Reciprocals reciprocals;

/// ln x = (k ln 2 + head) + (k ln 2's rest + tail) + ln(1 + hi + lo); `whole` is the first bracket, exact, and hi is exact too.
struct Split {
    double whole;
    double rest;
    double hi;
    double lo;
};

/// Of x + lo; x > 0 and normal, k beside the exponent of x.
inline Split split_log(double x, double lo, std::int64_t k = 0) {
    const auto bits = bits_of(x);
    const std::uint64_t above = bits - least_z;
    const auto i = static_cast<std::size_t>((above >> interval_bits) & (log_intervals - 1));
    const std::int64_t own = static_cast<std::int64_t>(above) >> 52;
    const std::uint64_t z_bits = bits - (above & (0xfffULL << 52));
    const double z = double_of(z_bits);
    constexpr std::uint64_t upper_bits = ~std::uint64_t{0} << 11;  // 42 bits, whose product with c is exact
    const double upper = double_of(z_bits & upper_bits);
    const double c = reciprocals.c[i];
    const auto power = static_cast<double>(own + k);
    Split out{power * ln_of_2.hi + reciprocals.head[i], power * ln_of_2.lo + reciprocals.tail[i], upper * c - 1, (z - upper) * c};
    if (lo == 0) return out;
    const Pair r = exact_sum(out.hi, out.lo);
    out.hi = r.hi;
    out.lo = r.lo + lo * double_of(static_cast<std::uint64_t>(1023 - own) << 52) * c;  // beside 2¹⁰²³ it is nothing
    return out;
}

/// ln(1 + r) − r + r²/2; |r| < 2⁻⁶·⁸
inline double log_series(double r) {
    const double square = r * r;
    const double fourth = square * square;
    return r * square *
           ((1.0 / 3 - r * (1.0 / 4)) + square * (1.0 / 5 - r * (1.0 / 6)) +
            fourth * ((1.0 / 7 - r * (1.0 / 8)) + square * (1.0 / 9 - r * (1.0 / 10))));
}

/// ln x as a sum that is yet to be rounded.
inline Pair log_near(const Split& x) {
    const double r = x.hi + x.lo;
    const Pair sum = ordered_sum(x.whole, x.hi);
    return {sum.hi, sum.lo + (x.lo + x.rest) + (log_series(r) - 0.5 * r * r)};
}

inline double rounded(Pair x) { return x.hi + x.lo; }

/// What is not positive, normal and finite.
double log_rest(double x) {
    if (x == 0) return -log_infinity;
    if (x < 0) return std::nan("");
    if (!std::isfinite(x)) return x;
    return rounded(log_near(split_log(x * 0x1p52, 0, -52)));
}

bool is_positive_normal(double x) {
    constexpr std::uint64_t least = 0x0010000000000000;
    constexpr std::uint64_t beyond = 0x7ff0000000000000;
    return bits_of(x) - least < beyond - least;
}

/// ln x / ln base; whole where the result is whole
double logarithm(double x, Pair one_over_ln_base) {
    if (!(x > 0 && std::isfinite(x))) return log_rest(x);
    const Pair log = log_near(is_positive_normal(x) ? split_log(x, 0) : split_log(x * 0x1p52, 0, -52));
    const Pair product = exact_product(log.hi, one_over_ln_base.hi);
    return product.hi + (product.lo + (log.lo * one_over_ln_base.hi + log.hi * one_over_ln_base.lo));
}

/// ln x to some 66 bits; x > 0, finite
Pair log_pair(Pair x) {
    const bool small = x.hi < 0x1p-1000;
    const Split s = small ? split_log(x.hi * 0x1p52, x.lo * 0x1p52, -52) : split_log(x.hi, x.lo);
    const Pair r = exact_sum(s.hi, s.lo);
    const Pair square = exact_product(r.hi, r.hi);
    const Pair first = exact_sum(s.whole, r.hi);
    const Pair second = exact_sum(first.hi, -0.5 * square.hi);
    return ordered_sum(second.hi, second.lo + (first.lo + (r.lo - 0.5 * square.lo - r.hi * r.lo + s.rest + log_series(r.hi))));
}

double power_of_positive(double x, double y) {
    const Pair log = log_pair({x});
    const double size = y * log.hi;
    if (!(std::abs(size) < 800)) return exp_of({size});
    const Pair product = exact_product(y, log.hi);
    return exp_of({product.hi, product.lo + y * log.lo});
}

/// Where a part is zero, negative, infinite or no number: as IEEE 754 has it.
double power_of_others(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (std::isnan(x) || std::isnan(y)) return x + y;
    const double size = std::abs(x);
    if (std::isinf(y)) return size == 1 ? 1 : (size > 1) == (y > 0) ? log_infinity : 0;
    const double sign = std::signbit(x) && std::fmod(y, 2) != 0 && std::floor(y) == y ? -1 : 1;
    if (size == 0 || std::isinf(x)) return sign * ((size == 0) == (y > 0) ? 0 : log_infinity);
    if (std::floor(y) != y) return std::nan("");
    return sign * power_of_positive(size, y);
}

}  // namespace

extern "C" {

double log(double x) { return is_positive_normal(x) ? rounded(log_near(split_log(x, 0))) : log_rest(x); }

double log1p(double x) {
    if (std::abs(x) < 0x1p-54 || !(x > -1 && x < log_infinity)) return x == -1 ? -log_infinity : x < -1 ? std::nan("") : x;
    const Pair sum = exact_sum(1, x);
    return rounded(log_near(split_log(sum.hi, sum.lo)));
}

double log2(double x) { return logarithm(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}); }

double log10(double x) { return logarithm(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}); }

double pow(double x, double y) {
    return x > 0 && x < log_infinity && std::abs(y) < log_infinity ? power_of_positive(x, y) : power_of_others(x, y);
}

double cbrt(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    return std::copysign(exp_of(log_pair({std::abs(x)}) / Pair{3}), x);
}

double asinh(double x) {
    const double size = std::abs(x);
    if (!(size >= 0x1p-28)) return x;
    if (size > 0x1p28) return std::copysign(rounded(log_near(split_log(size, 0, 1))), x);
    return std::copysign(log_pair(Pair{size} + square_root(exact_product(size, size) + Pair{1})).hi, x);
}
}

}  // namespace credence::rt
