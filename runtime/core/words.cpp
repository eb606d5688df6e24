#include "runtime/core/words.hpp"

#include <algorithm>

namespace credence::rt {

bool is_reserved_word(std::string_view word) {
    return std::any_of(std::begin(words), std::end(words), [&](const Word& w) { return w.kind != WordKind::contextual && w.text == word; });
}

std::string quoted_text(std::string_view text, bool interpolates) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (interpolates && (c == '{' || c == '}'))
            out += std::string(2, c);
        else
            out += c;
    }
    return out + "\"";
}

}  // namespace credence::rt
