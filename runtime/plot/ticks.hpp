#pragma once
// Round numbers for axes.

#include <cstddef>
#include <string>
#include <vector>

namespace credence::rt {

struct Ticks {
    double step = 1;                ///< 1, 2 or 5 times a power of ten
    std::vector<double> at;         ///< ascending, within the range they were made for
    std::vector<std::string> text;  ///< one for each tick, all with the same number of decimals
};

struct Range {
    double low = 0;
    double high = 1;
};
/// A number as an axis can place it: at most 1e300 in size, and 0 where it is smaller than 1e-300. Widths and steps computed from such
/// numbers neither overflow nor vanish.
double drawable(double value);
/// A range of some width round what was given, also where all of it is one number.
Range widened(Range range);
/// The smallest step, not below `least_step`, that puts at most `most` (≥ 2) ticks on the range, which has some width.
Ticks ticks_on(Range range, std::size_t most, double least_step = 0);
/// For an axis of logarithms: `at` and the range are powers of ten; powers alone, or 2 and 5 times them as well where they are few.
Ticks log_ticks_on(Range range, std::size_t most);
/// The range made larger to begin and end with a tick.
Range out_to_ticks(Range range, std::size_t most);

/// Four significant digits, without zeros at the end, ? for a missing one: what stands beside a bar or in a cell.
std::string short_number(double x);

}  // namespace credence::rt
