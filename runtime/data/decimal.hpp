#pragma once
// Decimal numbers of a file as doubles, fast, and whether the double is exact.

#include <string_view>

namespace credence::rt {

struct Decimal {
    enum class Kind {
        shortest,  ///< the text is a number, and it is the shortest decimal of `value`
        number,    ///< a number, `value` the nearest double; whether its shortest decimal is the text is not known
        other,     ///< not a number, or one of an unusual form: ask Label::of_text
    };
    Kind kind = Kind::other;
    double value = 0;
};

/// What it takes for a number Label::of_text takes as well, with the same value, unless it begins with a zero as codes do.
Decimal parse_decimal(std::string_view text);

}  // namespace credence::rt
