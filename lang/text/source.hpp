#pragma once
// A source text with its name and a line map.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/text/span.hpp"

namespace credence::lang {

struct Position {
    std::size_t line = 1;    ///< from 1
    std::size_t column = 1;  ///< from 1, in characters (code points), a tab counting one
};

class Source {
public:
    Source(std::string name, std::string text);
    const std::string& name() const { return name_; }
    std::string_view text() const { return text_; }
    std::string_view text(Span span) const;
    Position position(std::size_t offset) const;
    std::size_t line_count() const { return line_starts_.size(); }
    /// Line n (from 1) without its line end (a CR before it is dropped too).
    std::string_view line(std::size_t n) const;
    std::size_t line_start(std::size_t n) const { return line_starts_[n - 1]; }

private:
    std::string name_;
    std::string text_;
    std::vector<std::size_t> line_starts_;
};
using SourcePtr = std::shared_ptr<const Source>;

}  // namespace credence::lang
