#pragma once
// Texts as words.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/result.hpp"

namespace credence::rt {

/// What counts as a word of a text. Case never does: letters of the Latin, Greek, Cyrillic and Armenian alphabets become small.
struct WordRule {
    enum class Kind {  // in this order in files
        words,         ///< longest runs of letters, marks, digits and underscores of any script: "it's 42°C" is it, s, 42, c
        letters,       ///< such runs of two characters or more that hold no digit and no underscore
        tokens,        ///< words, and every other character but spaces by itself
        pattern,       ///< what a regular expression matches
        function       ///< the words that a function of the script returns, in the case that it returns
    };
    Kind kind = Kind::words;
    std::string pattern = {};
    std::function<Result<std::vector<std::string>>(std::string_view text)> function = {};

    /// The text as a tokenizer takes it: for a function, its words between separators.
    Result<std::string> prepared(std::string_view text) const;
};
/// E-PARAMETER if the pattern cannot be read.
Status check_pattern(const std::string& pattern);

/// Cuts texts into words. Bytes that are not UTF-8 part words.
class Tokenizer {
public:
    explicit Tokenizer(const WordRule& rule);
    Tokenizer(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// Calls use(word) for every word in order; the word lives until the next call of the tokenizer.
    template <class Use>
    void each(std::string_view text, Use&& use) {
        if (pieces_) {
            for (const auto& piece : found_in(text)) use(std::string_view(piece));
            return;
        }
        prepare(text.size());
        char* out = buffer_.data();
        char* word = out;
        std::size_t characters = 0;
        bool plain = true;  // letters alone
        const auto end_word = [&] {
            if (characters >= least_ && (plain || digits_)) use(std::string_view(word, static_cast<std::size_t>(out - word)));
            word = out;
            characters = 0;
            plain = true;
        };
        for (std::size_t i = 0; i < text.size();) {
            const auto byte = static_cast<unsigned char>(text[i]);
            if (byte < 0x80) {
                ++i;
                const char lower = ascii_[byte];
                if (lower > digit) {
                    *out++ = lower;
                    ++characters;
                } else if (lower == digit) {
                    *out++ = static_cast<char>(byte);
                    ++characters;
                    plain = false;
                } else if (characters > 0) {
                    end_word();
                }
                continue;
            }
            switch (wide(text, i, out)) {
                case Kind::letter:
                    ++characters;
                    break;
                case Kind::digit:
                    ++characters;
                    plain = false;
                    break;
                case Kind::separator:
                    end_word();
                    break;
            }
        }
        end_word();
    }

private:
    enum class Kind { separator, digit, letter };
    static constexpr char digit = 1;  ///< in the table of ASCII: a digit or an underscore; 0 parts words, a letter is its lower case

    void prepare(std::size_t bytes);
    /// Reads one character from i on; a digit, or a letter's lower case, is written to out.
    static Kind wide(std::string_view text, std::size_t& i, char*& out);

    static const char* ascii_table();
    /// By a pattern or between separators, or with every other character.
    const std::vector<std::string>& found_in(std::string_view text);

    struct Pieces;
    const char* ascii_ = ascii_table();
    std::vector<char> buffer_;
    std::size_t least_ = 1;  ///< characters of a word
    bool digits_ = true;     ///< a word may hold them
    std::unique_ptr<Pieces> pieces_;
};

}  // namespace credence::rt
