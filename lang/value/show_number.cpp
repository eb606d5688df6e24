#include <array>
#include <cmath>

#include "lang/value/layout.hpp"
#include "runtime/core/chars.hpp"

namespace credence::lang {

namespace {

/// digits × 10^exponent with the decimal point after the first digit.
struct Scientific {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

std::string lay_out(Scientific s, int precision) {
    while (s.digits.size() > 1 && s.digits.back() == '0') s.digits.pop_back();
    const std::string sign = s.negative ? "-" : "";
    const auto count = static_cast<int>(s.digits.size());
    if (s.exponent < -5 || s.exponent >= std::max(precision, 16)) {
        std::string out = s.digits.substr(0, 1);
        if (count > 1) out += "." + s.digits.substr(1);
        return sign + out + "e" + std::to_string(s.exponent);
    }
    if (s.exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-s.exponent - 1), '0') + s.digits;
    if (count <= s.exponent + 1) return sign + s.digits + std::string(static_cast<std::size_t>(s.exponent + 1 - count), '0');
    return sign + s.digits.substr(0, static_cast<std::size_t>(s.exponent + 1)) + "." +
           s.digits.substr(static_cast<std::size_t>(s.exponent + 1));
}

std::string show_double(double x, int precision) {
    if (std::isnan(x)) return "undefined";
    if (std::isinf(x)) return x > 0 ? "∞" : "-∞";
    if (x == 0) return "0";
    std::array<char, 64> buffer{};
    const auto [end, error] =
        rt::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(x), rt::chars_format::scientific, precision - 1);
    if (error != std::errc{}) return "undefined";
    const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = text.find('e');
    const int exponent = std::stoi(std::string(text.substr(e + 1)));
    if (exponent >= precision && exponent < 16) return show_double(x, exponent + 1);  // digits before the point are never zeroed
    Scientific s;
    s.negative = x < 0;
    for (const char c : text.substr(0, e))
        if (c != '.') s.digits += c;
    s.exponent = exponent;
    return lay_out(std::move(s), precision);
}

/// Rounds the fraction itself, half away from zero: going through a double could turn a tie the wrong way.
std::string show_fraction_as_decimal(const rt::Rational& x, int precision) {
    const rt::Rational magnitude = x.sign() < 0 ? -x : x;
    auto exponent = static_cast<int>(std::floor(magnitude.log() / std::log(10.0)));
    const rt::Rational ten = 10;
    if (magnitude < ten.pow(exponent))
        --exponent;
    else if (magnitude >= ten.pow(exponent + 1))
        ++exponent;
    if (exponent >= precision && exponent < 16) precision = exponent + 1;  // digits before the point are never zeroed
    const rt::Rational scaled = magnitude * ten.pow(precision - 1 - exponent) + rt::Rational(1, 2);
    Scientific s;
    s.negative = x.sign() < 0;
    s.digits = scaled.floor().text();
    if (static_cast<int>(s.digits.size()) > precision) ++exponent;  // 9.9995 became 10.000
    s.exponent = exponent;
    return lay_out(std::move(s), precision);
}

}  // namespace

std::string show_decimal(const rt::Number& number, int digits) {
    if (!number.is_exact()) return show_double(number.real(), digits);
    const auto& x = number.exact();
    if (x.is_zero()) return "0";
    return show_fraction_as_decimal(x, digits);
}

bool is_whole_decimal(const rt::Rational& x, int digits) {
    constexpr std::size_t most_places = 20;
    return x.is_integer() || (x.decimal(most_places) && rt::Rational::parse(show_decimal(rt::Number(x), digits)) == x);
}

std::string fraction_text(const rt::Rational& x) {
    constexpr std::size_t longest = 24;  // characters; of a longer one the decimal says more
    std::string text = x.text();
    return text.size() > longest ? "" : text;
}

std::string show_cell_number(const rt::Number& number, const ShowOptions& options) {
    if (!number.is_exact()) return show_decimal(number, options.digits);
    const auto& x = number.exact();
    if (x.is_integer()) return x.text();
    if (auto decimal = x.decimal(longest_cell_fraction); decimal && decimal->size() <= longest_cell_fraction) return *std::move(decimal);
    std::string fraction = x.text();
    return fraction.size() <= longest_cell_fraction ? fraction : show_decimal(number, options.digits);
}

NumberForm::NumberForm(std::span<const rt::Number> numbers, int digits, std::size_t longest_fraction) : digits_(digits) {
    bool whole = true;
    bool brief = true;
    for (const auto& n : numbers) {
        const bool decimal = n.is_exact() && is_whole_decimal(n.exact(), digits);
        whole = whole && decimal;
        brief = brief && (decimal || n.is_exact()) && (!n.is_exact() || n.exact().text().size() <= longest_fraction);
    }
    fractions_ = !whole && brief;
}

std::string NumberForm::operator()(const rt::Number& x) const {
    if (x.is_exact() && (fractions_ || x.exact().is_integer())) return x.exact().text();
    return show_decimal(x, digits_);
}

bool NumberForm::rounds(const rt::Number& x) const {
    if (!x.is_exact()) return !std::isinf(x.real());
    return !fractions_ && !is_whole_decimal(x.exact(), digits_);
}

std::string show_brief(const rt::Number& number, const ShowOptions& options) {
    const NumberForm form({&number, 1}, options.digits);
    return options.marks && form.rounds(number) ? "≈ " + form(number) : form(number);
}

std::string show_number(const rt::Number& number, const ShowOptions& options) {
    constexpr std::size_t longest = 32;  // characters; of a longer fraction nobody reads more than the decimal
    if (number.is_exact()) {
        std::string text = number.exact().text();
        if (number.exact().is_integer() || text.size() <= longest) return text;
    }
    const std::string digits = show_decimal(number, options.digits);
    return std::isinf(number.real()) ? digits : "≈ " + digits;
}

}  // namespace credence::lang
