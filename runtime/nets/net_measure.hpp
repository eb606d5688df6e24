#pragma once
// A net under evidence as a measure: the product of its tables, of indicators of events and of weights.

#include "runtime/nets/net_case.hpp"

namespace credence::rt {

enum class Method { elimination, enumeration };

template <Prob P>
class NetMeasure : public Measure<P> {
public:
    NetMeasure(const NetCase& net_case, Method method);
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }
    Result<Maximum<P>> maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) override;
    /// All that multiplies to the measure, nothing summed out yet.
    Problem<P> problem(std::span<const Slot> keep, Side side) const;

private:
    const NetCase* case_;
    Method method_;
    std::vector<char> cancelled_;
    std::vector<Potential<P>> weights_;
};

/// By node: its table cancels in every quotient of this query.
std::vector<char> cancelled_tables(const NetCase& net_case);

extern template class NetMeasure<Rational>;
extern template class NetMeasure<LogProb>;

template <Prob P>
Potential<P> potential_of(const Net& net, Slot node);

}  // namespace credence::rt
