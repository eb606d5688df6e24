#pragma once
// Equal factors counted: x^n within a budget.

#include <cstdint>

#include "runtime/prob/factors/work.hpp"

namespace credence::rt {

/// By squaring; once the budget is passed, what is returned does not matter.
inline Rational power(const Rational& base, std::int64_t exponent, Work& work) {
    Rational out = 1;
    Rational square = base;
    for (auto e = exponent; e != 0 && !work.exceeded(); e /= 2) {
        if (e % 2 != 0) work.count(out *= square);
        if (e > 1) work.count(square *= square);
    }
    return out;
}

inline LogProb power(LogProb base, std::int64_t exponent, Work&) {
    if (exponent == 0) return one<LogProb>();
    return base.is_zero() ? base : LogProb::of_log(base.log() * static_cast<double>(exponent));
}

}  // namespace credence::rt
