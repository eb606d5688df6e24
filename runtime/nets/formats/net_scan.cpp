#include "runtime/nets/formats/net_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/rational.hpp"
#include "runtime/data/decimal.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

enum Class : char { of_word, of_blank, of_sign, of_quote };

std::string token_text(const NetToken& token) {
    constexpr std::size_t longest = 40;
    if (token.kind == NetToken::Kind::end) return "the end of the file";
    if (token.raw.size() <= longest) return fmt::format("'{}'", token.raw);
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(token.raw[cut]) & 0xC0U) == 0x80U) --cut;  // between characters
    return fmt::format("'{}…'", token.raw.substr(0, cut));
}

}  // namespace

Fault format_fault(std::string_view text, std::size_t offset, std::string message, std::string hint) {
    offset = std::min(offset, text.size());
    std::size_t column = 1;
    for (std::size_t i = offset; i > 0 && text[i - 1] != '\n'; --i)
        if ((static_cast<unsigned char>(text[i - 1]) & 0xC0U) != 0x80U) ++column;
    return {.code = "E-FORMAT",
            .message = fmt::format("line {}, column {}: {}", line_of(text, offset), column, message),
            .hint = std::move(hint)};
}

NetScanner::NetScanner(std::string_view text, const ScanRules& rules, std::size_t begin) : text_(text), rules_(rules), position_(begin) {
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) class_[static_cast<unsigned char>(c)] = of_blank;
    for (const char c : rules.signs) class_[static_cast<unsigned char>(c)] = of_sign;
    class_['"'] = of_quote;
    if (begin == 0 && text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
    advance();
}

/// Blanks and comments; false if a comment is never closed (the token is then the comment's beginning).
bool NetScanner::skip_space() {
    for (;;) {
        while (position_ < text_.size() && class_[static_cast<unsigned char>(text_[position_])] == of_blank) ++position_;
        const auto rest = text_.substr(position_);
        if ((rules_.percent_comments && rest.starts_with('%')) || (rules_.slash_comments && rest.starts_with("//"))) {
            position_ = std::min(text_.find('\n', position_), text_.size());
        } else if (rules_.slash_comments && rest.starts_with("/*")) {
            const auto close = text_.find("*/", position_ + 2);
            if (close == std::string_view::npos) return false;
            position_ = close + 2;
        } else {
            return true;
        }
    }
}

void NetScanner::advance() {
    const bool whole = skip_space();
    token_ = {NetToken::Kind::end, text_.substr(position_, 0), position_};
    if (!whole) {
        unclosed_ = true;
        position_ = text_.size();
        return;
    }
    if (position_ == text_.size()) return;
    const char* const data = text_.data();
    switch (class_[static_cast<unsigned char>(data[position_])]) {
        case of_sign:
            token_ = {NetToken::Kind::sign, text_.substr(position_, 1), position_};
            ++position_;
            return;
        case of_quote: {
            std::size_t end = position_ + 1;
            while (end < text_.size() && data[end] != '"') end += data[end] == '\\' ? 2 : 1;
            if (end >= text_.size()) {
                unclosed_ = true;
                position_ = text_.size();
                return;
            }
            token_ = {NetToken::Kind::text, text_.substr(position_ + 1, end - position_ - 1), position_};
            position_ = end + 1;
            return;
        }
        default: {
            std::size_t end = position_ + 1;
            while (end < text_.size() && class_[static_cast<unsigned char>(data[end])] == of_word) ++end;
            token_ = {NetToken::Kind::word, text_.substr(position_, end - position_), position_};
            position_ = end;
        }
    }
}

Fault NetScanner::fault(const NetToken& token, std::string message, std::string hint) const {
    return format_fault(text_, token.at, std::move(message), std::move(hint));
}

Fault NetScanner::expected(std::string_view what) const {
    if (unclosed_ && token_.kind == NetToken::Kind::end) return fault(token_, "a quote or a comment is never closed");
    return fault(token_, fmt::format("expected {}, found {}", what, token_text(token_)));
}

Status NetScanner::expect(char sign, std::string_view where) {
    if (take(sign)) return Done{};
    return expected(fmt::format("'{}' {}", sign, where));
}

Result<NetToken> NetScanner::name(std::string_view what) {
    if (!token_.is_name()) return expected(what);
    return next();
}

Result<double> NetScanner::number(std::string_view* raw) {
    if (token_.kind != NetToken::Kind::word) return expected("a number");
    const auto decimal = parse_decimal(token_.raw);
    double value = decimal.value;
    if (decimal.kind == Decimal::Kind::other) {
        const auto exact = Rational::parse(token_.raw);
        if (!exact || token_.raw.back() == '%') return expected("a number");
        value = exact->to_double();
    }
    if (value < 0) return fault(token_, fmt::format("{} is negative", token_text(token_)), "probabilities are 0 or more");
    if (!std::isfinite(value)) return fault(token_, fmt::format("{} is too large a number", token_text(token_)));
    if (raw) *raw = token_.raw;
    advance();
    return value;
}

Result<std::size_t> NetScanner::count(std::string_view what) {
    std::size_t value = 0;
    bool whole = token_.kind == NetToken::Kind::word;
    if (whole) {
        constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
        for (const char c : token_.raw) {
            whole = whole && c >= '0' && c <= '9' && value <= most;
            value = value * 10 + static_cast<std::size_t>(c - '0');
        }
        whole = whole && value <= most;
    }
    if (!whole) return expected(what);
    advance();
    return value;
}

Status NetScanner::sections(std::initializer_list<Section> all, std::string_view what) {
    while (token_.kind != NetToken::Kind::end) {
        const auto* section = std::find_if(all.begin(), all.end(), [&](const Section& s) { return take_word(s.word); });
        if (section == all.end()) return expected(what);
        TRY(section->read());
    }
    return Done{};
}

Status NetScanner::skip_statement() {
    while (!token_.is(';')) {
        if (token_.kind == NetToken::Kind::end) return expected("';'");
        advance();
    }
    advance();
    return Done{};
}

std::string plain_name(const NetToken& token) {
    if (token.kind != NetToken::Kind::text) return std::string(token.raw);
    std::string out;
    for (std::size_t i = 0; i < token.raw.size(); ++i) {
        if (token.raw[i] == '\\' && i + 1 < token.raw.size()) ++i;
        out += token.raw[i];
    }
    return out;
}

}  // namespace credence::rt
