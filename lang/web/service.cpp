#include "lang/web/service.hpp"

#include "lang/syntax/highlight.hpp"

namespace credence::web {

using namespace cli::lsp;

namespace {

/// UTF-16 code units of a part of a text, without the bytes that only continue a character.
std::size_t units_of(std::string_view text) {
    std::size_t out = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        constexpr unsigned continues = 0x80;
        constexpr unsigned of_four = 0xF0;
        if ((byte & 0xC0U) != continues) out += byte >= of_four ? 2 : 1;
    }
    return out;
}

}  // namespace

Json style_names() {
    Json out = Json::array();
    for (int style = 0; style <= static_cast<int>(lang::Style::problem); ++style)
        out.push_back(lang::style_name(static_cast<lang::Style>(style)));
    return out;
}

Json Service::open(const std::string& folder, const std::string& text) {
    const std::string uri = uri_of(folder + "/script.cred");
    if (uri != document_.uri()) document_ = Document(uri, "", 0);
    document_.change({{"text", text}});
    Json pieces = Json::array();
    std::size_t byte = 0;
    std::size_t unit = 0;
    const auto units_at = [&](std::size_t at) {
        unit += units_of(std::string_view(text).substr(byte, at - byte));
        byte = at;
        return unit;
    };
    for (const auto& piece : lang::highlight(text)) {
        pieces.push_back(units_at(piece.span.begin));
        pieces.push_back(units_at(piece.span.end));
        pieces.push_back(static_cast<int>(piece.style));
    }
    return pieces;
}

Json Service::diagnostics() { return diagnostics_json(document_, analysis()); }

Json Service::statements() {
    Json lines = Json::array();
    const auto& found = analysis();
    for (const auto& chunk : found.chunks.chunks)
        if (chunk.last > chunk.first) lines.push_back(found.source->position(found.chunks.tokens[chunk.last - 1].span.end - 1).line);
    return lines;
}

std::size_t Service::offset_of(const Json& position) const {
    Place place;
    if (!TextMap::read(position, place)) throw Refusal{invalid_params, "a position has a line and a character"};
    return document_.map().offset(place);
}

Json Service::complete(const Json& position) { return completion_json(document_, analysis(), offset_of(position), registry_); }
Json Service::hover(const Json& position) { return hover_json(document_, analysis(), offset_of(position), registry_); }
Json Service::signature(const Json& position) { return signature_json(document_, analysis(), offset_of(position), registry_); }
Json Service::format() const { return format_json(document_); }

}  // namespace credence::web
