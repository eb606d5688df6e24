#pragma once
// Where Baum–Welch starts: a hidden Markov model with numbers in place of the holes.

#include "runtime/prob/declared/hmm.hpp"

namespace credence::rt {

/// The numbers of the holes in the order of the declaration: start, the rows of move, then for each state its symbols, or the parameters of
/// its density.
Result<Hmm> with_numbers(const Hmm& hmm, const std::vector<Number>& numbers, Origin origin);

}  // namespace credence::rt
