#include <array>

#include "runtime/core/chars.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/csv.hpp"

namespace credence::rt {

namespace {

/// Would the reader change this text if it stood without quotes?
bool needs_quotes(std::string_view text, char separator) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    // all usual separators, since the reader guesses which is meant from the first line
    return text.empty() || text == "?" || contains(words_for_missing(), text) ||
           text.find_first_of("\",;\t\r\n") != std::string_view::npos || text.find(separator) != std::string_view::npos ||
           blank(text.front()) || blank(text.back());
}

void append_text(std::string& out, std::string_view text, char separator) {
    if (!needs_quotes(text, separator)) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void append_number(std::string& out, const Column& column, std::size_t row) {
    constexpr std::size_t longest = 1000;
    if (!column.exact.empty()) {
        if (const auto decimal = column.exact[row].decimal(longest)) {
            out += *decimal;
            return;
        }
    }
    std::array<char, 32> buffer{};
    const auto [end, error] = to_chars(buffer.data(), buffer.data() + buffer.size(), column.values[row]);
    if (error == std::errc{}) out.append(buffer.data(), end);
}

}  // namespace

std::string write_csv(const Table& table, char separator) {
    std::string out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (c > 0) out += separator;
        append_text(out, table.columns[c]->name, separator);
    }
    out += '\n';
    std::vector<std::vector<std::string>> cell_of_code(table.columns.size());  // each label quoted once
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c]->kind == ColumnKind::numeric) continue;
        for (const auto& label : table.columns[c]->domain->labels()) append_text(cell_of_code[c].emplace_back(), label.text(), separator);
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = *table.columns[c];
            if (c > 0) out += separator;
            if (column.is_missing(row))
                out += '?';
            else if (column.kind == ColumnKind::label)
                out += cell_of_code[c][static_cast<std::size_t>(column.codes[row])];
            else
                append_number(out, column, row);
        }
        out += '\n';
    }
    return out;
}

Status save_csv(const Table& table, const FilePath& path, char separator) { return write_data_file(path, write_csv(table, separator)); }

}  // namespace credence::rt
