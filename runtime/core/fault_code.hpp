#pragma once
// The codes of faults and notes. A code is one name here and one row of texts in lang/text/codes.cpp; a code that is not listed here does
// not compile.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace credence::rt {

// clang-format off
inline constexpr std::string_view fault_codes[] = {
    "E-AMBIGUOUS", "E-ARGUMENT", "E-ARITHMETIC", "E-BRACKET", "E-CALL", "E-COLUMN", "E-COST", "E-CYCLE", "E-DEPTH", "E-DO",
    "E-DOMAIN", "E-DUPLICATE", "E-EMPTY", "E-ENGINE", "E-EXPECT", "E-EXPLAIN", "E-FILE", "E-FORMAT", "E-HOLE", "E-IMPORT",
    "E-INDEX", "E-INTERNAL", "E-KEY", "E-LABEL", "E-MEMBER", "E-MEMORY", "E-MISSING", "E-MODEL", "E-NAME", "E-NEGATIVE",
    "E-NORMALIZE", "E-NUMBER", "E-PARAMETER", "E-PRIOR", "E-QUERY", "E-RANGE", "E-RESERVED", "E-ROW", "E-SET", "E-STOP", "E-SUM",
    "E-SYNTAX", "E-TABLE", "E-TEXT", "E-TIMEOUT", "E-TRAIN", "E-TYPE", "E-UNDEFINED", "E-VARIABLE", "E-ZERO",
    "N-NOTE", "N-SHADOW",
};
// clang-format on

class FaultCode {
public:
    /// None.
    constexpr FaultCode() = default;
    template <std::size_t N>
    consteval FaultCode(const char (&text)[N]) : FaultCode(of({text, N - 1})) {}  // NOLINT: implicit by design

    constexpr std::string_view text() const { return number_ == 0 ? std::string_view() : fault_codes[number_ - 1]; }
    constexpr bool empty() const { return number_ == 0; }
    friend constexpr auto operator<=>(FaultCode, FaultCode) = default;

private:
    static consteval FaultCode of(std::string_view text) {
        const auto* found = std::find(std::begin(fault_codes), std::end(fault_codes), text);
        if (found == std::end(fault_codes)) throw "no such code";
        FaultCode out;
        out.number_ = static_cast<std::uint8_t>(found - std::begin(fault_codes) + 1);
        return out;
    }

    std::uint8_t number_ = 0;  // in the list, from 1
};

}  // namespace credence::rt
