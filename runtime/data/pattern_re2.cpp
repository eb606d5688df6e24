#include <fmt/format.h>
#include <re2/re2.h>

#include "runtime/data/pattern.hpp"
#include "runtime/data/tokenize.hpp"

namespace credence::rt {

struct Pattern::Read {
    RE2 expression;
};

/// The whole match is the first group.
Pattern::Pattern(const std::string& text) : read_(new Read{RE2("(" + text + ")", RE2::Quiet)}) {}
Pattern::~Pattern() = default;

void Pattern::find_all(std::string_view text, std::vector<std::string>& found) const {
    re2::StringPiece rest(text.data(), text.size());
    std::string word;
    while (RE2::FindAndConsume(&rest, read_->expression, &word)) {
        if (!word.empty())
            found.push_back(word);
        else if (rest.empty())
            break;
        else
            rest.remove_prefix(1);
    }
}

Status check_pattern(const std::string& pattern) {
    const RE2 read(pattern, RE2::Quiet);
    if (read.ok()) return Done{};
    return Fault{.code = "E-PARAMETER",
                 .message = fmt::format("\"{}\" is not a regular expression: {}", pattern, read.error()),
                 .hint = "as in words: pattern(\"[a-z]+\"); texts are in lower case when it is applied"};
}

}  // namespace credence::rt
