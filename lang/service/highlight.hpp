#pragma once
// Which parts of a text have which colour: for the REPL, reports and editors. The tokens are the parser's own.

#include <optional>
#include <string_view>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/text/span.hpp"

namespace credence::lang {

enum class Paint { keyword, query, builtin, name, number, text, comment, label, op, bracket, mistake };

struct PaintedSpan {
    Span span;
    Paint paint = Paint::name;
};

/// In order, without overlaps; blanks are left out. A command of the REPL (`:vars`) is a keyword.
std::vector<PaintedSpan> highlight(std::string_view text, const Registry& registry);

/// The bracket that belongs to the one at a byte, if there is one at it and it has one.
std::optional<std::size_t> matching_bracket(std::string_view text, std::size_t at);

}  // namespace credence::lang
