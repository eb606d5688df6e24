#pragma once
// Quantities of finite variables without enumerating them jointly. What a quantity is folded from (a sum over a plate, the largest of
// many, the sorted values) is carried along the elimination of the variables: a table entry is not one weight but a weight for each
// state that the folds have reached so far, and multiplying two entries combines their states. This is elimination in the ring of
// generating functions, so a sum of n dice takes n convolutions and no table over n dice, whatever else the dice depend on.

#include "runtime/prob/queries/accumulators.hpp"

namespace credence::rt {

/// A weight for each state; the states are distinct.
template <Prob P>
struct Series {
    std::vector<std::pair<StateId, P>> terms;
};

/// The unnormalised joint of `keep` and the states: for each configuration of `keep` (last fastest) the weights by state.
template <Prob P>
Result<std::vector<Series<P>>> accumulate(const Problem<P>& problem, Accumulators& states, std::span<const Slot> keep, Work& work);

extern template Result<std::vector<Series<Rational>>> accumulate(const Problem<Rational>&, Accumulators&, std::span<const Slot>, Work&);
extern template Result<std::vector<Series<LogProb>>> accumulate(const Problem<LogProb>&, Accumulators&, std::span<const Slot>, Work&);

}  // namespace credence::rt
