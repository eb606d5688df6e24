#pragma once

#include "runtime/prob/declared/hypotheses.hpp"
#include "tests/support/nets.hpp"

namespace credence::test {

/// y | x -> normal(slope * x, 1), slope in 0, 1, 2
inline HypothesisSpace line() {
    HypothesisSpace s;
    s.name = "Line";
    s.parametric = true;
    s.parameters = {variable("slope", {"0", "1", "2"})};
    s.prior = {Rational(1, 3), Rational(1, 3), Rational(1, 3)};
    s.outcome = {.name = "y", .domain = nullptr};
    s.inputs = {"x"};
    s.outcome_of = [](std::size_t h, std::span<const Label> inputs) {
        return make_normal(Number(static_cast<int>(h)) * *inputs[0].number(), Number(1));
    };
    return s;
}

}  // namespace credence::test
