#pragma once
// `##` comments as the prose of a report: a part of Markdown.

#include <string>
#include <string_view>
#include <vector>

namespace credence::cli {

struct Heading {
    int level = 1;     ///< 1 to 3
    std::string id;    ///< of the element, unique on the page
    std::string html;  ///< its text
    std::string text;  ///< without marks
};

/// Turns blocks of prose into HTML and keeps their headings for a list of contents.
///
/// Blocks are headings (#, ##, ###), lists (-, *, 1.), quotations (>), rules (---), code between lines of ```, and paragraphs. Within
/// them there are `code`, *emphasis*, **strong**, [links](https://…) and formulas of the language between $ and $. All else is text:
/// no HTML passes through.
class Prose {
public:
    /// A first heading of the same words as the page's title is left out.
    explicit Prose(std::string title) : title_(std::move(title)) {}
    std::string html(const std::vector<std::string>& lines);
    const std::vector<Heading>& headings() const { return headings_; }

private:
    std::string heading(std::string_view line);

    std::string title_;
    std::vector<Heading> headings_;
};

/// One line without its marks, as HTML.
std::string prose_inline(std::string_view text);

}  // namespace credence::cli
