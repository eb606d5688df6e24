#include "runtime/core/number.hpp"

#include <cassert>

namespace credence::rt {

namespace {

// An exact number against a double: the double's binary value is exact too, so compare fractions.
bool less(const Rational& a, double b) {
    if (std::isnan(b)) return false;
    if (std::isinf(b)) return b > 0;
    return a < Rational::from_binary(b);
}

bool less(double a, const Rational& b) {
    if (std::isnan(a)) return false;
    if (std::isinf(a)) return a < 0;
    return Rational::from_binary(a) < b;
}

}  // namespace

Number operator+(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a.exact() + b.exact();
    return Number::real(a.real() + b.real());
}

Number operator-(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a.exact() - b.exact();
    return Number::real(a.real() - b.real());
}

Number operator*(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a.exact() * b.exact();
    return Number::real(a.real() * b.real());
}

Number operator/(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) {
        assert(!b.exact().is_zero());
        return a.exact() / b.exact();
    }
    return Number::real(a.real() / b.real());
}

bool operator==(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a.exact() == b.exact();
    return a.real() == b.real();
}

bool operator<(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a.exact() < b.exact();
    if (a.is_exact()) return less(a.exact(), b.real());
    if (b.is_exact()) return less(a.real(), b.exact());
    return a.real() < b.real();
}

bool sums_to_one(const Number& total) {
    constexpr double rounding = 1e-9;
    return total.is_exact() ? total.exact() == Rational(1) : std::abs(total.real() - 1) <= rounding;
}

}  // namespace credence::rt
