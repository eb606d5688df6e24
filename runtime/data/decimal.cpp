#include "runtime/data/decimal.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace credence::rt {

namespace {

/// digits × 10^exponent
struct Parts {
    std::uint64_t digits = 0;
    int exponent = 0;
    int count = 0;                                 ///< how many digits were read, leading zeros included
};

constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int max_exact_power = 22;
constexpr int max_digits = 19;                     // of which any fit into 64 bits
constexpr std::uint64_t ten_to_15 = 1'000'000'000'000'000U;
constexpr double largest_plain = 9e15;             // below 2^53: from there on the shortest decimal of a whole number may not be its value

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Eight digits at once (Lemire, "Quickly parsing eight digits", 2018). The word is little-endian.
bool eight_digits(const char* text, std::uint64_t& digits) {
    if constexpr (std::endian::native != std::endian::little) return false;
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    const std::uint64_t low = word - 0x3030303030303030U;
    const std::uint64_t high = word + 0x4646464646464646U;
    if (((low | high | word) & 0x8080808080808080U) != 0) return false;
    word = low * 10 + (low >> 8U);
    word = (((word & 0x000000FF000000FFU) * 0x000F424000000064U) + (((word >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U)) >> 32U;
    digits = digits * 100'000'000 + static_cast<std::uint32_t>(word);
    return true;
}

const char* read_digits(const char* at, const char* end, Parts& parts) {
    const char* const begin = at;
    while (end - at >= 8 && parts.count + (at - begin) <= max_digits - 8 && eight_digits(at, parts.digits)) at += 8;
    while (at != end && is_digit(*at)) {
        if (parts.count + (at - begin) >= max_digits) return nullptr;
        parts.digits = parts.digits * 10 + static_cast<std::uint64_t>(*at - '0');
        ++at;
    }
    parts.count += static_cast<int>(at - begin);
    return at;
}

/// [digits][.digits][e[+-]digits] without a sign; false where the form or the size is another.
bool read_parts(const char* at, const char* end, Parts& parts) {
    at = read_digits(at, end, parts);
    if (at == nullptr) return false;
    if (at != end && *at == '.') {
        const int before = parts.count;
        at = read_digits(at + 1, end, parts);
        if (at == nullptr || parts.count == before) return false;
        parts.exponent = before - parts.count;
    }
    if (parts.count == 0) return false;
    if (at == end) return true;
    if (*at != 'e' && *at != 'E') return false;
    ++at;
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (at == end || end - at > 4) return false;
    int exponent = 0;
    for (; at != end; ++at) {
        if (!is_digit(*at)) return false;
        exponent = exponent * 10 + (*at - '0');
    }
    parts.exponent += negative ? -exponent : exponent;
    return true;
}

void drop_trailing_zeros(Parts& parts) {
    while (parts.digits != 0 && parts.digits % 10 == 0) {
        parts.digits /= 10;
        ++parts.exponent;
    }
}

bool is_shortest(Parts parts, double magnitude) {
    drop_trailing_zeros(parts);
    if (magnitude >= largest_plain) return false;
    // Any decimal of 15 digits survives the way to a normal double and back (DBL_DIG), so no shorter one means the same double.
    if (parts.digits < ten_to_15 && magnitude > 1e-290) return true;
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, magnitude);
    Parts shortest;
    if (error != std::errc{} || !read_parts(buffer, end, shortest)) return false;
    drop_trailing_zeros(shortest);
    return shortest.digits == parts.digits && shortest.exponent == parts.exponent;
}

}  // namespace

Decimal parse_decimal(std::string_view text) {
    const char* begin = text.data();
    const char* const end = begin + text.size();
    if (begin == end) return {};
    const bool negative = *begin == '-';
    if (negative || *begin == '+') ++begin;
    Parts parts;
    if (!read_parts(begin, end, parts)) return {};
    if (parts.digits == 0) return {Decimal::Kind::shortest, 0.0};

    // Clinger (1990): digits and power are exact doubles, so that one rounding is left.
    if (parts.digits < ten_to_15 && parts.exponent >= -max_exact_power && parts.exponent <= max_exact_power) {
        const auto digits = static_cast<double>(parts.digits);
        const double value =
            parts.exponent < 0 ? digits / exact_powers_of_ten[-parts.exponent] : digits * exact_powers_of_ten[parts.exponent];
        return {value < largest_plain ? Decimal::Kind::shortest : Decimal::Kind::number, negative ? -value : value};
    }
    double magnitude = 0;
    const auto [stop, error] = std::from_chars(begin, end, magnitude);
    if (error != std::errc{} || stop != end) return {};  // out of range: the exact fraction takes over
    return {is_shortest(parts, magnitude) ? Decimal::Kind::shortest : Decimal::Kind::number, negative ? -magnitude : magnitude};
}

}  // namespace credence::rt
