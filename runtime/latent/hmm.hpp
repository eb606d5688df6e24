#pragma once
// Inference in hidden Markov models: forward and backward with scaling (Rabiner 1989), in fractions for short sequences.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/prob/hmm.hpp"

namespace credence::rt {

/// What was observed: codes of symbols (−1 missing), or numbers (NaN missing).
struct Sequence {
    std::vector<std::int32_t> codes;
    std::vector<double> values;
    std::size_t size() const { return codes.empty() ? values.size() : codes.size(); }
};

/// Model and sequence as arrays of doubles.
struct HmmArrays {
    std::size_t states = 0;
    std::vector<double> start;
    std::vector<double> move;  ///< from × to
    std::vector<double> emit;  ///< symbol × state, or empty where emissions are densities
};
HmmArrays arrays_of(const Hmm& hmm);
/// ln of the densities is shifted a step at a time so that none underflows; `shift` adds up what was taken out.
void emission_row(const Hmm& hmm, const HmmArrays& arrays, const Sequence& sequence, std::size_t t, std::span<double> out, double& shift);

/// P(state at t | observations up to t), steps × states.
Result<std::vector<Number>> hmm_filter(const Hmm& hmm, const Sequence& sequence, Run& run);
/// P(state at t | all observations), steps × states.
Result<std::vector<Number>> hmm_smooth(const Hmm& hmm, const Sequence& sequence, Run& run);
/// P(state, steps after the last observation | all observations).
Result<std::vector<Number>> hmm_ahead(const Hmm& hmm, const Sequence& sequence, std::size_t steps, Run& run);

struct HmmLikelihood {
    std::optional<Rational> exact;
    double log = 0;
};
Result<HmmLikelihood> hmm_likelihood(const Hmm& hmm, const Sequence& sequence, Run& run);

struct HmmPath {
    std::vector<std::int32_t> states;
    std::optional<Rational> exact;  ///< joint probability of path and observations
    double log = 0;
};
/// The most probable path; among equals the one whose states were declared first, from the end.
Result<HmmPath> hmm_viterbi(const Hmm& hmm, const Sequence& sequence, Run& run);

/// Forward and backward over doubles: `steps` × states of P(state | all) into `posterior`; gives ln P(observations), −∞ where impossible.
double forward_backward(const HmmArrays& arrays, std::span<const double> emissions, std::size_t steps, std::span<double> posterior,
                        std::span<double> expected_moves);

Result<ModelPtr> load_hmm(const Json& json);

}  // namespace credence::rt
