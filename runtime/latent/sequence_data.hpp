#pragma once
// The probability of tables of sequences, P(t), under a model that has no variables: the product over its sequences.

#include <optional>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Whether a query asks for the probability of tables, and for nothing else.
bool asks_for_tables(const Query& query);

/// As a fraction while all its factors are.
class SequenceProduct {
public:
    void multiply(const std::optional<Rational>& exact, double log);
    Answer answer(std::string engine) &&;

private:
    std::optional<Rational> exact_ = Rational(1);
    double log_ = 0;
};

}  // namespace credence::rt
