#include "lang/cli/diff.hpp"

#include <algorithm>
#include <vector>

namespace credence::cli {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const auto end = text.find('\n');
        out.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return out;
}

struct Line {
    char mark = ' ';
    std::string_view text;
};

/// The longest common subsequence by dynamic programming; beyond a few thousand lines the middle is shown as replaced.
std::vector<Line> compare(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<Line> out;
    constexpr std::size_t most = 3000;
    if (a.size() > most || b.size() > most) {
        for (const auto& line : a) out.push_back({'-', line});
        for (const auto& line : b) out.push_back({'+', line});
        return out;
    }
    const std::size_t width = b.size() + 1;
    std::vector<unsigned short> length((a.size() + 1) * width);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            length[i * width + j] = a[i] == b[j] ? static_cast<unsigned short>(length[(i + 1) * width + j + 1] + 1)
                                                 : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            out.push_back({' ', a[i]});
            ++i;
            ++j;
        } else if (j == b.size() || (i < a.size() && length[(i + 1) * width + j] >= length[i * width + j + 1])) {
            out.push_back({'-', a[i++]});
        } else {
            out.push_back({'+', b[j++]});
        }
    }
    return out;
}

}  // namespace

std::string diff(std::string_view wanted, std::string_view found) {
    constexpr std::size_t context = 2;
    const auto lines = compare(lines_of(wanted), lines_of(found));
    std::vector<bool> shown(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].mark != ' ')
            for (std::size_t k = i > context ? i - context : 0; k < std::min(lines.size(), i + context + 1); ++k) shown[k] = true;
    std::string out;
    bool gap = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!shown[i]) {
            gap = true;
            continue;
        }
        if (gap) out += "  …\n";
        gap = false;
        out += std::string("  ") + lines[i].mark + " " + std::string(lines[i].text) + "\n";
    }
    if (out.empty()) out = "  the texts differ only in their last line end\n";
    return out;
}

}  // namespace credence::cli
