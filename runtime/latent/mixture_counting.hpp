#pragma once
// Mixtures whose components were seen: shares, means and rates as fractions.

#include "runtime/latent/mixture_em.hpp"

namespace credence::rt {

/// What was found, with fractions wherever the data are exact and the maximum has a rational form; the open weights are m-estimates.
/// The data are complete.
MixtureNumbers counted_numbers(const Mixture& mixture, const MixtureData& data, const MixtureParameters& found, const Rational& m,
                               const Run& run);

}  // namespace credence::rt
