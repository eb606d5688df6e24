#pragma once
// What the causes of a noisy-or contribute, read from its table or from the steps that stand for it.

#include <optional>
#include <vector>

#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/factors/factor.hpp"

namespace credence::rt {

/// The effect is absent with the probability that the leak fails, times that of each cause that is true.
struct NoisyStrengths {
    Number leak;
    std::vector<VarId> causes;      ///< in the order of the parents
    std::vector<Number> strengths;  ///< by cause
};
/// Nothing if the node was not declared as noisy_or, or has causes that are not boolean, unknown numbers or a leak of 1.
std::optional<NoisyStrengths> noisy_strengths(const Net& net, VarId node);
/// The table of a noisy-or or noisy-max that is computed step by step; nothing where it is too large or a number is unknown.
std::optional<Factor> noisy_table(const Net& net, VarId node);

}  // namespace credence::rt
