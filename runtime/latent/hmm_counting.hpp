#pragma once
// Hidden Markov models whose states were seen: shares of starts, moves and emissions as fractions.

#include "runtime/latent/sequences.hpp"

namespace credence::rt {

/// E-MISSING if a state was not seen. `m`: the m-estimate's equivalent sample size, of each row of shares.
Result<Hmm> counted_hmm(const Hmm& hmm, const TableView& rows, const Sequences& data, const Rational& m, Run& run);

}  // namespace credence::rt
