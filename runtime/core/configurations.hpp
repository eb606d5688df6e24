#pragma once
// Walks over all configurations of some places in row-major order, the last place counting fastest. No division in the loop.

#include <cstddef>
#include <iterator>
#include <span>

namespace credence::rt {

/// To the next configuration, where place k has size_of(k) values. False after the last one: all places are 0 again.
template <class Values, class SizeOf>
bool next_configuration(Values&& value, const SizeOf& size_of) {
    for (std::size_t k = std::size(value); k-- > 0;) {
        if (static_cast<std::size_t>(++value[k]) < size_of(k)) return true;
        value[k] = 0;
    }
    return false;
}

/// The same, and `at` goes to its entry in a table with these strides.
template <class Values, class SizeOf>
bool next_configuration(Values&& value, const SizeOf& size_of, std::span<const std::size_t> strides, std::size_t& at) {
    for (std::size_t k = std::size(value); k-- > 0;) {
        at += strides[k];
        if (static_cast<std::size_t>(++value[k]) < size_of(k)) return true;
        at -= strides[k] * size_of(k);
        value[k] = 0;
    }
    return false;
}

}  // namespace credence::rt
