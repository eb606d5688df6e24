#pragma once
// The name of an outcome: a word, a text or a number. `1`, `1.0` and "1" are one label.

#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/number.hpp"

namespace credence::rt {

class Label {
public:
    Label() = default;
    /// A text that reads as a decimal number is that number ("1.0" is 1); anything else is itself, also a code such as "007".
    static Label of_text(std::string_view text);
    static Label of_number(const Number& number);
    static Label of_bool(bool value) { return of_text(value ? "true" : "false"); }

    const std::string& text() const { return text_; }                ///< canonical: equal labels have equal texts
    const std::optional<Number>& number() const { return number_; }  ///< set when the label is a number
    bool is_number() const { return number_.has_value(); }

    friend bool operator==(const Label& a, const Label& b) { return a.text_ == b.text_; }
    friend bool operator!=(const Label& a, const Label& b) { return !(a == b); }
    /// Numbers before words; numbers by value, words by bytes.
    friend bool operator<(const Label& a, const Label& b);

private:
    std::string text_;
    std::optional<Number> number_;
};

/// The canonical spelling of a number as a label: "3", "0.5", "1/3"; the shortest decimal of a real.
std::string label_text(const Number& number);

}  // namespace credence::rt
