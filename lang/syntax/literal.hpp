#pragma once
// What numbers and texts mean.

#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/rational.hpp"

namespace credence::lang {

/// 12, 0.008, 1e-3, 98%, exactly; nothing when it is too large to be meant.
std::optional<rt::Rational> number_value(std::string_view digits);

struct DecodedText {
    std::string text;
    std::optional<std::size_t> bad_escape;  ///< offset in the raw text of the first \ that starts no known escape
};

enum class Braces { doubled, plain };  ///< {{ and }} are braces; or braces are themselves (table cells)

/// Decodes \n \t \" \\ \u{…} in the raw text between quotes.
DecodedText decode_text(std::string_view raw, Braces braces);

}  // namespace credence::lang
