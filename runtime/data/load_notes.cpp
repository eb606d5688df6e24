#include "runtime/data/load_notes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/code_text.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_named = 3;

/// "1,5", "-12,25": a number as much of Europe writes it.
bool has_decimal_comma(const std::string& text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos || comma + 1 == text.size()) return false;
    std::string with_point = text;
    with_point[comma] = '.';
    return Label::of_text(with_point).is_number();
}

/// "007": a number but for its zeros.
bool is_code(const std::string& text) { return has_leading_zero(text) && Rational::parse(text); }

/// "1,200", "12,345.6": a number whose commas are between groups of three digits.
bool has_thousands_commas(std::string_view text) {
    if (!text.empty() && text[0] == '-') text.remove_prefix(1);
    if (text.starts_with('0')) return false;  // 0,125 has a decimal comma
    const std::size_t end = std::min(text.find('.'), text.size());
    std::size_t group = 0;
    bool first = true;
    for (std::size_t i = 0; i <= end; ++i) {
        if (i < end && text[i] != ',') {
            ++group;
            continue;
        }
        if (first ? group < 1 || group > 3 : group != 3) return false;
        if (first && i == end) return false;
        first = false;
        group = 0;
    }
    std::string without(text);
    std::erase(without, ',');
    return Label::of_text(without).is_number();
}

struct LabelUse {
    std::size_t cells = 0;
    std::size_t first_row = 0;
};

std::vector<LabelUse> uses_of(const Column& column) {
    std::vector<LabelUse> out(column.domain->size());
    for (std::size_t r = 0; r < column.codes.size(); ++r) {
        if (column.codes[r] < 0) continue;
        auto& use = out[static_cast<std::size_t>(column.codes[r])];
        if (use.cells++ == 0) use.first_row = r + 1;
    }
    return out;
}

/// Empty if nothing is odd: nine of ten cells, and ten at least, have to agree before the rest is odd.
std::string note_on(const Column& column) {
    const auto uses = uses_of(column);
    std::size_t present = 0;
    std::size_t numbers = 0;
    std::size_t commas = 0;
    std::size_t thousands = 0;
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < uses.size(); ++k) {
        const Label& label = (*column.domain)[k];
        present += uses[k].cells;
        if (label.is_number())
            numbers += uses[k].cells;
        else if (has_thousands_commas(label.text()))
            thousands += uses[k].cells;
        else if (has_decimal_comma(label.text()))
            commas += uses[k].cells;
        if (!label.is_number() && uses[k].cells > 0) others.push_back(k);
    }
    if (others.empty()) return {};
    const auto cells_with = [&](std::string_view what, std::string_view written) {
        return fmt::format(
            "{0} has {1}, such as '{2}' in row {3}, so its cells are labels here: with_column(t, {0}, r -> replace(r.{0}, "
            "\",\", \"{4}\")) makes them numbers",
            column.name, what, (*column.domain)[others[0]].text(), uses[others[0]].first_row, written);
    };
    if (commas > 0 && commas + thousands + numbers == present) return cells_with("decimal commas", ".");
    if (thousands > 0 && thousands + numbers == present) return cells_with("commas between thousands", "");
    if (std::all_of(others.begin(), others.end(), [&](std::size_t k) { return is_code((*column.domain)[k].text()); }))
        return fmt::format(
            "{0} has codes with leading zeros, such as '{1}' in row {2}: its cells are labels; types: {{{0}: number}} makes them numbers",
            column.name, (*column.domain)[others[0]].text(), uses[others[0]].first_row);
    if (present < 10 || numbers * 10 < present * 9) return {};
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(most_named, others.size()); ++i)
        named.push_back(fmt::format("'{}' in row {}", (*column.domain)[others[i]].text(), uses[others[i]].first_row));
    if (others.size() > most_named) named.push_back(fmt::format("… {} more", others.size() - most_named));
    return fmt::format(
        "{} is a column of labels, though {} of its {} cells are numbers: not {}; missing: lists words that mark missing cells",
        column.name, numbers, present, joined(named, ", "));
}

/// Names that are all numbers, above columns that are not: the file probably has no header.
std::string note_on_names(const Table& table) {
    std::vector<std::string> numbers;
    for (const auto& column : table.columns)
        if (Label::of_text(column->name).is_number()) numbers.push_back(column->name);
    if (numbers.empty() || numbers.size() < table.columns.size()) return {};
    if (numbers.size() > most_named) {
        numbers.resize(most_named);
        numbers.emplace_back("…");
    }
    return fmt::format("the first line was taken as names of columns, and they are numbers: {}; header: false reads it as a row",
                       joined(numbers, ", "));
}

/// One column whose name and cells are words with blanks between them.
std::string note_on_blanks(const Table& table) {
    if (table.columns.size() != 1 || table.columns[0]->kind != ColumnKind::label) return {};
    const Column& column = *table.columns[0];
    const auto blanks = [](std::string_view text) { return std::count(text.begin(), text.end(), ' '); };
    const auto wanted = blanks(column.name);
    if (wanted == 0 || column.domain->size() == 0) return {};
    for (const auto& label : column.domain->labels())
        if (blanks(label.text()) != wanted) return {};
    return "every line is one cell, with blanks in it: separator: \" \" makes columns of its words";
}

}  // namespace

std::string missing_words_note(const std::vector<MissingWord>& words) {
    if (words.empty()) return {};
    std::vector<std::string> parts;
    for (const auto& word : words) parts.push_back(fmt::format("{} '{}' in {}", counted(word.cells, "cell"), word.text, word.column));
    if (parts.size() > 2 * most_named) {
        const std::size_t more = parts.size() - 2 * most_named;
        parts.resize(2 * most_named);
        parts.push_back(fmt::format("… {} more", more));
    }
    return fmt::format("taken as missing: {}; missing: [\"?\"] keeps such words", joined(parts, ", "));
}

std::vector<std::string> notes_on_columns(const Table& table, std::span<const std::pair<std::string, ColumnKind>> declared) {
    std::vector<std::string> out;
    for (auto& note : {note_on_names(table), note_on_blanks(table)})
        if (!note.empty()) out.push_back(note);
    for (const auto& column : table.columns) {
        const auto is_declared = [&](const auto& one) { return one.first == column->name; };
        if (column->kind != ColumnKind::label || std::any_of(declared.begin(), declared.end(), is_declared)) continue;
        if (auto note = note_on(*column); !note.empty()) out.push_back(std::move(note));
    }
    return out;
}

}  // namespace credence::rt
