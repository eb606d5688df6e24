#pragma once
// Models, as HTML.

#include <string>

#include "lang/value/value.hpp"

namespace credence::cli {

/// What it is, and what it has learned: its tables as tables, a tree as a picture with its text below.
std::string model_html(const lang::ModelValue& model, int digits);

}  // namespace credence::cli
