#pragma once
// Regular expressions for the words of texts: RE2, or the browser's own where the program runs in one.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/result.hpp"

namespace credence::rt {

class Pattern {
public:
    explicit Pattern(const std::string& text);  ///< a text that check_pattern accepts
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;
    ~Pattern();

    /// Appends the matches that are not empty, from left to right, each beginning where the one before ends or later.
    void find_all(std::string_view text, std::vector<std::string>& found) const;

private:
    struct Read;
    std::unique_ptr<Read> read_;
};

}  // namespace credence::rt
