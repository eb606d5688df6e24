#pragma once
// Gradient ascent for mixtures: the slope of ln P(data) is the sum over components of E[z_ij] times that of ln f (Fisher's identity).

#include "runtime/latent/mixture_em.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

Result<EmOutcome<MixtureParameters>> climb_mixture(const Mixture& mixture, const MixtureData& data, const MixtureProblem& problem,
                                                   const TrainingOptions& options, Run& run);

}  // namespace credence::rt
