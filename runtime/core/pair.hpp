#pragma once
// A number as the unevaluated sum of two doubles, some 106 bits (Dekker 1971). For intermediate steps that a double is too short for.

#include <cmath>
#include <type_traits>

namespace credence::rt {

struct Pair {
    double hi = 0;
    double lo = 0;

    constexpr Pair operator-() const { return {-hi, -lo}; }
};

/// a + b and what its rounding lost; |a| ≥ |b| or a = 0.
constexpr Pair ordered_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}

/// a + b and what its rounding lost.
constexpr Pair exact_sum(double a, double b) {
    const double s = a + b;
    const double part = s - a;
    return {s, (a - (s - part)) + (b - part)};
}

/// a · b and what its rounding lost, by halves of the factors. No part may overflow.
constexpr Pair product_by_halves(double a, double b) {
    constexpr double splitter = 0x1p27 + 1;
    const double p = a * b;
    const double ca = splitter * a;
    const double cb = splitter * b;
    const double ah = ca - (ca - a);
    const double bh = cb - (cb - b);
    const double al = a - ah;
    const double bl = b - bh;
    return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/// The same bits, sooner where the processor has a fused operation.
constexpr Pair exact_product(double a, double b) {
#if defined(__FMA__)
    if (!std::is_constant_evaluated()) return {a * b, std::fma(a, b, -(a * b))};
#endif
    return product_by_halves(a, b);
}

constexpr Pair operator+(Pair a, Pair b) {
    const Pair s = exact_sum(a.hi, b.hi);
    return ordered_sum(s.hi, s.lo + (a.lo + b.lo));
}

constexpr Pair operator-(Pair a, Pair b) { return a + -b; }

constexpr Pair operator*(Pair a, Pair b) {
    const Pair p = exact_product(a.hi, b.hi);
    return ordered_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr Pair operator/(Pair a, Pair b) {
    const double inverse = 1 / b.hi;
    const double q = a.hi * inverse;
    const Pair product = exact_product(q, b.hi);
    return ordered_sum(q, ((a.hi - product.hi) - product.lo + (a.lo - q * b.lo)) * inverse);
}

/// a > 0
inline Pair square_root(Pair a) {
    const double s = std::sqrt(a.hi);
    const Pair rest = a - exact_product(s, s);
    return ordered_sum(s, rest.hi / (2 * s));
}

}  // namespace credence::rt
