#pragma once
// Quantities of finite variables without enumerating them jointly. What a quantity is folded from (a sum over a plate, the largest of
// many, the sorted values) is carried along the elimination of the variables: a table entry is not one weight but a weight for each
// state that the folds have reached so far, and multiplying two entries combines their states. This is elimination in the ring of
// generating functions, so a sum of n dice takes n convolutions and no table over n dice, whatever else the dice depend on.

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/prob/factors/potential.hpp"
#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

using StateId = std::uint32_t;

/// The states that some quantities go through.
class Accumulators {
public:
    /// E-COST, before anything is spent, where the states would be too many.
    static Result<Accumulators> make(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run);

    static constexpr StateId start = 0;  ///< nothing folded in yet
    static constexpr StateId unknown = std::numeric_limits<StateId>::max() - 1;
    static constexpr StateId broken = std::numeric_limits<StateId>::max();  ///< a value could not be computed there

    /// What one part of a fold adds, for each configuration of the variables it depends on (last fastest).
    struct Contribution {
        std::vector<Slot> scope;
        std::vector<StateId> states;
    };
    const std::vector<Contribution>& contributions() const { return contributions_; }

    StateId combine(StateId a, StateId b) {
        if (a < rows_.size() && b < rows_[a].size() && rows_[a][b] != unknown) return rows_[a][b];
        return combine_first(a, b);
    }
    /// The combinations of a state that are known, by the other; good until the next combine.
    std::span<const StateId> combinations(StateId a) const { return a < rows_.size() ? std::span(rows_[a]) : std::span<const StateId>(); }
    std::size_t size() const { return several_ ? tuples_.size() : carriers_[0].values.size(); }
    /// The values of the quantities in a state that all parts have been folded into.
    Result<std::vector<Label>> values(StateId state) const;
    /// Why a state is `broken`.
    const Fault& fault() const { return *fault_; }

private:
    /// One fold: its values by number, from 1; 0 is nothing yet.
    struct Carrier {
        enum class Kind { single, fold, lowest, highest };
        Kind kind = Kind::single;
        Fold fold = Fold::sum;
        std::size_t kept = 0;  ///< lowest, highest: how many sorted values matter
        std::size_t of = 0;    ///< and of how many
        std::vector<QuantityPtr> parts = {};
        std::vector<std::vector<Label>> values{{}};
        std::unordered_map<std::string, std::uint32_t> number_of = {};
    };
    using Tuple = std::vector<std::uint32_t>;

    StateId combine_first(StateId a, StateId b);  ///< where it has not been done before
    StateId combine_states(StateId a, StateId b);
    void carry(const QuantityPtr& quantity);
    void carry_sorted(const QuantityPtr& quantity);
    bool is_local(const Quantity& quantity);
    Status contribute(const Run& run);
    std::uint32_t number(Carrier& carrier, std::vector<Label> value);
    std::uint32_t combine_in(Carrier& carrier, std::uint32_t a, std::uint32_t b);
    double expected_states(const Carrier& carrier) const;
    StateId state_of(std::size_t carrier, std::uint32_t value);
    std::uint32_t value_in(StateId state, std::size_t carrier) const;
    Result<Label> value_of(const Quantity& quantity, StateId state) const;
    std::uint32_t broken_by(Fault fault);

    const Variables* variables_ = nullptr;
    std::vector<QuantityPtr> quantities_;
    std::vector<Carrier> carriers_;
    std::map<const Quantity*, std::size_t> carrier_of_;  // a quantity that is a fold, single or sorted one
    std::map<const Quantity*, QuantityPtr> rewritten_;   // a fold whose local parts are a fold of their own
    std::vector<Contribution> contributions_;
    std::optional<Fault> fault_;
    bool several_ = false;
    std::vector<Tuple> tuples_;  // of several carriers: the number of the value of each
    std::map<Tuple, StateId> state_of_tuple_;
    std::vector<std::vector<StateId>> rows_;  // combinations that are known, by state and state
};

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
