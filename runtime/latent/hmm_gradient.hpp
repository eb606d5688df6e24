#pragma once
// Gradient ascent for hidden Markov models: the expected counts of starts, moves and emissions over the probabilities themselves.

#include <functional>

#include "runtime/prob/declared/hmm.hpp"
#include "runtime/prob/learning/training_methods.hpp"

namespace credence::rt {

struct HmmParameters {
    std::vector<double> start;
    std::vector<double> move;
    std::vector<double> emit;  ///< symbol × state
    std::vector<double> mean;  ///< normals: one for each state
    std::vector<double> sd;
};

/// What the sequences are expected to show, summed over them.
struct HmmCounts {
    std::vector<double> start;
    std::vector<double> move;
    std::vector<double> emit;
    // by state, of the observations that are numbers: how many, their sum and that of their squares, all about `centre`
    std::vector<double> weight;
    std::vector<double> sum;
    std::vector<double> squares;
    double centre = 0;
};
/// The expected counts under the parameters; gives ln P(observations).
using HmmExpectation = std::function<Result<double>(const HmmParameters&, HmmCounts&)>;

/// `spread`: of the numbers observed, the unit of means; no learned spread falls below `least_spread`. `steps`: the length of the data.
struct HmmScale {
    double spread = 1;
    double least_spread = 0;
    double steps = 1;
};
Result<EmOutcome<HmmParameters>> climb_hmm(const Hmm& hmm, HmmParameters start, const HmmExpectation& expect, const HmmScale& scale,
                                           const GradientOptions& options, Run& run);

}  // namespace credence::rt
