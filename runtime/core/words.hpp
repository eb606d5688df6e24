#pragma once
// The words of the language and how names and texts are written in it: the runtime writes nets and tables as scripts.

#include <string>
#include <string_view>

namespace credence::rt {

enum class WordKind { contextual, statement, reserved };
struct Word {
    std::string_view text;
    WordKind kind;
};
inline constexpr Word words[] = {
#define CONTEXTUAL(token, text) {text, WordKind::contextual},
#define STATEMENT(token, text) {text, WordKind::statement},
#define RESERVED(token, text) {text, WordKind::reserved},
#include "runtime/core/words.def"
};

bool is_reserved_word(std::string_view word);

/// As it is written in a script: in quotes, and with doubled braces where a text interpolates.
std::string quoted_text(std::string_view text, bool interpolates);

}  // namespace credence::rt
