#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "runtime/core/bits.hpp"
#include "runtime/core/elementary.hpp"

// Angles: sine and cosine by their series on |y| ≤ π/4 after whole quarter turns are taken off; arctangents by a table of those of k/64.

namespace credence::rt {

namespace {

constexpr Pair quarter_turn{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};  // π/2
constexpr Pair half_turn{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// x = quarters · π/2 + rest; of the quarters the last two bits count.
struct Angle {
    std::uint64_t quarters;
    Pair rest;
};

/// |x| < 2²⁰: the parts of π/2 have 33 bits, so their products with the quarters are exact.
Angle reduce_small(double x) {
    constexpr double per_unit = 0x1.45f306dc9c883p-1;
    constexpr double nearest_whole = 0x1.8p52;
    const double shifted = x * per_unit + nearest_whole;
    const double n = shifted - nearest_whole;
    const Pair first = exact_sum(x - n * 0x1.921fb54400000p+0, -n * 0x1.0b4611a600000p-34);
    const Pair second = exact_sum(first.hi, -n * 0x1.3198a2e000000p-69);
    const double lo = first.lo + second.lo - n * 0x1.b839a252049c1p-104;
    return {bits_of(shifted), ordered_sum(second.hi, lo)};
}

/// The bits of 2/π, 32 in each, after two words for numbers that reach above the point (Payne & Hanek 1983).
constexpr std::array<std::uint32_t, 40> two_over_pi = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

/// x > 0 as m · 2^e with a whole m. Bits of 2/π whose product with x is a multiple of 4 are left out, and those that count less than 2⁻¹³⁰.
Angle reduce_large(double x) {
    constexpr int words = 6;
    int e = 0;
    const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &e), 53));
    e -= 53;
    const int first = e - 2 + 64;  // the first bit that counts, by its place in the list
    std::array<std::uint64_t, words> window{};
    for (int k = 0; k < words; ++k) {
        const auto at = static_cast<std::size_t>(first / 32 + k);
        const std::uint64_t both = (std::uint64_t{two_over_pi[at]} << 32) | (at + 1 < two_over_pi.size() ? two_over_pi[at + 1] : 0);
        window[static_cast<std::size_t>(k)] = (both << (first % 32)) >> 32;
    }
    // The product with m from the last word on, modulo 2^192: 2 bits of quarters, then the fraction.
    std::array<std::uint64_t, words> product{};
    for (int part = 0; part < 2; ++part) {
        const std::uint64_t factor = part == 0 ? m & 0xffffffffU : m >> 32;
        std::uint64_t carry = 0;
        for (int k = words - 1 - part; k >= 0; --k) {
            const auto at = static_cast<std::size_t>(k);
            carry += window[at + static_cast<std::size_t>(part)] * factor + product[at];
            product[at] = carry & 0xffffffffU;
            carry >>= 32;
        }
    }
    std::uint64_t quarters = product[0] >> 30;
    Pair rest;
    double unit = 0x1p-30;
    for (int k = 0; k < words; ++k) {
        const std::uint64_t word = k == 0 ? product[0] & 0x3fffffffU : product[static_cast<std::size_t>(k)];
        rest = rest + Pair{static_cast<double>(word) * unit};
        unit *= 0x1p-32;
    }
    if (rest.hi >= 0.5) {
        rest = rest - Pair{1};
        ++quarters;
    }
    return {quarters, rest * quarter_turn};
}

Angle reduce_angle(double x) {
    constexpr double small = 0x1p20;
    if (std::abs(x) <= 0.785) return {0, {x}};
    if (std::abs(x) < small) return reduce_small(x);
    const Angle size = reduce_large(std::abs(x));
    return x > 0 ? size : Angle{0 - size.quarters, -size.rest};
}

/// y − y³/3! + …, the first term and the rest
Pair sine(Pair y) {
    const double z = y.hi * y.hi;
    double series = 1.0 / 355687428096000;
    series = series * z - 1.0 / 1307674368000;
    series = series * z + 1.0 / 6227020800;
    series = series * z - 1.0 / 39916800;
    series = series * z + 1.0 / 362880;
    series = series * z - 1.0 / 5040;
    series = series * z + 1.0 / 120;
    series = series * z - 1.0 / 6;
    return ordered_sum(y.hi, y.lo * (1 - 0.5 * z) + y.hi * z * series);
}

/// 1 − y²/2 + …
Pair cosine(Pair y) {
    const double z = y.hi * y.hi;
    double series = 1.0 / 20922789888000;
    series = series * z - 1.0 / 87178291200;
    series = series * z + 1.0 / 479001600;
    series = series * z - 1.0 / 3628800;
    series = series * z + 1.0 / 40320;
    series = series * z - 1.0 / 720;
    series = series * z + 1.0 / 24;
    const Pair square = exact_product(y.hi, y.hi);
    const Pair first = ordered_sum(1, -0.5 * square.hi);
    return ordered_sum(first.hi, first.lo + (z * z * series - 0.5 * square.lo - y.hi * y.lo));
}

