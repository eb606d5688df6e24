#include "runtime/data/database.hpp"

#include <algorithm>
#include <set>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t shown_before = 30;  // bytes of a query on both sides of the mistake
constexpr std::size_t shown_after = 40;

bool inside_character(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// Where the word, the number or the sign that begins at `at` ends.
std::size_t end_of_word(std::string_view text, std::size_t at) {
    const auto in_word = [&](std::size_t i) {
        const auto c = static_cast<unsigned char>(text[i]);
        return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::size_t end = at;
    while (end < text.size() && in_word(end)) ++end;
    return end == at ? std::min(at + 1, text.size()) : end;
}

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<ColumnKind> DatabaseQuery::type_of(std::string_view column) const {
    const auto forced = std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.first == column; });
    return forced == types.end() ? std::nullopt : std::optional(forced->second);
}

std::string sql_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string its_tables(const std::vector<std::string>& names) {
    return names.empty() ? "it has no tables" : "its tables are " + joined(names, ", ");
}

Result<std::string> table_in_database(const std::string& database, const std::vector<std::string>& names, const std::string& table) {
    if (table.empty()) {
        if (names.size() == 1) return names[0];
        return Fault{.code = "E-PARAMETER",
                     .message = database + " has " + (names.empty() ? "no tables" : "several tables"),
                     .hint = names.empty() ? "" : "say which: table: " + names[0] + "; " + its_tables(names)};
    }
    if (contains(names, table)) return table;
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& name) { return same_name(name, table); });
    if (found != names.end()) return *found;
    Fault fault{.code = "E-PARAMETER", .message = database + " has no table '" + table + "'", .label = its_tables(names)};
    if (const auto near = nearest(table, names)) fault.hint = "did you mean '" + *near + "'?";
    return fault;
}

Fault wrong_number_of_parameters(std::size_t wanted, std::size_t given, std::string_view taken) {
    return {.code = "E-PARAMETER",
            .message = "the query has " + counted(wanted, "parameter") + ", and " + counted(given, "value") +
                       (given == 1 ? " is" : " are") + " given",
            .hint = std::string(taken) + " the next value of parameters: […]"};
}

Status check_result_columns(const std::vector<std::string>& names, const DatabaseQuery& query) {
    std::set<std::string_view> seen;
    for (const auto& name : names) {
        if (name.empty()) return Fault{.code = "E-TABLE", .message = "a column has no name", .hint = "name it in the query: … as name"};
        if (!seen.insert(name).second)
            return Fault{.code = "E-TABLE",
                         .message = "two columns are named '" + name + "'",
                         .hint = "give one of them another name in the query: … as name"};
    }
    for (const auto& [name, kind] : query.types)
        if (!seen.contains(name)) return no_such_column(name, names);
    return Done{};
}

std::string query_excerpt(std::string_view query, long at) {
    std::string line(query);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    if (at < 0 || static_cast<std::size_t>(at) >= line.size()) {
        std::size_t end = std::min(line.size(), shown_before + shown_after);
        while (inside_character(line, end)) --end;
        return "in the query: " + line.substr(0, end) + (end < line.size() ? "…" : "");
    }
    const auto place = static_cast<std::size_t>(at);
    const std::size_t word_end = end_of_word(line, place);
    std::size_t begin = place > shown_before ? place - shown_before : 0;
    std::size_t end = std::min(line.size(), word_end + shown_after);
    while (inside_character(line, begin)) ++begin;
    while (inside_character(line, end)) --end;
    const auto characters =
        std::count_if(line.begin(), line.begin() + at, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    return "at character " + std::to_string(characters + 1) + " of the query: " + (begin > 0 ? "…" : "") +
           line.substr(begin, place - begin) + "«" + line.substr(place, word_end - place) + "»" + line.substr(word_end, end - word_end) +
           (end < line.size() ? "…" : "");
}

}  // namespace credence::rt
