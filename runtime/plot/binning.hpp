#pragma once
// Intervals for histograms.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace credence::rt {

struct Binned {
    std::vector<double> edges;   ///< one more than counts
    std::vector<double> counts;  ///< values in [edge, next), the last interval with its right end
};

/// Without a number of bins: the wider of Sturges' and Freedman & Diaconis' numbers (as numpy's "auto"), at most 60, on round edges. With
/// one: that many of equal width from the least to the largest value. Whole numbers over a small range get a bin each.
Binned binned(std::span<const double> values, std::optional<std::size_t> bins);

}  // namespace credence::rt
