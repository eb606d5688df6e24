#pragma once
// A place in a source text: byte offsets. Lines and columns are found only when something is printed.

#include <cstdint>

namespace credence::lang {

struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  ///< one past the last byte
    friend bool operator==(const Span&, const Span&) = default;
};

inline Span join(Span a, Span b) { return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end}; }

}  // namespace credence::lang
