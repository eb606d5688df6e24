#pragma once
// The derivations of what is asked of a hidden Markov model, step by step as a textbook works them.

#include <string>

#include "runtime/latent/hmm.hpp"

namespace credence::rt {

/// `name`: what the script calls the model, so that the lines can be evaluated.
Result<Derivation> explain_hmm_filter(const Hmm& hmm, const std::string& name, const Sequence& sequence, Run& run);
Result<Derivation> explain_hmm_smooth(const Hmm& hmm, const std::string& name, const Sequence& sequence, Run& run);
Result<Derivation> explain_hmm_likelihood(const Hmm& hmm, const std::string& name, const Sequence& sequence);
Result<Derivation> explain_hmm_viterbi(const Hmm& hmm, const Sequence& sequence, Run& run);

}  // namespace credence::rt
