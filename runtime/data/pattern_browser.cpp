// The expressions of the browser, whose syntax is that of RE2 but for rare parts: (?i), \pN without braces and [[:alpha:]] are refused
// there.

#include <emscripten.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "runtime/data/pattern.hpp"
#include "runtime/data/tokenize.hpp"

// clang-format off
/// The number of a new expression; 0 if it is not one, and then `message` says why.
EM_JS(int, credence_pattern_new, (const char* text, char* message, int room), {
    Module.patterns = Module.patterns || [null];
    try {
        Module.patterns.push(new RegExp(UTF8ToString(text), "u"));
        return Module.patterns.length - 1;
    } catch (error) {
        stringToUTF8(String(error.message), message, room);
        return 0;
    }
});

EM_JS(void, credence_pattern_delete, (int number), { Module.patterns[number] = null; });

/// The matches, each ended by a zero, in memory from malloc; `bytes` is how many.
EM_JS(char*, credence_pattern_find, (int number, const char* text, int size, int* bytes), {
    const expression = Module.patterns[number];
    let rest = UTF8ToString(text, size);
    const zero = String.fromCharCode(0);
    let found = "";
    for (let match = expression.exec(rest); match; match = expression.exec(rest)) {
        const end = match.index + match[0].length;
        if (match[0] !== "") {
            found += match[0] + zero;
            rest = rest.slice(end);
        } else if (rest.length <= match.index) {
            break;
        } else {
            rest = rest.slice(match.index + (rest.codePointAt(match.index) > 0xFFFF ? 2 : 1));
        }
    }
    const length = lengthBytesUTF8(found);
    const out = _malloc(length + 1);
    stringToUTF8(found, out, length + 1);
    HEAP32[bytes >> 2] = length;
    return out;
});
// clang-format on

namespace credence::rt {

struct Pattern::Read {
    int number = 0;
    ~Read() { credence_pattern_delete(number); }
};

namespace {

constexpr int message_bytes = 400;

}  // namespace

Pattern::Pattern(const std::string& text) : read_(std::make_unique<Read>()) {
    std::array<char, message_bytes> message{};
    read_->number = credence_pattern_new(text.c_str(), message.data(), message_bytes);
}
Pattern::~Pattern() = default;

void Pattern::find_all(std::string_view text, std::vector<std::string>& found) const {
    int bytes = 0;
    char* words = credence_pattern_find(read_->number, text.data(), static_cast<int>(text.size()), &bytes);
    std::string_view rest(words, static_cast<std::size_t>(bytes));
    while (!rest.empty()) {
        const std::size_t end = rest.find('\0');
        found.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    std::free(words);
}

Status check_pattern(const std::string& pattern) {
    std::array<char, message_bytes> message{};
    const int number = credence_pattern_new(pattern.c_str(), message.data(), message_bytes);
    if (number == 0)
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("\"{}\" is not a regular expression: {}", pattern, message.data()),
                     .hint = "as in words: pattern(\"[a-z]+\"); texts are in lower case when it is applied"};
    credence_pattern_delete(number);
    return Done{};
}

}  // namespace credence::rt
