#pragma once
// What people used to another language write, and what to write here instead.

#include <string>
#include <string_view>

namespace credence::lang {

struct Habit {
    std::string_view found;
    std::string_view label;
    std::string_view help = {};
};

/// A sign: `&&`, `//`, `≤`. Null if nothing is known of it.
const Habit* foreign_symbol(std::string_view sign);

/// These are empty where nothing is known of the word.
std::string_view foreign_statement(std::string_view first_word);  ///< `def`, `var`, `while`
std::string_view foreign_operator(std::string_view word);         ///< between two operands: `AND`, `is`, `given`
std::string_view foreign_prefix(std::string_view word);           ///< directly before an operand: `lambda`, `return`
std::string foreign_function(std::string_view name);              ///< called: `print`, `len`
std::string_view foreign_value(std::string_view name);            ///< `True`, `None`
std::string_view foreign_member(std::string_view name);           ///< `xs.append(…)`

}  // namespace credence::lang
