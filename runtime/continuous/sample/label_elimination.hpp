#pragma once
// Discrete variables summed out of a density, one after the other, as operations of a tape. A chain of T labels with K values costs
// about T·K² operations (the forward recursion of a hidden Markov model), where listing its configurations would cost K^T.

#include "runtime/continuous/sample/tape.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt::continuous {

/// The logarithms of a factor over discrete variables: row by row, the last variable fastest.
struct LabelFactor {
    std::vector<VarId> over;
    std::vector<Tape::Node> logs;
};

/// One discrete variable summed out. Going through the steps backwards, each variable is drawn given those it depends on.
struct LabelStep {
    VarId label{};
    std::vector<VarId> given;         ///< summed out later
    std::vector<Tape::Node> weights;  ///< log densities, by configuration of `given` and then the label
};

struct LabelSum {
    std::vector<LabelStep> steps;      ///< in the order in which they were summed out
    std::vector<Tape::Node> log_sums;  ///< what is left; the sum of them is ln of the whole
};

/// `size` is the number of values of a variable, by instance. E-COST if a table would be too long.
Result<LabelSum> sum_out_labels(Tape& tape, std::vector<LabelFactor> factors, std::span<const VarId> labels, const Sizes& size,
                                const Run& run);

/// Each configuration of the variables, the last fastest, as positions of their values.
template <class Visit>
void each_configuration(std::span<const VarId> over, const Sizes& size, const Visit& visit) {
    std::vector<std::size_t> at(over.size(), 0);
    for (;;) {
        visit(std::span<const std::size_t>(at));
        std::size_t k = over.size();
        while (k > 0 && ++at[k - 1] == size[index(over[k - 1])]) at[--k] = 0;
        if (k == 0) return;
    }
}

}  // namespace credence::rt::continuous
