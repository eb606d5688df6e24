#pragma once
// The bits of a double. As std::bit_cast, which not every standard library has.

#include <cstdint>

namespace credence::rt {

constexpr std::uint64_t bits_of(double value) { return __builtin_bit_cast(std::uint64_t, value); }
constexpr double double_of(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

}  // namespace credence::rt
