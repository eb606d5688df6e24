#pragma once
// What a statement printed, as HTML.

#include <string>

#include "lang/world/output.hpp"

namespace credence::cli {

/// Without the query, which is shown above it.
std::string value_html(const lang::ValueEvent& event, int digits);
/// Whether a record has fields that are set as tables.
bool has_set_fields(const lang::Value& value);
/// Tables within a value have neither kinds of columns nor their size.
enum class TableForm { whole, part };
std::string table_html(const rt::Table& table, const std::string& what, int digits, TableForm form = TableForm::whole);
std::string factor_html(const rt::Factor& factor, const std::string& what, int digits);
/// Lines as on a terminal; where blanks align them, they scroll instead of being wrapped.
std::string text_html(const std::string& text);
/// One form for wide pages and one for narrow ones, where they differ.
std::string picture_html(const rt::Picture& picture);
std::string derivation_html(const lang::DerivationEvent& event, int digits);
std::string heading_html(const std::string& query);
std::string diagnostic_html(const lang::Diagnostic& diagnostic);

}  // namespace credence::cli
