#pragma once
// The labels that a declaration writes (language.md §3, rule 4).

#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace credence::lang {

std::vector<std::string> labels_written(const Statement& statement);

}  // namespace credence::lang
