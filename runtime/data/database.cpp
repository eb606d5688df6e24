#include "runtime/data/database.hpp"

#include <algorithm>
#include <set>

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

}  // namespace

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
