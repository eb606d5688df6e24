#pragma once
// Cuts the text of a CSV file into rows of cells (RFC 4180), 64 bytes at a time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::rt {

struct Cell {
    std::string_view text;  ///< into the file's text, or into the scanner where quotes were undoubled
    bool quoted = false;
};

struct CsvProblem {
    std::size_t offset = 0;  ///< where the row, or the quote, begins
    std::string message;     ///< continues "row 17 (line 18) …"
    std::string hint = {};
    bool wrong_width = false;
    bool open_quote = false;  ///< the text ends inside a quoted cell
};

/// Blanks round unquoted cells are cut off; a quote opens a quoted cell only where a cell begins.
/// A blank line is not a row, whatever the number of columns: an empty cell of a table with one column is written "" or ?.
class CsvScanner {
public:
    CsvScanner(std::string_view text, char separator);

    /// Replaces `cells` by those of the next rows, one row after the other, and gives the number of rows (0 at the end).
    /// A row that has not `width` cells (0: any number) is a problem: the rows before it are given first.
    /// Cells stay valid until the next call.
    std::size_t read(std::size_t max_rows, std::size_t width, std::vector<Cell>& cells);
    const std::optional<CsvProblem>& problem() const { return problem_; }
    std::size_t position() const { return position_; }                          ///< where the next row begins
    std::size_t row_offset(std::size_t row) const { return row_begins_[row]; }  ///< of the rows read last

private:
    std::uint64_t stops_in_block(std::size_t block) const;
    std::size_t next_stop();
    void seek(std::size_t position);
    std::optional<Cell> careful_cell(std::size_t begin, std::size_t& stop);
    std::optional<Cell> quoted_cell(std::size_t quote, std::size_t& stop);

    std::string_view text_;
    char separator_;
    std::size_t position_ = 0;  ///< where the next cell begins
    std::size_t block_ = 0;     ///< where the current 64 bytes begin
    std::uint64_t stops_ = 0;   ///< separators and line ends in them that are still to come
    std::optional<CsvProblem> problem_;
    std::vector<std::size_t> row_begins_;
    std::deque<std::string> undoubled_;  ///< cells in which a doubled quote stood
};

}  // namespace credence::rt
