#pragma once
// Text in, tree and diagnostics out. Errors are recovered from at statement ends, so all of a file's are found in one pass.

#include "lang/syntax/ast.hpp"
#include "lang/text/diagnostic.hpp"

namespace credence::lang {

/// Statements that did not parse are left out of the program and reported in `diagnostics`.
Program parse(const SourcePtr& source, Diagnostics& diagnostics);

/// For multi-line entry: does the text end inside a bracket, a text, or after a token that makes the line go on?
bool is_incomplete(std::string_view text);

}  // namespace credence::lang
