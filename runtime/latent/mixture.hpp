#pragma once
// What is asked of a mixture besides queries.

#include "runtime/prob/declared/mixture.hpp"

namespace credence::rt {

/// ln P(x) of each value, and P(component | x): values × components. A fault where a value is impossible.
struct MixtureScores {
    std::vector<double> log_densities;
    std::vector<double> responsibilities;
};
Result<MixtureScores> mixture_scores(const Mixture& mixture, std::span<const Label> values);

Result<ModelPtr> load_mixture(const Json& json);

}  // namespace credence::rt
