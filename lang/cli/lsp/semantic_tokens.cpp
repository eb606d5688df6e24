// Colours: the pieces of the highlighter in the protocol's five numbers each.

#include <array>

#include "lang/cli/lsp/server.hpp"
#include "lang/syntax/highlight.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::cli::lsp {

namespace {

using lang::Style;

constexpr std::array<const char*, 9> types{"comment",  "keyword",    "function", "number", "string",
                                           "variable", "enumMember", "operator", "class"};

/// The position among the types; −1: no type of its own.
int type_of(Style style) {
    static constexpr std::pair<Style, int> positions[] = {
        {Style::comment, 0}, {Style::keyword, 1}, {Style::hole, 1},  {Style::query, 2},     {Style::function, 2},   {Style::number, 3},
        {Style::text, 4},    {Style::name, 5},    {Style::label, 6}, {Style::operation, 7}, {Style::declaration, 8}};
    return rt::value_for(style, positions, -1);
}

}  // namespace

Json semantic_legend_json() { return {{"tokenTypes", types}, {"tokenModifiers", Json::array()}}; }

Json semantic_tokens_json(const Document& document) {
    Json data = Json::array();
    Place last;
    const auto& map = document.map();
    const auto& text = map.text();
    for (const auto& piece : lang::highlight(text)) {
        const int type = type_of(piece.style);
        // A token may not go over a line end: texts are cut into lines.
        for (std::size_t begin = piece.span.begin; type >= 0 && begin < piece.span.end;) {
            const auto rest = std::string_view(text).substr(begin, piece.span.end - begin);
            const std::size_t end = begin + std::min(rest.find_first_of("\r\n"), rest.size());
            if (end > begin) {
                const Place from = map.place(begin);
                const Place to = map.place(end);
                data.push_back(from.line - last.line);
                data.push_back(from.line == last.line ? from.character - last.character : from.character);
                data.push_back(to.character - from.character);
                data.push_back(type);
                data.push_back(0);
                last = from;
            }
            begin = end + 1;
        }
    }
    return {{"data", std::move(data)}};
}

}  // namespace credence::cli::lsp
