#pragma once
// What differs between two texts, line by line.

#include <string>
#include <string_view>

namespace credence::cli {

/// Lines of `wanted` that are missing with "-", lines of `found` that are new with "+", and a little context round them.
std::string diff(std::string_view wanted, std::string_view found);

}  // namespace credence::cli
