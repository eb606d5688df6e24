// Colours: the pieces of the highlighter in the protocol's five numbers each.

#include <array>

#include "lang/cli/lsp/server.hpp"
#include "lang/syntax/highlight.hpp"

namespace credence::cli::lsp {

namespace {

using lang::Style;

constexpr std::array<const char*, 9> types{"comment",  "keyword",    "function", "number", "string",
                                           "variable", "enumMember", "operator", "class"};

int type_of(Style style) {
    switch (style) {
        case Style::comment:
            return 0;
        case Style::keyword:
        case Style::hole:
            return 1;
        case Style::query:
        case Style::function:
            return 2;
        case Style::number:
            return 3;
        case Style::text:
            return 4;
        case Style::name:
            return 5;
        case Style::label:
            return 6;
        case Style::operation:
            return 7;
        case Style::declaration:
            return 8;
        case Style::punctuation:
        case Style::bracket:
        case Style::problem:
            return -1;
    }
    return -1;
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
