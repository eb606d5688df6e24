// Tables as a statement prints them: names, kinds, rows, and the size below. What is too wide loses its middle columns.

#include <algorithm>

#include <fmt/format.h>

#include "lang/text/width.hpp"
#include "lang/value/layout.hpp"
#include "runtime/core/text.hpp"
#include "runtime/core/words.hpp"

namespace credence::lang {

namespace {

constexpr std::string_view indent = "  ";
constexpr std::size_t gap = 2;

/// Columns in the order in which they are shown: the target last, after an arrow.
std::vector<std::optional<std::size_t>> shown_order(const rt::Table& t) {
    std::vector<std::optional<std::size_t>> out;
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        if (t.target != c) out.emplace_back(c);
    if (t.target) {
        if (t.columns.size() > 1) out.emplace_back(std::nullopt);
        out.emplace_back(*t.target);
    }
    return out;
}

std::size_t width_of(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
    std::size_t out = 0;
    for (const auto& row : rows)
        if (column < row.size()) out = std::max(out, display_width(row[column]));
    return out;
}

/// The form of the numbers of a column that has fractions without a finite decimal: those of results. Data are shown as they were written.
std::optional<NumberForm> fraction_form(const rt::Column& column, std::size_t rows, const ShowOptions& options) {
    constexpr std::size_t longest = 5;  // characters: 12/25 reads well beside 1/3, 143/150 does not
    std::vector<rt::Number> numbers;
    bool any = false;
    for (std::size_t row = 0; row < rows; ++row) {
        if (column.is_missing(row)) continue;
        numbers.push_back(column.number(row));
        any = any || (numbers.back().is_exact() && !numbers.back().exact().decimal(longest_cell_fraction));
    }
    return any ? std::optional(NumberForm(numbers, options.digits, longest)) : std::nullopt;
}

}  // namespace

std::string label_cell(const std::string& text) {
    const bool plain = !text.empty() && text != "?" && text.find_first_of("\t\r\n") == std::string::npos;
    return plain ? text : rt::quoted_text(text, false);
}

std::vector<std::string> cell_texts(const rt::Column& column, std::size_t rows, const ShowOptions& options) {
    const bool numbers = column.kind == rt::ColumnKind::numeric;
    const auto form = numbers ? fraction_form(column, rows, options) : std::nullopt;
    std::vector<std::string> out;
    for (std::size_t row = 0; row < rows; ++row) {
        if (column.is_missing(row))
            out.emplace_back("?");
        else if (!numbers)
            out.push_back(label_cell(column.label(row).text()));
        else
            out.push_back(form ? (*form)(column.number(row)) : show_cell_number(column.number(row), options));
    }
    return out;
}

namespace {

/// A number is never cut.
bool may_be_cut(const std::string& cell, char align) {
    return align != 'r' || cell.empty() || std::string_view("-0123456789?≈∞").find(cell[0]) == std::string_view::npos;
}

/// Long texts are cut before columns are left out: at the width that makes all columns fit, but not below `least`.
void cut_long_texts(Grid& grid, std::size_t width) {
    constexpr std::size_t readable = 24;
    const std::size_t columns = grid.align.size();
    std::vector<std::size_t> texts(columns);
    std::vector<std::size_t> numbers(columns);
    for (const auto& row : grid.rows)
        for (std::size_t c = 0; c < std::min(row.size(), columns); ++c) {
            auto& widest = may_be_cut(row[c], grid.align[c]) ? texts[c] : numbers[c];
            widest = std::max(widest, display_width(row[c]));
        }
    const auto total = [&](std::size_t most) {
        std::size_t out = indent.size() + (columns > 0 ? gap * (columns - 1) : 0);
        for (std::size_t c = 0; c < columns; ++c) out += std::max(numbers[c], std::min(texts[c], most));
        return out;
    };
    const std::size_t longest = texts.empty() ? 0 : *std::max_element(texts.begin(), texts.end());
    const std::size_t least = std::min(readable, width * 2 / 5);
    std::size_t most = longest;
    while (most > least && total(most) > width) --most;
    if (most >= longest) return;
    for (auto& row : grid.rows)
        for (std::size_t c = 0; c < std::min(row.size(), columns); ++c)
            if (may_be_cut(row[c], grid.align[c])) row[c] = cut_to_width(row[c], most);
}

}  // namespace

std::string show_grid(Grid grid, std::size_t width, std::size_t* left_out) {
    const std::size_t columns = grid.align.size();
    cut_long_texts(grid, width);
    std::vector<std::size_t> widths(columns);
    std::size_t total = indent.size();
    for (std::size_t c = 0; c < columns; ++c) total += widths[c] = width_of(grid.rows, c) + (c > 0 ? gap : 0);
    std::size_t first = std::min(grid.fixed, columns);  // the columns before the cut
    std::size_t last = std::min(grid.last, columns - first);
    if (left_out) *left_out = 0;
    if (total <= width || first + last >= columns) return align_columns(grid.rows, grid.align, indent);
    std::size_t used = indent.size() + 1 + gap;
    for (std::size_t c = 0; c < first; ++c) used += widths[c];
    for (std::size_t c = columns - last; c < columns; ++c) used += widths[c];
    bool left = true;  // one from the left, one from the right, as long as they fit
    while (first + last < columns) {
        const std::size_t next = left ? first : columns - last - 1;
        if (used + widths[next] > width) break;
        used += widths[next];
        ++(left ? first : last);
        left = !left;
    }
    const std::size_t lost = columns - first - last;
    if (left_out) *left_out = lost;
    std::string align = grid.align.substr(0, first) + "l" + grid.align.substr(columns - last);
    for (auto& row : grid.rows) {
        if (row.size() < columns) continue;  // a heading over the columns
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(first), row.end() - static_cast<std::ptrdiff_t>(last));
        row.insert(row.begin() + static_cast<std::ptrdiff_t>(first), "…");
    }
    return align_columns(grid.rows, align, indent);
}

