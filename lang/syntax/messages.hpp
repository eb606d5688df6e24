#pragma once
// The message when a statement does not parse: what was expected, what was found, and what was probably meant.

#include <string_view>

#include "lang/syntax/chunk.hpp"
#include "lang/text/diagnostic.hpp"

namespace credence::lang {

/// The sort of thing that was expected: decides which hints apply.
enum class Expects {
    nothing,
    name,
    operand,
    event,
    query,
    close,
    close_block,
    colon,
    block,
    node,
    table,
    text,
    then,
    else_,
    no_chain,
    end,
    other
};

struct Expected {
    Expects kind = Expects::nothing;
    std::string_view what = {};
};

/// The statement `chunk` of `text` failed at token `at` (chunk.last: at its end). Without a source.
Diagnostic syntax_error(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected);

}  // namespace credence::lang
