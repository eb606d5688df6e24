#include "lang/driver/plain_output.hpp"

#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "lang/text/render_text.hpp"
#include "lang/text/width.hpp"

namespace credence::lang {

namespace {

std::string indented(const std::string& text) {
    std::string out = "  ";
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out;
}

/// A long sum goes on in further lines, each but the last ending in its +, so that it is still one expression.
std::string folded(const std::string& text) {
    constexpr std::size_t widest = 110;
    if (text.size() <= widest) return text;
    std::string out;
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t end = text.size();
        for (std::size_t plus = text.find(" + ", from); plus != std::string::npos; plus = text.find(" + ", plus + 1)) {
            if (plus - from > widest && end != text.size()) break;
            end = plus + 2;
            if (text.size() - from <= widest) {
                end = text.size();
                break;
            }
        }
        if (!out.empty()) out += "\n      ";
        out += text.substr(from, end - from);
        from = end + (end < text.size() ? 1 : 0);
    }
    return out;
}

/// Whether a query is written in it: one of P, E, H, I, L directly before a parenthesis, and no letter of a longer name.
bool has_query(std::string_view text) {
    const auto continues_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find_first_of("PEHIL"); at != std::string_view::npos; at = text.find_first_of("PEHIL", at + 1))
        if (text.substr(at + 1).starts_with('(') && (at == 0 || !continues_name(text[at - 1]))) return true;
    return false;
}

}  // namespace

void PlainOutput::value(const ValueEvent& event) {
    ShowOptions options{.digits = digits_, .bars = style_.bars, .unicode = style_.unicode, .color = style_.picture_colors};
    if (style_.columns) options = fitted(options, *style_.columns);
    std::string text = show_block(event.value, options);
    if (!event.query.empty()) {
        const bool indents_itself = text.starts_with(' ') && !event.value.is<rt::PicturePtr>();
        text = event.query + "\n" + (indents_itself ? text : indented(text));
        if (event.answer && event.answer->standard_error)
            text += fmt::format("\n  standard error {}", show_decimal(*event.answer->standard_error, 2));
    }
    out_(text + "\n");
}

void PlainOutput::derivation(const DerivationEvent& event) {
    std::string text = "explain " + event.query + "\n";
    bool headed = false;  // the line above names the calculation; notes may come between
    for (const auto& line : event.lines) {
        switch (line.kind) {
            case DerivationText::Kind::note:
                text += "  " + line.text + "\n";
                break;
            case DerivationText::Kind::formula:
            case DerivationText::Kind::heading:
                text += "  " + line.text + "\n";
                break;
            // A calculation that opens with numbers follows a line that names it.
            case DerivationText::Kind::begin:
                if (headed)
                    text += "    = " + folded(line.text) + "\n";
                else
                    text += (has_query(line.text) ? "  " : "    = ") + line.text + "\n";
                break;
            case DerivationText::Kind::step:
                text += "    = " + folded(line.text) + "\n";
                break;
            case DerivationText::Kind::result: {
                text += (line.value && !line.value->is_exact() ? "    ≈ " : "    = ") + line.text;
                if (line.value && line.value->is_exact() && !line.value->exact().is_integer()) {
                    const std::string decimal = show_decimal(*line.value, digits_);
                    const bool whole = rt::Rational::parse(decimal) == line.value->exact();
                    text += fmt::format(" {} {}", whole ? "=" : "≈", decimal);
                }
                text += "\n";
                break;
            }
        }
        if (line.kind != DerivationText::Kind::note) headed = line.kind == DerivationText::Kind::heading;
    }
    if (style_.columns) text = wrapped_words(text, *style_.columns, "    ");
    out_(text);
}

void PlainOutput::diagnostic(const Diagnostic& diagnostic) {
    err_(render_text(diagnostic, {.color = style_.color, .width = style_.columns}));
}

}  // namespace credence::lang
