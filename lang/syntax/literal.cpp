#include "lang/syntax/literal.hpp"

#include <charconv>

#include "lang/syntax/scan.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t max_digits = 10'000;

/// The code point of `\u{…}` at the start of `raw` and its length; nothing when it is none.
std::optional<std::pair<char32_t, std::size_t>> unicode_escape(std::string_view raw) {
    const auto close = raw.find('}');
    if (!raw.starts_with("\\u{") || close == std::string_view::npos || close < 4 || close > 9) return std::nullopt;
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(raw.data() + 3, raw.data() + close, code, 16);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (error != std::errc{} || end != raw.data() + close || code > 0x10FFFF || surrogate) return std::nullopt;
    return std::pair{static_cast<char32_t>(code), close + 1};
}

}  // namespace

std::optional<rt::Rational> number_value(std::string_view digits) {
    if (digits.size() > max_digits) return std::nullopt;
    return rt::Rational::parse(digits);
}

DecodedText decode_text(std::string_view raw, Braces braces) {
    DecodedText out;
    out.text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const char c = raw[i];
        if (c == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;  // line ends are the same text everywhere
        if (braces == Braces::doubled && (c == '{' || c == '}') && i + 1 < raw.size() && raw[i + 1] == c) {
            out.text += c;
            ++i;
        } else if (c != '\\') {
            out.text += c;
        } else if (const char escaped = i + 1 < raw.size() ? raw[i + 1] : '\0'; escaped == 'n' || escaped == 't') {
            out.text += escaped == 'n' ? '\n' : '\t';
            ++i;
        } else if (escaped == '"' || escaped == '\\') {
            out.text += escaped;
            ++i;
        } else if (const auto unicode = unicode_escape(raw.substr(i))) {
            append_utf8(out.text, unicode->first);
            i += unicode->second - 1;
        } else if (!out.bad_escape) {
            out.bad_escape = i;
        }
    }
    return out;
}

}  // namespace credence::lang
