#include "stdlib/text/letter_case.hpp"

#include "lang/syntax/scan.hpp"

namespace credence::std_ {

namespace {

/// Capital letters first…last whose small letters are `shift` code points further on; a shift of 0: capital and small alternate, capital
/// first.
struct Letters {
    char32_t first, last;
    std::int32_t shift;
};

constexpr Letters letters[] = {
    {U'A', U'Z', 32},     {0x00C0, 0x00D6, 32},   {0x00D8, 0x00DE, 32}, {0x0100, 0x012F, 0},  {0x0132, 0x0137, 0},  {0x0139, 0x0148, 0},
    {0x014A, 0x0177, 0},  {0x0178, 0x0178, -121}, {0x0179, 0x017E, 0},  {0x0386, 0x0386, 38}, {0x0388, 0x038A, 37}, {0x038C, 0x038C, 64},
    {0x038E, 0x038F, 63}, {0x0391, 0x03A1, 32},   {0x03A3, 0x03AB, 32}, {0x0400, 0x040F, 80}, {0x0410, 0x042F, 32}, {0x0460, 0x0481, 0},
    {0x048A, 0x04BF, 0},  {0x04C1, 0x04CE, 0},    {0x04D0, 0x052F, 0},
};

constexpr char32_t final_sigma = 0x03C2;  // its capital is Σ, whose small letter is the other sigma

char32_t mapped(char32_t c, LetterCase to) {
    if (c == final_sigma) return to == LetterCase::upper ? 0x03A3 : c;
    for (const auto& l : letters) {
        if (l.shift == 0) {
            if (c < l.first || c > l.last) continue;
            const bool capital = (c - l.first) % 2 == 0;
            return to == LetterCase::upper ? (capital ? c : c - 1) : (capital ? c + 1 : c);
        }
        const auto shift = static_cast<char32_t>(l.shift);  // wraps round for the one that goes back
        if (to == LetterCase::lower && c >= l.first && c <= l.last) return c + shift;
        if (to == LetterCase::upper && c - shift >= l.first && c - shift <= l.last) return c - shift;
    }
    return c;
}

}  // namespace

std::string cased(std::string_view text, LetterCase to) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const lang::Rune rune = lang::decode(text, at);
        if (rune.length == 0) {
            out += text[at++];
            continue;
        }
        lang::append_utf8(out, mapped(rune.code, to));
        at += rune.length;
    }
    return out;
}

}  // namespace credence::std_
