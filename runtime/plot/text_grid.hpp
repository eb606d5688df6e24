#pragma once
// A page of character cells for a terminal: texts, lines that join where they meet, and dots finer than a cell.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace credence::rt {

/// Columns a terminal gives the text: wide characters take two, marks that combine none.
std::size_t columns_of(std::string_view text);
/// At most that many columns; what is cut ends in "…" (".." in ASCII, where '?' stands for every other
/// character). Control characters become blanks.
std::string shortened(std::string_view text, std::size_t columns, bool unicode);
/// The characters of a text, each with the marks that combine with it.
std::vector<std::string> characters_of(std::string_view text);

class TextGrid {
public:
    TextGrid(std::size_t columns, std::size_t rows, bool unicode);

    bool unicode() const { return unicode_; }
    std::size_t columns() const { return columns_; }
    std::size_t rows() const { return rows_; }

    /// Writes over what is there; what lies outside is left out. In ASCII every other character is shown as '?'.
    void put(std::size_t column, std::size_t row, std::string_view text);
    /// A line along a row or a column, both ends included. It joins the lines it meets.
    void line(std::size_t column, std::size_t row, std::size_t to_column, std::size_t to_row);
    /// A dot on the grid of 2 × 4 dots a cell (ASCII: a star in the cell).
    void dot(std::size_t x, std::size_t y);
    bool is_blank(std::size_t column, std::size_t row) const;
    /// Lines without blanks at their ends.
    std::string text() const;

private:
    struct Cell {
        std::string glyph;      // put here
        std::uint8_t arms = 0;  // 1 up, 2 right, 4 down, 8 left
        std::uint8_t dots = 0;  // bits of U+2800
        bool covered = false;   // the right half of a wide character
    };
    std::string shown(const Cell& cell) const;
    Cell& at(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }

    std::size_t columns_;
    std::size_t rows_;
    bool unicode_;
    std::vector<Cell> cells_;
};

}  // namespace credence::rt
