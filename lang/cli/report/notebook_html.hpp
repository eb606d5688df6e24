#pragma once
// What a notebook shows of a result: HTML with the little style that it needs, or nothing where plain text says as much.

#include <string>

#include "lang/world/output.hpp"

namespace credence::cli {

/// Of factors, tables and models; empty for numbers, texts, lists and pictures, which have other forms.
std::string notebook_html(const lang::ValueEvent& event, int digits);
std::string notebook_html(const lang::DerivationEvent& event, int digits);

}  // namespace credence::cli
