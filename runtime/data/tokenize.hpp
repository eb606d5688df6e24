#pragma once
// Texts as words.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credence::rt {

/// Cuts texts into words: longest runs of letters, digits, marks and underscores of any script, of two characters at least, in lower case
/// (letters of the Latin, Greek, Cyrillic and Armenian alphabets; others have no case or keep theirs). Everything else parts words, bytes
/// that are not UTF-8 too. So "Don't PANIC, it's 42°C" is don, panic, it, 42.
class Tokenizer {
public:
    /// Calls use(word) for every word in order; the word lives until the next call of the tokenizer.
    template <class Use>
    void each(std::string_view text, Use&& use) {
        prepare(text.size());
        char* out = buffer_.data();
        char* word = out;
        std::size_t characters = 0;
        const auto end_word = [&] {
            if (characters > 1) use(std::string_view(word, static_cast<std::size_t>(out - word)));
            word = out;
            characters = 0;
        };
        for (std::size_t i = 0; i < text.size();) {
            const auto byte = static_cast<unsigned char>(text[i]);
            if (byte < 0x80) {
                ++i;
                if (const char lower = ascii_[byte]) {
                    *out++ = lower;
                    ++characters;
                } else if (characters > 0) {
                    end_word();
                }
                continue;
            }
            const std::size_t before = i;
            if (char* next = wide(text, i, out)) {
                out = next;
                ++characters;
            } else {
                end_word();
            }
            if (i == before) ++i;
        }
        end_word();
    }

private:
    void prepare(std::size_t bytes);
    /// Reads one character from i on and writes its lower case; null where it is no part of a word.
    static char* wide(std::string_view text, std::size_t& i, char* out);

    static const char* ascii_table();
    const char* ascii_ = ascii_table();
    std::vector<char> buffer_;
};

}  // namespace credence::rt
