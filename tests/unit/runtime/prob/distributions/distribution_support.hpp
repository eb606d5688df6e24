#pragma once
// Shorthand for the tests of distributions.

#include <cmath>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt::testing {

inline constexpr double inf = std::numeric_limits<double>::infinity();

inline Approx near(double value, double relative = 1e-12) { return Approx(value).epsilon(relative).margin(1e-300); }
inline Number real(double value) { return Number::real(value); }
inline Label word(const char* text) { return Label::of_text(text); }

inline DistributionPtr made(Result<DistributionPtr> result) {
    if (!result) FAIL(result.fault().message);
    return *std::move(result);
}
template <class T>
T got(Result<T> result) {
    if (!result) FAIL(result.fault().message);
    return *std::move(result);
}
/// A moment of a distribution over numbers.
inline Number scalar(Result<Outcome> result) { return std::get<Number>(got(std::move(result))); }
inline Point vector(Result<Outcome> result) { return std::get<Point>(got(std::move(result))); }

/// "CODE: message" of a failure; empty where there is none.
template <class T>
std::string failure(const Result<T>& result) {
    return result ? "" : std::string(result.fault().code.text()) + ": " + result.fault().message;
}

}  // namespace credence::rt::testing
