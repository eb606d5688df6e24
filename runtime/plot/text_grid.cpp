#include "runtime/plot/text_grid.hpp"

#include <algorithm>
#include <array>

namespace credence::rt {

namespace {

struct Decoded {
    char32_t code = 0;
    std::size_t bytes = 1;
};

/// Labels are valid UTF-8; a stray byte is one character of its own, so that nothing here can run over the end.
Decoded decoded_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t bytes = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (bytes == 1 || at + bytes > text.size()) return {first, 1};
    char32_t code = first & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) code = (code << 6U) | (byte(at + i) & 0x3FU);
    return {code, bytes};
}

/// Unicode's East Asian Width, the blocks that are wide as a whole, and emoji.
bool is_wide(char32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
           (c >= 0x20000 && c <= 0x3FFFD);
}

bool is_combining(char32_t c) {
    return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) ||
           (c >= 0x200B && c <= 0x200F);
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }

std::size_t width_of(std::string_view character) { return is_wide(decoded_at(character, 0).code) ? 2 : 1; }

std::string braille(std::uint8_t dots) {
    const char32_t code = 0x2800U + dots;
    return {static_cast<char>(0xE0U | (code >> 12U)), static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
            static_cast<char>(0x80U | (code & 0x3FU))};
}

}  // namespace

std::vector<std::string> characters_of(std::string_view text) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decoded_at(text, i);
        if (is_control(d.code))
            out.emplace_back(" ");
        else if (is_combining(d.code) && !out.empty())
            out.back() += text.substr(i, d.bytes);
        else
            out.emplace_back(text.substr(i, d.bytes));
        i += d.bytes;
    }
    return out;
}

std::size_t columns_of(std::string_view text) {
    std::size_t out = 0;
    for (const auto& c : characters_of(text)) out += width_of(c);
    return out;
}

std::string shortened(std::string_view text, std::size_t columns, bool unicode) {
    auto characters = characters_of(text);
    if (!unicode)
        for (auto& c : characters)
            if (c.size() > 1) c = std::string(width_of(c), '?');
    std::string out;
    std::size_t used = 0;
    if (columns_of(text) <= columns) {
        for (const auto& c : characters) out += c;
        return out;
    }
    const std::string_view end = unicode ? "…" : "..";
    const std::size_t kept = columns - std::min(columns, columns_of(end));
    for (const auto& c : characters) {
        const std::size_t width = unicode ? width_of(c) : c.size();
        if (used + width > kept) break;
        out += c;
        used += width;
    }
    return columns >= columns_of(end) ? out + std::string(end) : out;
}

std::string painted(std::string_view text, Paint paint) {
    // The nearest of the 256 to the middle of svg.cpp's palettes for light and for dark pages.
    static constexpr std::array<std::string_view, 8> colors{"32", "208", "36", "169", "178", "74", "143", "245"};
    if (paint == 0 || text.empty()) return std::string(text);
    return "\x1b[38;5;" + std::string(colors[(paint - 1U) % colors.size()]) + "m" + std::string(text) + "\x1b[0m";
}

TextGrid::TextGrid(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns), rows_(rows), unicode_(unicode), cells_(columns * rows) {}

void TextGrid::put(std::size_t column, std::size_t row, std::string_view text, Paint paint) {
    if (row >= rows_) return;
    for (const auto& c : characters_of(text)) {
        const std::size_t width = width_of(c);
        if (column + width > columns_) return;
        at(column, row).glyph = unicode_ || c.size() == 1 ? c : "?";
        at(column, row).covered = false;
        at(column, row).ground = false;
        at(column, row).paint = paint;
        for (std::size_t k = 1; k < width; ++k) {
            at(column + k, row).glyph = unicode_ ? "" : "?";
            at(column + k, row).covered = unicode_;
        }
        column += width;
    }
}

void TextGrid::paint(std::size_t column, std::size_t row, std::size_t columns, Paint paint) {
    for (std::size_t c = column; c < std::min(columns_, column + columns) && row < rows_; ++c) at(c, row).paint = paint;
}

void TextGrid::shade(std::size_t column, std::size_t row, std::string_view text, Paint paint) {
    if (column >= columns_ || row >= rows_) return;
    put(column, row, text, paint);
    at(column, row).ground = true;
}

void TextGrid::line(std::size_t column, std::size_t row, std::size_t to_column, std::size_t to_row) {
    const auto [left, right] = std::minmax(column, to_column);
    const auto [top, bottom] = std::minmax(row, to_row);
    if (right >= columns_ || bottom >= rows_) return;
    for (std::size_t x = left; x < right; ++x) {
        at(x, row).arms |= 2;
        at(x + 1, row).arms |= 8;
    }
    for (std::size_t y = top; y < bottom; ++y) {
        at(column, y).arms |= 4;
        at(column, y + 1).arms |= 1;
    }
}

void TextGrid::dot(std::size_t x, std::size_t y, Paint paint, bool over) {
    static constexpr std::array<std::array<std::uint8_t, 2>, 4> bits{{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    if (x / 2 >= columns_ || y / 4 >= rows_) return;
    Cell& cell = at(x / 2, y / 4);
    cell.dots |= bits[y % 4][x % 2];
    if (cell.ground || over) cell.glyph.clear();
    cell.ground = false;
    if (cell.glyph.empty()) cell.paint = paint;
}

bool TextGrid::is_blank(std::size_t column, std::size_t row) const {
    if (column >= columns_ || row >= rows_) return false;
    const Cell& cell = cells_[row * columns_ + column];
    return (cell.glyph.empty() || cell.glyph == " ") && !cell.covered && cell.arms == 0 && cell.dots == 0;
}

std::string TextGrid::shown(const Cell& cell) const {
    static constexpr std::array<std::string_view, 16> boxes{" ", "╵", "╶", "└", "╷", "│", "┌", "├", "╴", "┘", "─", "┴", "┐", "┤", "┬", "┼"};
    static constexpr std::array<std::string_view, 16> plain{" ", "|", "-", "+", "|", "|", "+", "+", "-", "+", "-", "+", "+", "+", "+", "+"};
    if (cell.covered) return {};
    if (!cell.glyph.empty()) return cell.glyph;
    if (cell.dots != 0) return unicode_ ? braille(cell.dots) : "*";
    return std::string(unicode_ ? boxes[cell.arms] : plain[cell.arms]);
}

std::string TextGrid::text(bool color) const {
    std::string out;
    for (std::size_t y = 0; y < rows_; ++y) {
        std::size_t end = columns_;
        const auto glyph = [&](std::size_t x) { return shown(cells_[y * columns_ + x]); };
        while (end > 0 && glyph(end - 1).find_first_not_of(' ') == std::string::npos) --end;
        for (std::size_t x = 0; x < end;) {  // neighbours of one colour share their escapes
            const Paint paint = color ? cells_[y * columns_ + x].paint : Paint{0};
            std::string run;
            for (; x < end && (!color || cells_[y * columns_ + x].paint == paint); ++x) run += glyph(x);
            out += painted(run, paint);
        }
        out += '\n';
    }
    return out;
}

}  // namespace credence::rt
