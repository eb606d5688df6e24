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
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < uses.size(); ++k) {
        const Label& label = (*column.domain)[k];
        present += uses[k].cells;
        if (label.is_number())
            numbers += uses[k].cells;
        else if (has_decimal_comma(label.text()))
            commas += uses[k].cells;
        if (!label.is_number() && uses[k].cells > 0) others.push_back(k);
    }
    if (others.empty()) return {};
    if (commas > 0 && commas + numbers == present)
        return fmt::format(
            "{} has decimal commas, such as '{}' in row {}: its cells are labels here, and with points they would be numbers", column.name,
            (*column.domain)[others[0]].text(), uses[others[0]].first_row);
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
    for (const auto& column : table.columns) {
        const auto is_declared = [&](const auto& one) { return one.first == column->name; };
        if (column->kind != ColumnKind::label || std::any_of(declared.begin(), declared.end(), is_declared)) continue;
        if (auto note = note_on(*column); !note.empty()) out.push_back(std::move(note));
    }
    return out;
}

}  // namespace credence::rt
