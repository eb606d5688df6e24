#pragma once
// Numbers of the command line that bound or steer a run, checked to their edges.

#include <cstddef>
#include <optional>
#include <string>

namespace credence::cli {

/// "512M", "2g", "1000000" in bytes; nothing if it is not a size, or larger than any machine has.
std::optional<std::size_t> parse_size(const std::string& text);

/// Why a text is not a seed or a number of seconds; empty if it is one.
std::string wrong_seed(const std::string& text);
std::string wrong_seconds(const std::string& text);

/// The address space that the program itself may use on top of the limit: stacks, libraries and the interpreter.
inline constexpr std::size_t own_memory = std::size_t{768} << 20U;

/// A hard limit in addition to the estimates: allocations beyond it and `own_memory` fail, and the failure is reported.
void limit_memory(std::size_t bytes);
/// An allocation that fails raises the limit a little, so that what is given up because of it can be cleared away; this lowers it again.
void restore_limit();

}  // namespace credence::cli
