#pragma once
// A diagnostic as one JSON object.

#include <string>

#include "lang/text/diagnostic.hpp"

namespace credence::lang {

std::string render_json(const Diagnostic& diagnostic);  ///< without a line end

}  // namespace credence::lang
