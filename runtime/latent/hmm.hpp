#pragma once
// Inference in hidden Markov models: forward and backward with scaling (Rabiner 1989), in fractions for short sequences.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/prob/declared/hmm.hpp"

namespace credence::rt {

/// What was observed: codes of symbols (−1 missing), or numbers (NaN missing).
struct Sequence {
    std::vector<std::int32_t> codes;
    std::vector<double> values;
    std::vector<std::int32_t> states;  ///< those that were seen (−1 hidden); empty: none was
    std::size_t size() const { return codes.empty() ? values.size() : codes.size(); }
    /// Whether that state is possible there: a state that was seen is certain.
    bool can_be(std::size_t t, std::size_t state) const {
        return states.empty() || states[t] < 0 || static_cast<std::size_t>(states[t]) == state;
    }
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

/// steps × states, as fractions or as doubles.
struct HmmShares {
    std::size_t states = 0;
    std::vector<Rational> exact;
    std::vector<double> real;

    std::size_t size() const { return exact.empty() ? real.size() : exact.size(); }
    std::size_t steps() const { return states == 0 ? 0 : size() / states; }
    Number operator[](std::size_t i) const { return exact.empty() ? Number::real(real[i]) : Number(exact[i]); }
    Factor step(std::size_t t, const Variable& state) const;
};
/// P(state at t | observations up to t).
Result<HmmShares> hmm_filter(const Hmm& hmm, const Sequence& sequence, Run& run);
/// P(state at t | all observations).
Result<HmmShares> hmm_smooth(const Hmm& hmm, const Sequence& sequence, Run& run);
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

/// P(observation t | state), one number a state, up to a factor of its own for each t.
using EmissionRow = std::function<const double*(std::size_t t)>;
struct HmmForward {
    double log = 0;                         ///< ln P(observations), without the factors
    std::optional<std::size_t> impossible;  ///< the first step that no state allows
};
/// P(state | observations up to t), steps × states; `scale` (or nothing) gets 1 / P(observation t | those before).
HmmForward hmm_forward(const HmmArrays& arrays, std::size_t steps, const EmissionRow& emission_at, std::span<double> filtered,
                       std::span<double> scale);
/// Turns what hmm_forward gave into P(state | all observations), in place; adds the expected moves where they are asked for.
void hmm_backward(const HmmArrays& arrays, std::size_t steps, const EmissionRow& emission_at, std::span<const double> scale,
                  std::span<double> shares, std::span<double> expected_moves);

/// Forward and backward over doubles: `steps` × states of P(state | all) into `posterior`; gives ln P(observations), −∞ where impossible.
double forward_backward(const HmmArrays& arrays, std::span<const double> emissions, std::size_t steps, std::span<double> posterior,
                        std::span<double> expected_moves);

Result<ModelPtr> load_hmm(const Json& json);

}  // namespace credence::rt
