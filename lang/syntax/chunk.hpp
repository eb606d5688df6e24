#pragma once
// Splits a text into statements before anything is parsed. The innermost bracket decides what a line end means, so the
// chunker follows brackets and texts; it also finds unclosed ones, collects `##` comments, and knows when a text is unfinished.

#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/token.hpp"
#include "lang/text/diagnostic.hpp"

namespace credence::lang {

/// One statement: the tokens [first, last).
struct Chunk {
    std::size_t first = 0;
    std::size_t last = 0;
    bool broken = false;  ///< already reported; not worth parsing
};

struct DocComment {
    std::uint32_t before = 0;  ///< offset of the token that follows the lines
    std::string text;          ///< without the marks
};

struct Chunks {
    std::vector<Token> tokens;  ///< line ends that mean nothing are left out
    std::vector<Chunk> chunks;
    std::vector<Span> comments;    ///< without their line ends
    std::vector<DocComment> docs;  ///< by offset
    Diagnostics problems;          ///< without a source
    bool unfinished = false;       ///< ends inside a bracket or text, or after a token that makes the line go on
};

constexpr std::size_t max_nesting = 200;    ///< bracket levels
constexpr std::size_t max_problems = 1000;  ///< shown to the user; garbage would have millions

Chunks chunk(std::string_view text);

/// The doc of what starts at `offset`; empty without one.
std::string doc_before(const std::vector<DocComment>& docs, std::uint32_t offset);

}  // namespace credence::lang
