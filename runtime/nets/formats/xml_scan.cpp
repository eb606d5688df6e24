#include "runtime/nets/formats/xml_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "runtime/nets/formats/net_scan.hpp"

namespace credence::rt {

namespace {

bool is_blank_in_xml(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<std::pair<std::string_view, char>, 5> entities{
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

void append_utf8(std::string& out, std::uint32_t c) {
    const auto byte = [&](std::uint32_t b) { out += static_cast<char>(static_cast<unsigned char>(b)); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0U | (c >> 6U));
        byte(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
        byte(0xE0U | (c >> 12U));
        byte(0x80U | ((c >> 6U) & 0x3FU));
        byte(0x80U | (c & 0x3FU));
    } else {
        byte(0xF0U | (c >> 18U));
        byte(0x80U | ((c >> 12U) & 0x3FU));
        byte(0x80U | ((c >> 6U) & 0x3FU));
        byte(0x80U | (c & 0x3FU));
    }
}

}  // namespace

XmlScanner::XmlScanner(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

Fault XmlScanner::fault(std::size_t at, std::string message) const { return format_fault(text_, at, std::move(message)); }

Result<XmlEvent> XmlScanner::next() {
    if (close_pending_) {
        close_pending_ = false;
        XmlEvent out{.kind = XmlEvent::Kind::close, .name = open_.back(), .text = {}, .at = position_};
        open_.pop_back();
        return out;
    }
    for (;;) {
        if (position_ == text_.size()) {
            if (!open_.empty()) return fault(position_, fmt::format("the file ends before </{}>", open_.back()));
            return XmlEvent{.kind = XmlEvent::Kind::end, .name = {}, .text = {}, .at = position_};
        }
        const auto rest = text_.substr(position_);
        const auto past = [&](std::string_view close, std::string_view what) -> Status {
            const auto found = text_.find(close, position_);
            if (found == std::string_view::npos) return fault(position_, fmt::format("{} is never closed", what));
            position_ = found + close.size();
            return Done{};
        };
        if (rest.starts_with("<!--")) {
            TRY(past("-->", "a comment"));
        } else if (rest.starts_with("<?")) {
            TRY(past("?>", "a declaration"));
        } else if (rest.starts_with("<![CDATA[")) {
            // character data: given out as a text of its own; what it holds is not escaped, so an & in it is taken for itself by xml_plain
            const std::size_t begin = position_ + 9;
            TRY(past("]]>", "a CDATA section"));
            return XmlEvent{.kind = XmlEvent::Kind::text, .name = {}, .text = text_.substr(begin, position_ - 3 - begin), .at = begin};
        } else if (rest.starts_with("<!")) {
            int depth = 0;  // a document type may hold declarations in brackets
            const std::size_t begin = position_;
            while (position_ < text_.size() && !(text_[position_] == '>' && depth == 0)) {
                depth += text_[position_] == '[' ? 1 : text_[position_] == ']' ? -1 : 0;
                ++position_;
            }
            if (position_ == text_.size()) return fault(begin, "a declaration is never closed");
            ++position_;
        } else if (rest[0] == '<') {
            return markup();
        } else {
            const std::size_t begin = position_;
            position_ = std::min(text_.find('<', position_), text_.size());
            const auto found = text_.substr(begin, position_ - begin);
            if (std::all_of(found.begin(), found.end(), is_blank_in_xml)) continue;
            return XmlEvent{.kind = XmlEvent::Kind::text, .name = {}, .text = found, .at = begin};
        }
    }
}

Result<XmlEvent> XmlScanner::markup() {
    XmlEvent out{.kind = XmlEvent::Kind::open, .name = {}, .text = {}, .at = position_};
    ++position_;
    if (position_ < text_.size() && text_[position_] == '/') {
        out.kind = XmlEvent::Kind::close;
        ++position_;
    }
    while (position_ < text_.size() && !is_blank_in_xml(text_[position_]) && text_[position_] != '>' && text_[position_] != '/') {
        const char c = text_[position_++];
        out.name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    if (out.name.empty()) return fault(out.at, "expected the name of an element after '<'");
    char quote = 0;
    bool empty = false;
    for (; position_ < text_.size() && (quote != 0 || text_[position_] != '>'); ++position_) {
        const char c = text_[position_];
        if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '<')
            return fault(out.at, fmt::format("the tag <{} is never closed", out.name));
        empty = quote == 0 && c == '/';
    }
    if (position_ == text_.size()) return fault(out.at, fmt::format("the tag <{} is never closed", out.name));
    ++position_;
    if (out.kind == XmlEvent::Kind::close) {
        if (open_.empty() || open_.back() != out.name)
            return fault(out.at, open_.empty() ? fmt::format("</{}> closes nothing", out.name)
                                               : fmt::format("expected </{}>, found </{}>", open_.back(), out.name));
        open_.pop_back();
        return out;
    }
    open_.push_back(out.name);
    close_pending_ = empty;
    return out;
}

Result<std::string> xml_plain(std::string_view whole, std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const auto end = raw[i] == '&' ? raw.find(';', i) : std::string_view::npos;
        if (end == std::string_view::npos) {
            out += raw[i];
            continue;
        }
        const auto name = raw.substr(i + 1, end - i - 1);
        const auto known = std::find_if(entities.begin(), entities.end(), [&](const auto& e) { return e.first == name; });
        if (known != entities.end()) {
            out += known->second;
        } else {
            const bool hex = name.starts_with("#x");
            const auto digits = name.substr(std::min<std::size_t>(name.size(), hex ? 2 : 1));
            std::uint32_t number = 0;
            const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
            const bool fits = name.starts_with('#') && !digits.empty() && error == std::errc{} && stop == digits.data() + digits.size() &&
                              number > 0 && number < 0x110000 && (number < 0xD800 || number > 0xDFFF);
            if (!fits)
                return format_fault(whole, static_cast<std::size_t>(raw.data() - whole.data()) + i,
                                    fmt::format("unknown entity &{};", name),
                                    "known are &lt; &gt; &amp; &quot; &apos; and numbers such as &#228;");
            append_utf8(out, number);
        }
        i = end;
    }
    const auto first = std::find_if_not(out.begin(), out.end(), is_blank_in_xml);
    const auto last = std::find_if_not(out.rbegin(), std::make_reverse_iterator(first), is_blank_in_xml).base();
    return std::string(first, last);
}

std::string xml_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto known = std::find_if(entities.begin(), entities.end(), [&](const auto& e) { return e.second == c; });
        if (known != entities.end())
            out += fmt::format("&{};", known->first);
        else
            out += c;
    }
    return out;
}

}  // namespace credence::rt