std::string show_table(const rt::Table& t, const ShowOptions& options, const BlockLimits& limits) {
    if (t.columns.empty()) return "  a table without columns";
    const auto order = shown_order(t);
    Grid grid;
    const auto add = [&](std::string_view arrow, const auto& cell_of) {
        auto& row = grid.rows.emplace_back();
        for (const auto c : order) row.push_back(c ? cell_of(*t.columns[*c]) : std::string(arrow));
    };
    for (const auto c : order) grid.align += c && t.columns[*c]->kind == rt::ColumnKind::numeric ? 'r' : 'l';
    grid.last = t.target ? std::min<std::size_t>(2, order.size()) : 1;
    add("->", [](const rt::Column& c) { return c.name; });
    if (limits.footer) add("", [](const rt::Column& c) { return std::string(c.kind == rt::ColumnKind::label ? "label" : "number"); });
    const std::size_t shown = t.rows() > limits.table_rows ? (limits.table_rows + 1) / 2 : t.rows();
    std::vector<std::vector<std::string>> cells;
    for (const auto& column : t.columns) cells.push_back(cell_texts(*column, shown, options));
    for (std::size_t r = 0; r < shown; ++r) {
        auto& row = grid.rows.emplace_back();
        for (const auto c : order) row.push_back(c ? cells[*c][r] : "->");
    }
    std::size_t hidden = 0;
    std::string out = show_grid(std::move(grid), options.table_width, &hidden);
    if (!limits.footer) return shown < t.rows() ? out + "\n  " + more_text(t.rows() - shown) : out;
    std::string size = fmt::format("  {} × {}", rt::counted(t.rows(), "row"), rt::counted(t.columns.size(), "column"));
    std::vector<std::string> parts;
    if (shown < t.rows()) parts.push_back(rt::counted(shown, "row"));
    if (hidden > 0) parts.push_back(rt::counted(t.columns.size() - hidden, "column"));
    if (!parts.empty()) size += fmt::format(" ({} shown)", rt::joined(parts, " and "));
    return out + "\n" + wrapped_words(size, options.table_width);
}

}  // namespace credence::lang
