#include "lang/text/width.hpp"

#include <algorithm>

namespace credence::lang {

namespace {

struct Range {
    char32_t first, last;
};

// From Unicode's EastAsianWidth.txt (W and F) and the general category Mn, by blocks.
constexpr Range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},  {0x2329, 0x232A}, {0x23E9, 0x23EC},   {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},
    {0x2614, 0x2615},   {0x2648, 0x2653},  {0x267F, 0x267F}, {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},
    {0x26C4, 0x26C5},   {0x26CE, 0x26CE},  {0x26D4, 0x26D4}, {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},   {0x26FA, 0x26FA},
    {0x26FD, 0x26FD},   {0x2705, 0x2705},  {0x270A, 0x270B}, {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},  {0x27B0, 0x27B0}, {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x4DBF},  {0x4E00, 0xA4CF}, {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range combining[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
                               {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

template <std::size_t N>
bool holds(const Range (&ranges)[N], char32_t code) {
    const auto* after =
        std::upper_bound(std::begin(ranges), std::end(ranges), code, [](char32_t c, const Range& r) { return c < r.first; });
    return after != std::begin(ranges) && code <= std::prev(after)->last;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80) {
            ++out;
            ++i;
            continue;
        }
        char32_t code = lead >= 0xF0 ? lead & 0x07U : lead >= 0xE0 ? lead & 0x0FU : lead & 0x1FU;
        for (++i; i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U; ++i)
            code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
        out += holds(combining, code) ? 0 : holds(wide, code) ? 2 : 1;
    }
    return out;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    std::size_t end = 0;
    for (std::size_t next = 0; next < text.size(); end = next) {
        for (++next; next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U; ++next) {}
        if (display_width(text.substr(0, next)) + 1 > width) break;
    }
    while (end > 0 && text[end - 1] == ' ') --end;
    return std::string(text.substr(0, end)) + "…";
}

namespace {

/// One line without its end.
std::string wrapped_line(std::string_view line, std::size_t width, std::string_view indent) {
    if (display_width(line) <= width) return std::string(line);
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const std::string next = std::string(blanks, ' ') + std::string(indent);
    std::string out;
    std::string now(line.substr(0, blanks));
    bool empty = true;  // of words
    for (std::size_t at = blanks; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::size_t after = std::min(line.find_first_not_of(' ', end), line.size());
        if (!empty && display_width(now) + display_width(line.substr(at, end - at)) > width) {
            now.erase(now.find_last_not_of(' ') + 1);
            out += now + "\n";
            now = next;
        }
        now += line.substr(at, after - at);
        empty = false;
        at = after;
    }
    return out + now;
}

}  // namespace

std::string wrapped_words(std::string_view text, std::size_t width, std::string_view indent) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += wrapped_line(text.substr(at, end - at), width, indent);
        if (end == text.size()) break;
        out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace credence::lang