Pair sine_of(const Angle& a) {
    const Pair size = a.quarters % 2 == 0 ? sine(a.rest) : cosine(a.rest);
    return a.quarters & 2 ? -size : size;
}

// --- arctangents

constexpr int arctangents = 65;

/// artangents of k/64, each from the one before it: arctan a = arctan b + arctan((a − b) / (1 + a b))
struct Arctangents {
    std::array<Pair, arctangents> at{};

    constexpr Arctangents() {
        for (int k = 0; k + 1 < arctangents; ++k) {
            const Pair t = Pair{64} / Pair{64.0 * 64 + static_cast<double>(k * (k + 1))};
            const Pair square = t * t;
            Pair sum;
            for (int n = 21; n > 0; n -= 2) sum = Pair{1} / Pair{static_cast<double>(n)} - sum * square;
            at[static_cast<std::size_t>(k) + 1] = at[static_cast<std::size_t>(k)] + t * sum;
        }
    }
};
constexpr Arctangents known;

/// arctan(a / b); 0 ≤ a ≤ b, b > 0, neither very large or small
Pair arctangent(Pair a, Pair b) {
    const auto k = static_cast<std::size_t>(a.hi / b.hi * 64 + 0.5);
    const Pair c{static_cast<double>(k) / 64};
    const Pair t = k == 0 ? a / b : (a - c * b) / (b + c * a);
    const double z = t.hi * t.hi;
    const double series = t.hi * z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9))));
    const Pair sum = exact_sum(known.at[k].hi, t.hi);
    return ordered_sum(sum.hi, sum.lo + (known.at[k].lo + t.lo + series));
}

/// The angle of the point (x, y); both ≥ 0, finite, not both 0.
Pair angle_of_point(double y, double x) {
    if (y == 0 || x == 0) return y == 0 ? Pair{} : quarter_turn;
    const int exponent = std::ilogb(std::max(x, y));
    const double larger = std::ldexp(std::max(x, y), -exponent);
    const double smaller = std::ldexp(std::min(x, y), -exponent);
    const Pair angle = smaller < 0x1p-100 ? Pair{} : arctangent({smaller}, {larger});
    return y <= x ? angle : quarter_turn - angle;
}

}  // namespace

extern "C" {

double sin(double x) {
    if (std::abs(x) < 0x1p-27 || !std::isfinite(x)) return std::isinf(x) ? std::nan("") : x;
    return sine_of(reduce_angle(x)).hi;
}

double cos(double x) {
    if (!std::isfinite(x)) return std::nan("");
    Angle angle = reduce_angle(x);
    ++angle.quarters;
    return sine_of(angle).hi;
}

double tan(double x) {
    if (std::abs(x) < 0x1p-27 || !std::isfinite(x)) return std::isinf(x) ? std::nan("") : x;
    const Angle angle = reduce_angle(x);
    const Pair s = sine(angle.rest);
    const Pair c = cosine(angle.rest);
    return (angle.quarters % 2 == 0 ? s / c : -(c / s)).hi;
}

double atan2(double y, double x) {
    if (std::isnan(x) || std::isnan(y)) return x + y;
    double up = std::abs(y);
    double right = std::abs(x);
    if (std::isinf(up) || std::isinf(right)) {  // a direction
        up = std::isinf(up) ? 1 : 0;
        right = std::isinf(right) ? 1 : 0;
    }
    if (!std::signbit(x) && up > 0 && up < right * 0x1p-60) return std::copysign(up / right, y);
    const Pair angle = up == 0 ? Pair{} : angle_of_point(up, right);
    return std::copysign(std::signbit(x) ? (half_turn - angle).hi : angle.hi, y);
}

double atan(double x) { return std::abs(x) < 0x1p-27 ? x : atan2(x, 1); }

/// The angle of the point (x, √(1 − x²))
double acos(double x) {
    if (!(std::abs(x) <= 1)) return std::nan("");
    if (std::abs(x) == 1) return x > 0 ? 0 : half_turn.hi;
    const Pair height = square_root(exact_sum(1, -x) * exact_sum(1, x));
    const Pair size{std::abs(x)};
    const Pair angle = height.hi <= size.hi ? arctangent(height, size) : quarter_turn - arctangent(size, height);
    return x < 0 ? (half_turn - angle).hi : angle.hi;
}

double hypot(double x, double y) {
    if (std::isinf(x) || std::isinf(y)) return HUGE_VAL;
    const double larger = std::max(std::abs(x), std::abs(y));
    if (larger == 0 || std::isnan(x) || std::isnan(y)) return std::isnan(x) ? x : std::isnan(y) ? y : 0;
    const int exponent = std::ilogb(larger);
    const double a = std::ldexp(x, -exponent);
    const double b = std::ldexp(y, -exponent);
    return std::ldexp(square_root(exact_product(a, a) + exact_product(b, b)).hi, exponent);
}

#if defined(__GLIBC__)
/// What g++ makes of a sine and a cosine of one angle.
void sincos(double x, double* s, double* c) {
    *s = sin(x);
    *c = cos(x);
}
#endif
}

}  // namespace credence::rt
