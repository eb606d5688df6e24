#pragma once
// Diagnostics as text with the line and a caret under the place.

#include <optional>
#include <string>

#include "lang/text/diagnostic.hpp"

namespace credence::lang {

struct RenderStyle {
    bool color = false;
    std::optional<std::size_t> width = {};  ///< of the terminal: texts are broken between words to fit it
};

/// Ends with a line end. Without a width, notes take one line.
std::string render_text(const Diagnostic& diagnostic, const RenderStyle& style);
/// By place, errors before notes at the same place; repetitions dropped.
void sort_diagnostics(Diagnostics& diagnostics);

}  // namespace credence::lang
