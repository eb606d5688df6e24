#pragma once
// Small work on texts that every room does.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace credence::rt {

/// "a, b, c". Not fmt::join: its templates cost every unit that lists names 0.4 s of compilation.
std::string joined(std::span<const std::string> texts, std::string_view separator);
std::string joined(std::span<const std::string_view> texts, std::string_view separator);
/// "a, b or c" where `last` is "or".
std::string listed(std::span<const std::string> texts, std::string_view last);
/// "1 row", "3 rows".
std::string counted(std::int64_t n, std::string_view one);

}  // namespace credence::rt
