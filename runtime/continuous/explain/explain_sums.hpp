#pragma once
// The last part of a derivation: configurations of the discrete variables with their weights, the sum, the quotients.

#include "runtime/continuous/exact/exact.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt::continuous {

/// Writes how the answer comes from the solved hybrid, down to its value; false if that is too long to be written.
Result<bool> tell_sums(const Hybrid& hybrid, const Query& query, const Answer& answer, DerivationWriter& out, const Run& run);

}  // namespace credence::rt::continuous
