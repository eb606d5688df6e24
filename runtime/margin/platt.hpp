#pragma once
// Probabilities from decision values.

#include <span>
#include <vector>

namespace credence::rt {

/// P(positive | decision d) = 1 / (1 + exp(slope·d + offset)), Platt 1999, fitted by Newton's method as Lin, Lin & Weng 2007 advise.
struct PlattSigmoid {
    double slope = 0;
    double offset = 0;
    double at(double decision) const;
};
PlattSigmoid fit_platt(std::span<const double> decisions, std::span<const signed char> signs);

/// Probabilities p_i with r[i·k + j] ≈ p_i / (p_i + p_j) for all pairs: the second method of Wu, Lin & Weng 2004.
std::vector<double> couple(std::span<const double> pairwise, std::size_t labels);

}  // namespace credence::rt
