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

/// The colour of characters: 0 is the terminal's own, k + 1 that of series k.
using Paint = std::uint8_t;
inline Paint paint_of(std::size_t series) { return static_cast<Paint>(series % 8 + 1); }
/// With the escapes of a terminal of 256 colours: tones that stand out on a light and on a dark ground.
std::string painted(std::string_view text, Paint paint);

class TextGrid {
public:
    TextGrid(std::size_t columns, std::size_t rows, bool unicode);

    bool unicode() const { return unicode_; }
    std::size_t columns() const { return columns_; }
    std::size_t rows() const { return rows_; }

    /// Writes over what is there; what lies outside is left out. In ASCII every other character is shown as '?'.
    void put(std::size_t column, std::size_t row, std::string_view text, Paint paint = 0);
    /// Colours what is there.
    void paint(std::size_t column, std::size_t row, std::size_t columns, Paint paint);
    /// As `put`, but dots take its place: the ground of a chart.
    void shade(std::size_t column, std::size_t row, std::string_view text, Paint paint);
    /// A line along a row or a column, both ends included. It joins the lines it meets.
    void line(std::size_t column, std::size_t row, std::size_t to_column, std::size_t to_row);
    /// A dot on the grid of 2 × 4 dots a cell (ASCII: a star in the cell); `over` covers what is put there.
    void dot(std::size_t x, std::size_t y, Paint paint = 0, bool over = false);
    bool is_blank(std::size_t column, std::size_t row) const;
    /// Lines without blanks at their ends.
    std::string text(bool color = false) const;

private:
    struct Cell {
        std::string glyph;      // put here
        std::uint8_t arms = 0;  // 1 up, 2 right, 4 down, 8 left
        std::uint8_t dots = 0;  // bits of U+2800
        bool covered = false;   // the right half of a wide character
        bool ground = false;    // dots may replace the glyph
        Paint paint = 0;
    };
    std::string shown(const Cell& cell) const;
    Cell& at(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }

    std::size_t columns_;
    std::size_t rows_;
    bool unicode_;
    std::vector<Cell> cells_;
};

}  // namespace credence::rt
