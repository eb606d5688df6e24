#pragma once
// A net under evidence as a measure: the product of its tables, of indicators of events and of weights.

#include "runtime/nets/net_case.hpp"

namespace credence::rt {

enum class Method { elimination, enumeration, tree };

template <Prob P>
class NetMeasure : public Measure<P> {
public:
    NetMeasure(const NetCase& net_case, Method method);
    /// The likelihood of what the rows share, before anything else is asked: one factor for equal rows, raised to their number.
    Status observe_rows(Work& work);
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }
    Result<Maximum<P>> maximum(std::span<const Slot> over, const Sizes& sizes, Work& work) override;
    /// All that multiplies to the measure, nothing summed out yet.
    Problem<P> problem(std::span<const Slot> keep, Side side) const;

    std::size_t cliques() const { return cliques_; }  ///< of the last tree that messages went along

private:
    std::vector<char> needed(std::span<const Slot> keep, Side side) const;
    const std::vector<Potential<P>>& row_factors(Side side) const { return row_factors_[side == Side::all ? 1 : 0]; }
    Status add_row_factors(std::span<const RowGroup> groups, std::vector<Potential<P>>& to, Work& work);

    const NetCase* case_;
    Method method_;
    std::size_t cliques_ = 0;
    std::vector<char> cancelled_;
    std::vector<Potential<P>> weights_;
    std::vector<Potential<P>> row_factors_[2];  // of the evidence, and with the targets
};

/// The marginal over `keep` by messages along a junction tree with `keep` in one clique, collected there (Shenoy & Shafer 1990).
template <Prob P>
Result<Potential<P>> collect_messages(Problem<P> problem, std::span<const Slot> keep, std::size_t& cliques, Work& work);

/// By node: its table cancels in every quotient of this query.
std::vector<char> cancelled_tables(const NetCase& net_case);

extern template class NetMeasure<Rational>;
extern template class NetMeasure<LogProb>;

template <Prob P>
Potential<P> potential_of(const Net& net, Slot node);

}  // namespace credence::rt
