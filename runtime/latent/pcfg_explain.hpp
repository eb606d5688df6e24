#pragma once
// The derivations of what is asked of a grammar: the trees of a sentence as products of their rules.

#include <string>

#include "runtime/latent/pcfg.hpp"

namespace credence::rt {

/// "(S (NP people) (VP fish))".
std::string bracketed(const ParseTree& tree);

/// The most probable tree beside those it has to beat. `asked` is the call whose probability it is, so that the lines can be evaluated.
Result<Derivation> explain_parse(const Grammar& grammar, const Sentence& sentence, const std::string& asked, Run& run);
/// P(sentence) as the sum over its trees.
Result<Derivation> explain_inside(const Grammar& grammar, const Sentence& sentence, const std::string& asked, Run& run);

}  // namespace credence::rt
