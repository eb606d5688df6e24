#pragma once
// A probability as its natural logarithm: products of ten thousand small numbers neither underflow nor turn into NaN.

#include <cmath>
#include <concepts>
#include <limits>

#include "runtime/core/number.hpp"

namespace credence::rt {

class LogProb {
public:
    LogProb() = default;  ///< zero
    static LogProb of_log(double log) {
        LogProb p;
        p.log_ = log;
        return p;
    }
    static LogProb one() { return of_log(0); }

    double log() const { return log_; }  ///< −∞ for zero
    bool is_zero() const { return log_ == -std::numeric_limits<double>::infinity(); }

    LogProb& operator*=(LogProb other) {
        log_ = is_zero() || other.is_zero() ? -std::numeric_limits<double>::infinity() : log_ + other.log_;
        return *this;
    }
    LogProb& operator/=(LogProb other) {  ///< other != 0
        if (!is_zero()) log_ -= other.log_;
        return *this;
    }
    /// log(e^a + e^b), by the larger: the exponential never overflows.
    LogProb& operator+=(LogProb other) {
        if (other.is_zero()) return *this;
        if (is_zero()) return *this = other;
        const double high = std::max(log_, other.log_);
        log_ = high + std::log1p(std::exp(std::min(log_, other.log_) - high));
        return *this;
    }
    friend LogProb operator*(LogProb a, LogProb b) { return a *= b; }
    friend LogProb operator/(LogProb a, LogProb b) { return a /= b; }
    friend bool operator==(LogProb a, LogProb b) { return a.log_ == b.log_; }
    friend bool operator<(LogProb a, LogProb b) { return a.log_ < b.log_; }

private:
    double log_ = -std::numeric_limits<double>::infinity();
};

/// What the inference core computes with: an exact fraction, or a logarithm.
template <class P>
concept Prob = std::same_as<P, Rational> || std::same_as<P, LogProb>;

template <Prob P>
P one();
template <>
inline Rational one<Rational>() {
    return Rational(1);
}
template <>
inline LogProb one<LogProb>() {
    return LogProb::one();
}

/// A non-negative number as a P; a Rational only from an exact number.
template <Prob P>
P prob_of(const Number& number);
template <>
inline Rational prob_of<Rational>(const Number& number) {
    return number.exact();
}
template <>
inline LogProb prob_of<LogProb>(const Number& number) {
    return number.sign() <= 0 ? LogProb() : LogProb::of_log(number.log());
}

inline Number to_number(const Rational& p) { return p; }
inline Number to_number(LogProb p) { return Number::real(std::exp(p.log())); }

/// A running sum. For logarithms one exponential a term and one logarithm at the end.
template <Prob P>
class Total;

template <>
class Total<Rational> {
public:
    void add(const Rational& term) { total_ += term; }
    Rational get() const { return total_; }

private:
    Rational total_ = 0;
};

template <>
class Total<LogProb> {
public:
    void add(LogProb term) {
        if (term.is_zero()) return;
        if (term.log() <= high_) {
            scaled_ += std::exp(term.log() - high_);
        } else {
            scaled_ = scaled_ * std::exp(high_ - term.log()) + 1;
            high_ = term.log();
        }
    }
    LogProb get() const { return scaled_ == 0 ? LogProb() : LogProb::of_log(high_ + std::log(scaled_)); }

private:
    double high_ = -std::numeric_limits<double>::infinity();
    double scaled_ = 0;
};

}  // namespace credence::rt
