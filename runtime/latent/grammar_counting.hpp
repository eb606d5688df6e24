#pragma once
// Grammars from a treebank: the rules that trees use, as shares of those for the same symbol.

#include <optional>

#include "runtime/prob/declared/grammar.hpp"

namespace credence::rt {

/// The column of trees in brackets, "(S (NP she) (VP (V saw) (NP stars)))"; null if the cells are words.
const Column* tree_column(const TableView& rows, const Grammar& grammar);

/// The grammar with shares of the uses in the trees in place of its holes. E-LABEL if a tree uses what is not a rule.
Result<Grammar> counted_grammar(const Grammar& grammar, const Column& trees, const TableView& rows, std::span<const double> weights,
                                const Rational& m, Run& run);

/// `NP -> "she"`.
std::string rule_text(const Grammar& grammar, const Grammar::Rule& rule);

}  // namespace credence::rt
