#pragma once
// JSON from outside is copied and written by recursion, so its depth is looked at before it is read.

#include <cstddef>
#include <string_view>

namespace credence::cli {

/// Whether brackets outside of texts are nested deeper than any request needs.
inline bool nests_deeply(std::string_view json) {
    constexpr std::size_t most = 100;
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > most)
            return true;
        else if (!quoted && (c == ']' || c == '}') && depth > 0)
            --depth;
    }
    return false;
}

}  // namespace credence::cli
