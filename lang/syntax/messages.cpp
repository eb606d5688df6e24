#include "lang/syntax/messages.hpp"

#include <fmt/format.h>

namespace credence::lang {

Diagnostic syntax_error(std::string_view text, const Chunks& chunks, const Chunk& chunk, std::size_t at, const Expected& expected) {
    const auto& tokens = chunks.tokens;
    const Token& found = tokens[at < chunk.last ? at : chunk.last - 1];
    Diagnostic out{.code = "E-SYNTAX", .message = fmt::format("expected {}", expected.what), .source = nullptr, .span = found.span};
    if (at < chunk.last) out.message += fmt::format(", found {}", text.substr(found.span.begin, found.span.end - found.span.begin));
    return out;
}

}  // namespace credence::lang
