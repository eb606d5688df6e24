#pragma once
// The bits of a double. As std::bit_cast, which not every standard library has.

#include <cstdint>
#include <cstring>

namespace credence::rt {

inline std::uint64_t bits_of(double value) {
    std::uint64_t out = 0;
    static_assert(sizeof out == sizeof value);
    std::memcpy(&out, &value, sizeof out);
    return out;
}

inline double double_of(std::uint64_t bits) {
    double out = 0;
    std::memcpy(&out, &bits, sizeof out);
    return out;
}

}  // namespace credence::rt
