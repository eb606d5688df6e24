#pragma once
// The observations that a mixture, or the emissions of a hidden Markov model, learn from: each value once, with its weight.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/prob/declared/mixture.hpp"

namespace credence::rt {

/// Distinct observations with their weights. Labels are codes into `domain`.
struct MixtureData {
    std::vector<double> values;       ///< each value (with each component seen) once, in the order of first appearance
    std::vector<double> weights;      ///< rows that have it
    std::vector<std::int32_t> known;  ///< the component it was seen with, from 0; −1: hidden. Empty: all hidden
    std::vector<std::size_t> value_of_row;
    std::vector<Rational> exact;  ///< of numbers: the values as fractions; empty if some are not exact, or no component was seen
    DomainPtr domain;             ///< of labels; null: numbers
    double total = 0;
    bool complete() const;
    double sd = 1;      ///< of the values; 1 if they are all alike
    double log_sd = 1;  ///< of the logarithms of the positive ones
};

/// Gathers observations one by one.
class MixtureDataBuilder {
public:
    explicit MixtureDataBuilder(bool components_seen) : components_seen_(components_seen) {}
    /// Whether the value is new (with this component, −1: hidden); add_exact then gives its fraction, where it has one.
    bool add(double value, double weight, std::int32_t component = -1);
    void add_exact(Rational value) { data_.exact.push_back(std::move(value)); }
    MixtureData finish(DomainPtr domain) &&;

private:
    MixtureData data_;
    bool components_seen_;
    std::vector<std::unordered_map<std::uint64_t, std::size_t>> seen_;  // by component
};

/// The column `x` (or the only one) of the rows; rows without a value are left out, with a note.
Result<MixtureData> mixture_data(const Mixture& mixture, const TableView& rows, std::span<const double> weights, Run& run);

}  // namespace credence::rt
