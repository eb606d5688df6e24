#pragma once
// What is left of a table when some values of its variables are gone. A search meets the same remainders again and again, so each is
// worked out once and known by a number from then on.

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/prob/factors/potential.hpp"

namespace credence::rt {

/// Values as bits; of several variables one after the other, as a table packs them.
using ValueBits = std::uint64_t;
constexpr std::size_t most_value_bits = 63;  ///< of one variable, and of all variables of a table together

class ResidualTable {
public:
    struct State {
        ValueBits possible = 0;      ///< packed: the values that some entry above zero still has; 0: there is none
        std::uint32_t matters = 0;   ///< by place in the scope: whether the entries still depend on that variable
        std::uint32_t residual = 0;  ///< equal for states that are the same function up to a factor
        double log_scale = 0;        ///< that factor
    };

    /// Row-major, the last variable fastest. The sizes together are at most `most_value_bits`.
    ResidualTable(std::span<const std::size_t> sizes, std::vector<double> values);

    /// The number of the state for packed values.
    std::uint32_t state_of(ValueBits values);
    const State& operator[](std::uint32_t state) const { return states_[state]; }

    std::size_t arity() const { return sizes_.size(); }
    ValueBits mask(std::size_t place) const { return ((ValueBits{1} << sizes_[place]) - 1) << offsets_[place]; }
    std::uint32_t offset(std::size_t place) const { return offsets_[place]; }
    std::size_t work = 0;  ///< entries looked at so far

private:
    template <class Body>
    void each_entry(std::span<const ValueBits> values, const Body& body);
    std::uint32_t examine(ValueBits values);
    std::uint32_t dependence(std::span<const ValueBits> values);

    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> strides_;
    std::vector<std::uint32_t> offsets_;
    std::vector<double> values_;
    std::vector<State> states_;
    std::unordered_map<ValueBits, std::uint32_t> index_;
    std::map<std::vector<double>, std::uint32_t> residuals_;
    std::vector<std::size_t> at_;  // scratch: the value of each variable
};

}  // namespace credence::rt
