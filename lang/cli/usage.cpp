#include "lang/cli/usage.hpp"

#include <algorithm>

#include "lang/text/width.hpp"

namespace credence::cli {

namespace {

/// Where the description begins: after two blanks at least that follow the names of an option; npos if there is none.
std::size_t description_at(std::string_view line) {
    const auto names = line.find_first_not_of(' ');
    if (names == std::string_view::npos || names == 0) return std::string_view::npos;
    const auto gap = line.find("  ", names);
    return gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
}

/// What follows a line end is indented by as much as the line, and then by `wrapped_words`' indent.
std::string fitted_line(std::string_view line, std::size_t columns) {
    constexpr std::size_t least_description = 30;
    const std::string below(6, ' ');
    if (lang::display_width(line) <= columns) return std::string(line);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (begin + least_description > columns)  // goes on from the line above
        return lang::wrapped_words(below + std::string(line.substr(begin)), columns);
    const auto at = description_at(line);
    if (at == std::string_view::npos) return lang::wrapped_words(line, columns, "  ");
    if (at + least_description <= columns) return lang::wrapped_words(line, columns, std::string(at - begin, ' '));
    const std::string_view names = line.substr(0, line.find_last_not_of(' ', at - 1) + 1);
    return std::string(names) + '\n' + lang::wrapped_words(below + std::string(line.substr(at)), columns);
}

}  // namespace

std::string fitted_usage(std::string_view text, std::size_t columns) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += fitted_line(text.substr(at, end - at), columns) + '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace credence::cli
