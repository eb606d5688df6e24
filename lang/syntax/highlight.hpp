#pragma once
// What each piece of a script is, for colours: from its words alone, so that unfinished and broken texts have them too.

#include <string_view>
#include <vector>

#include "lang/text/span.hpp"

namespace credence::lang {

enum class Style {
    comment,
    keyword,
    query,
    number,
    text,
    name,
    function,
    declaration,
    label,
    hole,
    operation,
    punctuation,
    bracket,
    problem
};
std::string_view style_name(Style style);  ///< "keyword": for classes and token types

struct StyledSpan {
    Span span;
    Style style{};
};

/// By place, without overlaps; blanks are in none. Texts and comments may go over several lines.
std::vector<StyledSpan> highlight(std::string_view text);

}  // namespace credence::lang
