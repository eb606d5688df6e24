#pragma once
// Gradient ascent for hidden Markov models: the expected counts of starts, moves and emissions over the probabilities themselves.

#include <functional>

#include "runtime/latent/hmm_numbers.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

struct HmmParameters {
    std::vector<double> start;
    std::vector<double> move;
    std::vector<double> emit;  ///< symbol × state
    StateParameters theta;     ///< of densities
};

/// What the sequences are expected to show, summed over them.
struct HmmCounts {
    std::vector<double> start;
    std::vector<double> move;
    std::vector<double> emit;  ///< symbol, or distinct number, × state
};
/// The expected counts under the parameters; gives ln P(observations).
using HmmExpectation = std::function<Result<double>(const HmmParameters&, HmmCounts&)>;

/// `numbers`: where those are emitted, else null. `steps`: the length of the data.
Result<EmOutcome<HmmParameters>> climb_hmm(const Hmm& hmm, HmmParameters start, const HmmExpectation& expect, EmittedNumbers* numbers,
                                           double steps, const GradientOptions& options, Run& run);

}  // namespace credence::rt
