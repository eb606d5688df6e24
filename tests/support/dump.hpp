#pragma once
// A parsed script as text, for comparing programs.

#include <string>

#include "lang/syntax/ast.hpp"

namespace credence::lang {

/// A canonical s-expression of the tree without spans: equal dumps are equal programs.
std::string dump(const Program& program);

}  // namespace credence::lang
