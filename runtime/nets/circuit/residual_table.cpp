#include "runtime/nets/circuit/residual_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace credence::rt {

ResidualTable::ResidualTable(std::span<const std::size_t> sizes, std::vector<double> values)
    : sizes_(sizes.begin(), sizes.end()), strides_(sizes.size(), 1), values_(std::move(values)), at_(sizes.size(), 0) {
    std::uint32_t offset = 0;
    for (const auto size : sizes_) {
        offsets_.push_back(offset);
        offset += static_cast<std::uint32_t>(size);
    }
    for (std::size_t i = sizes_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * sizes_[i];
}

std::uint32_t ResidualTable::state_of(ValueBits values) {
    const auto found = index_.find(values);
    return found != index_.end() ? found->second : examine(values);
}

/// Visits the entries of the box of values with their place in the table; `at_` has the value of each variable.
template <class Body>
void ResidualTable::each_entry(std::span<const ValueBits> values, const Body& body) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        at_[i] = static_cast<std::size_t>(std::countr_zero(values[i]));
        entry += at_[i] * strides_[i];
    }
    while (true) {
        body(entry);
        ++work;
        std::size_t i = values.size();
        while (i-- > 0) {
            const ValueBits rest = (values[i] >> at_[i]) >> 1;
            const std::size_t next = rest != 0 ? at_[i] + 1 + static_cast<std::size_t>(std::countr_zero(rest))
                                               : static_cast<std::size_t>(std::countr_zero(values[i]));
            entry += (next - at_[i]) * strides_[i];  // wraps round where it goes back
            at_[i] = next;
            if (rest != 0) break;
        }
        if (i == SIZE_MAX) return;
    }
}

std::uint32_t ResidualTable::examine(ValueBits values) {
    std::vector<ValueBits> box(arity());
    for (std::size_t i = 0; i < arity(); ++i) box[i] = (values & mask(i)) >> offsets_[i];
    std::vector<ValueBits> supported(arity(), 0);
    double largest = 0;
    each_entry(box, [&](std::size_t entry) {
        if (values_[entry] <= 0) return;
        largest = std::max(largest, values_[entry]);
        for (std::size_t i = 0; i < arity(); ++i) supported[i] |= ValueBits{1} << at_[i];
    });
    State state;
    for (std::size_t i = 0; i < arity(); ++i) state.possible |= supported[i] << offsets_[i];
    if (largest > 0 && state.possible != values) {  // a smaller box with the same entries above zero
        const auto same = state_of(state.possible);
        index_.emplace(values, same);
        return same;
    }
    if (largest > 0) {
        state.matters = dependence(box);
        state.log_scale = std::log(largest);
        std::vector<double> key;
        for (std::size_t i = 0; i < arity(); ++i) {
            const bool matters = (state.matters >> i & 1U) != 0;
            key.push_back(matters ? static_cast<double>(box[i]) : -1);
            if (!matters) box[i] &= ~box[i] + 1;  // one value stands for all
        }
        each_entry(box, [&](std::size_t entry) { key.push_back(values_[entry] / largest); });
        state.residual = residuals_.emplace(std::move(key), static_cast<std::uint32_t>(residuals_.size() + 1)).first->second;
    }
    const auto number = static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    index_.emplace(values, number);
    return number;
}

/// By place: whether two entries differ that differ in this variable alone.
std::uint32_t ResidualTable::dependence(std::span<const ValueBits> values) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::has_single_bit(values[i])) continue;
        const auto first = static_cast<std::size_t>(std::countr_zero(values[i]));
        bool differs = false;
        each_entry(values,
                   [&](std::size_t entry) { differs = differs || values_[entry] != values_[entry - (at_[i] - first) * strides_[i]]; });
        if (differs) out |= std::uint32_t{1} << i;
    }
    return out;
}

}  // namespace credence::rt
