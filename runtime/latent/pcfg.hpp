#pragma once
// Sentences under a probabilistic grammar: inside probabilities, the most probable trees, expected counts of rules.
// Rules of any length are taken apart into pairs inside (Chomsky normal form); chains of unary rules are summed in closed form.

#include <span>
#include <string>
#include <vector>

#include "runtime/prob/declared/grammar.hpp"

namespace credence::rt {

using Sentence = std::vector<std::int32_t>;  ///< codes of words; −1: a word the grammar does not have

Sentence sentence_of(const Grammar& grammar, std::span<const std::string> words);

/// P(sentence), a fraction where the grammar's numbers and the sentence are small.
Result<Number> inside(const Grammar& grammar, const Sentence& sentence, Run& run);

struct ParseTree {
    std::string label;  ///< a nonterminal, or a word
    bool word = false;
    std::vector<ParseTree> children;
};
struct Parse {
    ParseTree tree;
    Number probability;
};
/// The most probable trees of a sentence, best first, at most `top`; none where the grammar does not have it. Trees that only add a
/// turn through a cycle of unary rules are left out.
Result<std::vector<Parse>> parses(const Grammar& grammar, const Sentence& sentence, std::size_t top, Run& run);

/// Adds weight × the expected number of uses of each rule in the sentence's trees; gives ln P(sentence), −∞ where impossible.
double expected_uses(const Grammar& grammar, std::span<const double> probabilities, const Sentence& sentence, double weight,
                     std::span<double> counts);

Result<ModelPtr> load_grammar(const Json& json);

}  // namespace credence::rt
