#pragma once
// Offsets in a UTF-8 text as the protocol counts them: lines from 0, characters in UTF-16 code units.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lang/text/span.hpp"

namespace credence::cli::lsp {

using Json = nlohmann::json;

struct Place {
    std::size_t line = 0;
    std::size_t character = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// A text with its lines, which end at \n, \r\n or a lone \r.
class TextMap {
public:
    explicit TextMap(std::string text);
    const std::string& text() const { return text_; }
    std::size_t line_count() const { return starts_.size(); }

    /// What lies beyond a line or the text is its end, as the protocol wants it; the middle of a character is its start.
    std::size_t offset(Place place) const;
    Place place(std::size_t offset) const;
    Json range(lang::Span span) const;
    /// Nothing if it is not a range.
    static bool read(const Json& position, Place& out);

private:
    std::size_t line_end(std::size_t line) const;  ///< before its line end

    std::string text_;
    std::vector<std::size_t> starts_;
    /// The last answer: places are mostly asked for in order, and a line may be a megabyte long.
    mutable std::size_t known_offset_ = 0;
    mutable Place known_;
};

}  // namespace credence::cli::lsp
