#pragma once
// A hypothesis space under evidence as a measure: prior times likelihood, over the parameters and the draws a query names.

#include "runtime/hypotheses/case.hpp"

namespace credence::rt {

template <Prob P>
class HypothesesMeasure : public Measure<P> {
public:
    /// All numbers are computed here; marginals only add up.
    static Result<HypothesesMeasure> make(const HypothesesCase& c, Work& work);
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<P> weights) override { evidence_.push_back(std::move(weights)); }

private:
    const HypothesesCase* case_ = nullptr;
    std::vector<Potential<P>> base_;  // prior, and P(draw | h) of each draw the query names
    std::vector<Potential<P>> evidence_;
    std::vector<Potential<P>> with_targets_;  // in the place of evidence_only_ once the events of the target count
    std::vector<Potential<P>> evidence_only_;
};

extern template class HypothesesMeasure<Rational>;
extern template class HypothesesMeasure<LogProb>;

}  // namespace credence::rt
