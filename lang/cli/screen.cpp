#include "lang/cli/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "lang/value/show.hpp"

namespace credence::cli {

namespace {

constexpr std::size_t least_shown = 10;  // on the smallest of terminals

/// Without the escapes that colour it.
std::string without_colors(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i] == '\x1b')
            i = std::min(line.find('m', i), line.size() - 1);
        else
            out += line[i];
    return out;
}

/// One past the byte where so many screen lines end; a long line takes several.
std::size_t end_of_lines(std::string_view text, std::size_t lines, std::size_t columns) {
    std::size_t at = 0;
    while (at < text.size() && lines > 0) {
        const auto end = std::min(text.find('\n', at), text.size());
        const std::size_t taken =
            std::max<std::size_t>(1, (lang::text_width(without_colors(text.substr(at, end - at))) + columns - 1) / columns);
        if (taken > lines) break;
        lines -= taken;
        at = std::min(end + 1, text.size());
    }
    return at;
}

std::size_t count_lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.empty() || text.back() == '\n' ? 0 : 1);
}

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

std::optional<ScreenSize> screen_size(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return std::nullopt;
    return ScreenSize{size.ws_row, size.ws_col};
}

std::size_t help_width() {
    constexpr std::size_t easily_read = 90;
    constexpr std::size_t least_width = 30;
    const auto size = screen_size(STDOUT_FILENO);
    return size ? std::clamp<std::size_t>(size->columns - 1, least_width, easily_read) : easily_read;
}

bool unicode_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* locale = std::getenv(name); locale && *locale) {
            const std::string_view text = locale;
            return text.find("UTF-8") != std::string_view::npos || text.find("utf8") != std::string_view::npos;
        }
    return true;
}

std::optional<std::size_t> Screen::most_lines() const {
    switch (cut_) {
        case Cut::never:
            return std::nullopt;
        case Cut::to_number:
            return lines_;
        case Cut::to_fit:
            break;
    }
    const auto size = screen_size(STDOUT_FILENO);
    if (!size) return std::nullopt;
    return std::max(least_shown, size->rows < 4 ? 0 : size->rows - 3);  // the entry, the note and the next prompt stay in sight
}

std::string Screen::cut_text() const { return cut_ == Cut::never ? "all" : cut_ == Cut::to_number ? std::to_string(lines_) : "auto"; }

void Screen::write(std::string_view block) {
    const auto most = most_lines();
    const auto size = screen_size(STDOUT_FILENO);
    const std::size_t end = most ? end_of_lines(block, *most, size ? size->columns : 80) : block.size();
    const std::size_t left = count_lines(block.substr(end));
    if (left < 2) return put(block);  // the note would take as much room
    put(block.substr(0, end));
    rest_ = block.substr(end);
    put(fmt::format("… {} more lines; :more shows them\n", left));
}

bool Screen::write_rest() {
    if (rest_.empty()) return false;
    put(std::exchange(rest_, {}));
    return true;
}

}  // namespace credence::cli
