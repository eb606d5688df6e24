#pragma once
// The words, signs and numbers of a network file, with their places. All formats but XML are read through it.

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "runtime/core/result.hpp"

namespace credence::rt {

/// E-FORMAT at an offset of the text: "line 3, column 7: …". Columns count characters, from 1.
Fault format_fault(std::string_view text, std::size_t offset, std::string message, std::string hint = {});

/// What a format's words end at, and how its comments begin.
struct ScanRules {
    std::string_view signs;  ///< characters that are tokens of their own
    bool slash_comments = false;
    bool percent_comments = false;
};

struct NetToken {
    enum class Kind { end, word, text, sign };
    Kind kind = Kind::end;
    std::string_view raw;  ///< of a text: everything between the quotes, including escapes
    std::size_t at = 0;

    bool is(char sign) const { return kind == Kind::sign && raw[0] == sign; }
    bool is_word(std::string_view word) const { return kind == Kind::word && raw == word; }
    bool is_name() const { return kind == Kind::word || kind == Kind::text; }
};

class NetScanner {
public:
    /// Reads from `begin` on; places count from the text's own beginning.
    NetScanner(std::string_view text, const ScanRules& rules, std::size_t begin = 0);

    const NetToken& peek() const { return token_; }
    NetToken next() {
        const NetToken out = token_;
        advance();
        return out;
    }
    bool take(char sign) {
        if (!token_.is(sign)) return false;
        advance();
        return true;
    }
    bool take_word(std::string_view word) {
        if (!token_.is_word(word)) return false;
        advance();
        return true;
    }
    Status expect(char sign, std::string_view where);
    Result<NetToken> name(std::string_view what);  ///< a word or a quoted text
    /// A probability: finite and not negative. `raw` receives its text.
    Result<double> number(std::string_view* raw = nullptr);
    Result<std::size_t> count(std::string_view what);
    /// Sections to the end of the text, each read by the function of the word that it starts with. `what` lists the words.
    struct Section {
        std::string_view word;
        std::function<Status()> read;
    };
    Status sections(std::initializer_list<Section> all, std::string_view what);
    /// Past the next `;`, whatever precedes it.
    Status skip_statement();

    std::string_view text() const { return text_; }
    Fault fault(const NetToken& token, std::string message, std::string hint = {}) const;
    /// "expected X, found Y".
    Fault expected(std::string_view what) const;

private:
    void advance();
    bool skip_space();

    std::string_view text_;
    ScanRules rules_;
    std::array<char, 256> class_{};  // 0: part of a word, 1: blank, 2: sign, 3: quote
    std::size_t position_ = 0;
    bool unclosed_ = false;
    NetToken token_;
};

/// A quoted text without its escapes; a word is itself.
std::string plain_name(const NetToken& token);

}  // namespace credence::rt
