// Tables as ARFF and JSON lines: what the readers make the same table of.

#include <array>

#include <nlohmann/json.hpp>

#include "runtime/core/chars.hpp"
#include "runtime/data/arff.hpp"
#include "runtime/data/jsonl.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

std::string number_cell(const Column& column, std::size_t row) {
    constexpr std::size_t longest = 1000;
    if (!column.exact.empty())
        if (auto decimal = column.exact[row].decimal(longest)) return *std::move(decimal);
    std::array<char, 32> buffer{};
    const auto [end, error] = to_chars(buffer.data(), buffer.data() + buffer.size(), column.values[row]);
    return error == std::errc{} ? std::string(buffer.data(), end) : "null";
}

std::string arff_word(std::string_view text) {
    const bool plain = !text.empty() && text != "?" && text.find_first_of(" \t\r\n,{}%'\"\\") == std::string_view::npos;
    if (plain) return std::string(text);
    std::string out = "'";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace

std::string write_arff(const Table& table, std::string_view relation) {
    std::string out = "@relation " + arff_word(relation) + "\n\n";
    for (const auto& column : table.columns) {
        out += "@attribute " + arff_word(column->name) + " ";
        if (column->kind == ColumnKind::numeric) {
            out += "numeric\n";
            continue;
        }
        std::string values;
        for (const auto& label : column->domain->labels()) values += (values.empty() ? "" : ",") + arff_word(label.text());
        out += "{" + values + "}\n";
    }
    out += "\n@data\n";
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = *table.columns[c];
            if (c > 0) out += ',';
            if (column.is_missing(row))
                out += '?';
            else
                out += column.kind == ColumnKind::label ? arff_word(column.label(row).text()) : number_cell(column, row);
        }
        out += '\n';
    }
    return out;
}

std::string write_jsonl(const Table& table) {
    std::string out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        out += '{';
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = *table.columns[c];
            out += (c > 0 ? ", " : "") + json_text(column.name) + ": ";
            if (column.is_missing(row))
                out += "null";
            else
                out += column.kind == ColumnKind::label ? json_text(column.label(row).text()) : number_cell(column, row);
        }
        out += "}\n";
    }
    return out;
}

}  // namespace credence::rt
