#include "lang/cli/lsp/text_map.hpp"

#include <algorithm>

namespace credence::cli::lsp {

namespace {

/// Bytes of the character that starts with this byte; a stray continuation byte stands for itself.
std::size_t length_of(unsigned char lead) { return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }
std::size_t units_of(unsigned char lead) { return lead >= 0xF0 ? 2 : 1; }

}  // namespace

TextMap::TextMap(std::string text) : text_(std::move(text)), starts_{0} {
    for (std::size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'))) starts_.push_back(i + 1);
}

std::size_t TextMap::line_end(std::size_t line) const {
    if (line + 1 >= starts_.size()) return text_.size();
    std::size_t end = starts_[line + 1] - 1;
    if (text_[end] == '\n' && end > starts_[line] && text_[end - 1] == '\r') --end;
    return end;
}

std::size_t TextMap::offset(Place place) const {
    if (place.line >= starts_.size()) return text_.size();
    const std::size_t end = line_end(place.line);
    std::size_t at = starts_[place.line];
    for (std::size_t units = 0; at < end;) {
        const auto lead = static_cast<unsigned char>(text_[at]);
        units += units_of(lead);
        if (units > place.character) break;
        at = std::min(end, at + length_of(lead));
    }
    return at;
}

Place TextMap::place(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto line = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
    const bool onwards = known_.line == line && known_offset_ <= offset && known_offset_ >= starts_[line];
    std::size_t at = onwards ? known_offset_ : starts_[line];
    std::size_t character = onwards ? known_.character : 0;
    const std::size_t end = std::min(offset, line_end(line));
    while (at < end) {
        const auto lead = static_cast<unsigned char>(text_[at]);
        if (at + length_of(lead) > end) break;
        character += units_of(lead);
        at += length_of(lead);
    }
    known_offset_ = at;
    known_ = {line, character};
    return known_;
}

Json TextMap::range(lang::Span span) const {
    const Place begin = place(span.begin);
    const Place end = place(std::max(span.begin, span.end));
    return {{"start", {{"line", begin.line}, {"character", begin.character}}}, {"end", {{"line", end.line}, {"character", end.character}}}};
}

bool TextMap::read(const Json& position, Place& out) {
    const auto number = [&](const char* key, std::size_t& to) {
        const auto found = position.find(key);
        if (found == position.end() || !found->is_number_unsigned()) return false;
        to = found->get<std::size_t>();
        return true;
    };
    return position.is_object() && number("line", out.line) && number("character", out.character);
}

}  // namespace credence::cli::lsp
