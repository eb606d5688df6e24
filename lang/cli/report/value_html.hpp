#pragma once
// What a statement printed, as HTML.

#include <string>

#include "lang/world/output.hpp"

namespace credence::cli {

/// Without the query, which stands above it anyhow.
std::string value_html(const lang::ValueEvent& event, int digits);
/// One form for wide pages and one for narrow ones, where they differ.
std::string picture_html(const rt::Picture& picture);
std::string derivation_html(const lang::DerivationEvent& event, int digits);
std::string heading_html(const std::string& query);
std::string diagnostic_html(const lang::Diagnostic& diagnostic);

}  // namespace credence::cli
