#pragma once
// A script's number: an exact fraction, or a double where exactness has ended.

#include <cmath>
#include <variant>

#include "runtime/core/rational.hpp"

namespace credence::rt {

class Number {
public:
    Number() = default;
    Number(Rational value) : value_(std::move(value)) {}  // NOLINT: implicit by design
    Number(int value) : value_(Rational(value)) {}        // NOLINT: implicit by design
    static Number real(double value) {
        Number n;
        n.value_ = value;
        return n;
    }

    bool is_exact() const { return value_.index() == 0; }
    const Rational& exact() const { return std::get<Rational>(value_); }  ///< is_exact() only
    double real() const { return is_exact() ? exact().to_double() : std::get<double>(value_); }
    bool is_nan() const { return !is_exact() && std::isnan(std::get<double>(value_)); }
    bool is_zero() const { return is_exact() ? exact().is_zero() : real() == 0; }
    int sign() const { return is_exact() ? exact().sign() : (real() > 0) - (real() < 0); }
    double log() const { return is_exact() && exact().sign() > 0 ? exact().log() : std::log(real()); }

    Number operator-() const { return is_exact() ? Number(-exact()) : real(-real()); }
    // exact with exact stays exact; any real operand makes the result real. Exact division by zero must be excluded first.
    friend Number operator+(const Number& a, const Number& b);
    friend Number operator-(const Number& a, const Number& b);
    friend Number operator*(const Number& a, const Number& b);
    friend Number operator/(const Number& a, const Number& b);
    Number& operator+=(const Number& other) { return *this = *this + other; }
    Number& operator*=(const Number& other) { return *this = *this * other; }

    /// Compares by value: an exact 1/2 equals the real 0.5.
    friend bool operator==(const Number& a, const Number& b);
    friend bool operator!=(const Number& a, const Number& b) { return !(a == b); }
    friend bool operator<(const Number& a, const Number& b);
    friend bool operator>(const Number& a, const Number& b) { return b < a; }
    friend bool operator<=(const Number& a, const Number& b) { return !(b < a) && !a.is_nan() && !b.is_nan(); }
    friend bool operator>=(const Number& a, const Number& b) { return b <= a; }

private:
    std::variant<Rational, double> value_;
};

/// Whether probabilities with this sum make a distribution: exactly for exact numbers, within 1e-9 for reals.
bool sums_to_one(const Number& total);

}  // namespace credence::rt
