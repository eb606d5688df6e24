// Formatting: the one edit that makes the text what `credence fmt` makes of it.

#include "lang/syntax/format.hpp"

#include <algorithm>

#include "lang/cli/lsp/server.hpp"
#include "lang/syntax/parse.hpp"

namespace credence::cli::lsp {

Json format_json(const Document& document) {
    lang::Diagnostics diagnostics;
    lang::parse(std::make_shared<lang::Source>("", document.text()), diagnostics);
    if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const auto& d) { return d.severity == lang::Severity::error; }))
        throw Refusal{request_failed, "the script has syntax errors and was not changed"};
    const std::string& old = document.text();
    const std::string formatted = lang::format(old);
    if (formatted == old) return Json::array();
    // Whole lines that stay the same at both ends are left alone, so that the cursor and folds stay where they are.
    std::size_t front = 0;
    for (std::size_t i = 0; i < std::min(old.size(), formatted.size()) && old[i] == formatted[i]; ++i)
        if (old[i] == '\n') front = i + 1;
    std::size_t back = 0;
    for (std::size_t i = 1; i <= std::min(old.size(), formatted.size()) - front && old[old.size() - i] == formatted[formatted.size() - i];
         ++i)
        if (i < old.size() && old[old.size() - i - 1] == '\n') back = i;
    back = std::min(back, std::min(old.size(), formatted.size()) - front);
    const lang::Span changed{static_cast<std::uint32_t>(front), static_cast<std::uint32_t>(old.size() - back)};
    return Json::array({{{"range", document.map().range(changed)}, {"newText", formatted.substr(front, formatted.size() - back - front)}}});
}

}  // namespace credence::cli::lsp
