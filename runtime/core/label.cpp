#include "runtime/core/label.hpp"

#include "runtime/core/chars.hpp"
#include "runtime/core/code_text.hpp"

namespace credence::rt {

std::string label_text(const Number& number) {
    if (number.is_exact()) {
        if (auto decimal = number.exact().decimal(17)) return *decimal;
        return number.exact().text();
    }
    char buffer[64];
    const auto [end, error] = to_chars(buffer, buffer + sizeof buffer, number.real());
    return error == std::errc{} ? std::string(buffer, end) : "nan";
}

bool has_leading_zero(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

Label Label::of_text(std::string_view text) {
    Label out;
    const bool may_be_number = !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    if (may_be_number && text.back() != '%' && text.find('/') == std::string_view::npos && !has_leading_zero(text)) {
        if (const auto number = Rational::parse(text)) return of_number(*number);
    }
    out.text_ = text;
    return out;
}

Label Label::of_number(const Number& number) {
    Label out;
    out.text_ = label_text(number);
    out.number_ = number;
    return out;
}

bool operator<(const Label& a, const Label& b) {
    if (a.is_number() && b.is_number()) return *a.number_ < *b.number_;
    if (a.is_number() != b.is_number()) return a.is_number();
    return a.text_ < b.text_;
}

}  // namespace credence::rt
