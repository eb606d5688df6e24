#pragma once
// The M-steps of the families: the parameters that make weighted observations most probable.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/prob/mixture.hpp"

namespace credence::rt {

/// Distinct observations with their weights. Labels are codes into `domain`.
struct MixtureData {
    std::vector<double> values;       ///< each value (with each component seen) once, in the order of first appearance
    std::vector<double> weights;      ///< rows that have it
    std::vector<std::int32_t> known;  ///< the component it was seen with, from 0; −1: hidden. Empty: all hidden
    std::vector<std::size_t> value_of_row;
    std::vector<Rational> exact;  ///< of numbers: the values as fractions; empty where some are not exact, or no component was seen
    DomainPtr domain;             ///< of labels; null: numbers
    double total = 0;
    bool complete() const { return !known.empty() && std::find(known.begin(), known.end(), -1) == known.end(); }
    double sd = 1;      ///< of the values; 1 where they are all alike
    double log_sd = 1;  ///< of the logarithms of the positive ones
};

/// Least spread of a learned component, as a share of the data's: one that shrinks onto a single value has a likelihood without bound.
constexpr double least_component_spread = 1e-3;
/// The same for families whose spread is not a parameter: most that a shape, or the sum of a beta's two, may be.
constexpr double most_shape = 1e6;

/// Whether a member of the family can give the value at all.
bool family_covers(const MixtureFamily& family, double value);

/// ln of the density (or mass) of each value.
void log_densities(const MixturePart& part, std::span<const double> theta, const MixtureData& data, std::span<double> out);

/// Maximises Σ r ln f(x | θ) over the holes of the part, starting from `theta`, under the bounds above; values of weight 0 are not looked
/// at.
void maximise(const MixturePart& part, const MixtureData& data, std::span<const double> r, std::vector<double>& theta);

/// Whether a learned spread lies at its bound: the component has collapsed.
bool at_bound(const MixturePart& part, const MixtureData& data, std::span<const double> theta);

}  // namespace credence::rt
