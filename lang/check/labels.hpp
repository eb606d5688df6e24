#pragma once
// What declarations write: their labels (language.md §3, rule 4), and, where one does not parse, their names.

#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace credence::lang {

std::vector<std::string> labels_written(const Statement& statement);

/// Whether the text has a declaration of that name, parsed or not.
bool declared_in_text(std::string_view text, std::string_view name);

/// Whether the text of a statement would declare a model or a table, had it parsed.
bool is_model(std::string_view statement);

/// Whether the text has the word, not as a part of a longer one.
bool has_word(std::string_view text, std::string_view name);

}  // namespace credence::lang
