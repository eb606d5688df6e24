#pragma once

#include <algorithm>
#include <iterator>

namespace credence::rt {

/// Whether an item of the range equals x.
template <class Range, class T>
constexpr bool contains(const Range& range, const T& x) {
    const auto end = std::end(range);
    return std::find(std::begin(range), end, x) != end;
}

}  // namespace credence::rt
