#pragma once
// Columns in the making: cells of text straight to codes or doubles.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/data/csv_scan.hpp"
#include "runtime/data/table.hpp"
#include "runtime/data/text_index.hpp"

namespace credence::rt {

/// The texts that mean "not known". An empty cell always does; a quoted one only when it is empty.
class MissingTexts {
public:
    explicit MissingTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    bool lists(std::string_view text) const;
    bool covers(const Cell& cell) const { return cell.text.empty() || (!cell.quoted && lists(cell.text)); }
    const std::vector<std::string>& texts() const { return texts_; }
    std::optional<std::size_t> place(std::string_view text) const;  ///< among texts()

private:
    std::vector<std::string> texts_;
};

/// Is it a number for Label::of_text?
bool is_number(std::string_view text);

/// Cells of one column in a block of rows: every `stride`-th of a vector of cells.
struct CellRun {
    const Cell* first = nullptr;
    std::size_t stride = 1;
    std::size_t count = 0;

    const Cell& operator[](std::size_t i) const { return first[i * stride]; }
};

/// Labels in order of first appearance. Spellings of one number ("1", "1.0") share a code.
class LabelCells {
public:
    LabelCells(const MissingTexts& missing, std::size_t max_rows);
    void add(const CellRun& cells);
    /// All cells of `other`, as if they had been added here after ours.
    void append(const LabelCells& other);
    const std::vector<std::size_t>& missing_counts() const { return missing_counts_; }  ///< cells with each of the missing texts
    ColumnPtr finish(std::string name) &&;

private:
    std::int32_t new_code(Label label);
    std::int32_t learn(std::string_view text);
    std::int32_t lookalike(std::string_view text);

    const MissingTexts* missing_;
    TextIndex index_;
    std::vector<Label> labels_;
    std::vector<std::pair<std::string, std::int32_t>> lookalikes_;  ///< quoted cells that unquoted would be missing
    std::vector<std::int32_t> codes_;
    std::vector<std::size_t> missing_counts_;
    std::size_t rows_ = 0;
};

/// Whether a cell such as 007 may be read as a number. A column that was not declared numeric is then one of codes.
enum class Codes { refused, as_numbers };

/// Doubles, and fractions for the cells that doubles cannot hold.
class NumberCells {
public:
    NumberCells(const MissingTexts& missing, std::size_t max_rows, Codes codes);
    /// Stops at the first cell that is neither missing nor a number within the range of doubles, and gives its index.
    std::optional<std::size_t> add(const CellRun& cells);
    void append(const NumberCells& other);
    bool any_present() const { return any_present_; }
    const std::vector<std::size_t>& missing_counts() const { return missing_counts_; }  ///< cells with each of the missing texts
    ColumnPtr finish(std::string name) &&;

private:
    bool add_unusual(const Cell& cell, double& value);

    const MissingTexts* missing_;
    Codes codes_;
    std::vector<double> values_;
    std::vector<std::pair<std::size_t, Rational>> fractions_;  ///< by row, ascending
    std::vector<std::size_t> missing_counts_;
    bool any_present_ = false;
    std::size_t rows_ = 0;
};

}  // namespace credence::rt
