#include "runtime/core/chars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace credence::rt::portable {

namespace {

std::to_chars_result put_chars(std::string_view text, char* first, char* last) {
    if (static_cast<std::size_t>(last - first) < text.size()) return {last, std::errc::value_too_large};
    return {std::copy(text.begin(), text.end(), first), std::errc{}};
}

/// The digits without a point and the exponent of the first, of a text that fmt wrote.
std::pair<std::string, int> digits_of(std::string_view text) {
    std::string digits;
    int exponent = 0;
    const auto e = text.find('e');
    if (e != std::string_view::npos) {
        exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
        text = text.substr(0, e);
    }
    const auto point = std::min(text.find('.'), text.size());
    exponent += static_cast<int>(point) - 1;
    for (const char c : text)
        if (c != '.') digits += c;
    const auto first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    digits.erase(0, first);
    exponent -= static_cast<int>(first);
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    return {digits, exponent};
}

}  // namespace

std::to_chars_result to_chars(char* first, char* last, double value) {
    if (!std::isfinite(value) || value == 0)
        return put_chars(std::isnan(value) ? std::signbit(value) ? "-nan" : "nan" : fmt::format("{:g}", value), first, last);
    const auto [digits, exponent] = digits_of(fmt::format("{}", std::abs(value)));
    const auto count = static_cast<int>(digits.size());
    std::string scientific = digits.substr(0, 1);
    if (count > 1) scientific += "." + digits.substr(1);
    scientific += fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
    // As many characters as the fixed form has, which is not written out where it is longer: 1e300.
    const int fixed_size = exponent < 0 ? 1 - exponent + count : count <= exponent + 1 ? exponent + 1 : count + 1;
    std::string text = value < 0 ? "-" : "";
    if (fixed_size > static_cast<int>(scientific.size()))
        text += scientific;
    else if (exponent < 0)
        text += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    else if (count <= exponent + 1)
        text += fmt::format("{:.0f}", std::abs(value));  // all its digits, not zeros after the shortest that suffice
    else
        text += digits.substr(0, static_cast<std::size_t>(exponent + 1)) + "." + digits.substr(static_cast<std::size_t>(exponent + 1));
    return put_chars(text, first, last);
}

std::to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
    switch (format) {
        case chars_format::scientific:
            return put_chars(fmt::format("{:.{}e}", value, precision), first, last);
        case chars_format::fixed:
            return put_chars(fmt::format("{:.{}f}", value, precision), first, last);
        case chars_format::general:
            return put_chars(fmt::format("{:.{}g}", value, precision), first, last);
    }
    return {last, std::errc::value_too_large};
}

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
    const std::string text(first, last);  // strtod wants an end, and reads what from_chars does not: blanks, +, inf, hexadecimal
    const auto plain = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
    if (plain == 0 || text[0] == '+') return {first, std::errc::invalid_argument};
    char* end = nullptr;
    const double read = std::strtod(text.c_str(), &end);
    if (end == text.c_str()) return {first, std::errc::invalid_argument};
    const char* stop = first + (end - text.c_str());
    const auto mantissa = text.substr(0, text.find_first_of("eE"));
    const bool vanished = read == 0 && mantissa.find_first_of("123456789") != std::string::npos;
    if (std::isinf(read) || vanished) return {stop, std::errc::result_out_of_range};
    value = read;
    return {stop, std::errc{}};
}

}  // namespace credence::rt::portable
