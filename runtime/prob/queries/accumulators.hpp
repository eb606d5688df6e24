#pragma once
// What has to be known of some variables so that their quantities can be computed: the states that the quantities go through while their
// parts come in, in any order. accumulate.hpp carries them along an elimination.

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/prob/factors/potential.hpp"
#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/levels.hpp"

namespace credence::rt {

using StateId = std::uint32_t;

/// The states that some quantities go through.
class Accumulators {
public:
    /// E-COST, before anything is spent, where the states would be too many. `lists`: statistics of lists are kept apart, for lists whose
    /// members are independent; without, they go through states like everything else.
    static Result<Accumulators> make(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run,
                                     bool lists = true);
    /// The same without lists.
    Status leave_lists(const Run& run);

    static constexpr StateId start = 0;  ///< nothing folded in yet
    static constexpr StateId unknown = std::numeric_limits<StateId>::max() - 1;
    static constexpr StateId dropped = std::numeric_limits<StateId>::max() - 2;  ///< what leads there is of no account
    static constexpr StateId broken = std::numeric_limits<StateId>::max();       ///< a value could not be computed there

    /// What one part of a fold adds, for each configuration of the variables it depends on (last fastest).
    struct Contribution {
        std::vector<Slot> scope;
        std::vector<StateId> states;
        std::size_t carrier = 0;
    };
    const std::vector<Contribution>& contributions() const { return contributions_; }

    StateId combine(StateId a, StateId b) {
        if (zero_) return a == start ? b : b == start ? a : a + b - *zero_;
        if (a < rows_.size() && b < rows_[a].size() && rows_[a][b] != unknown) return rows_[a][b];
        return combine_first(a, b);
    }
    /// The combinations of a state that are known, by the other; good until the next combine.
    std::span<const StateId> combinations(StateId a) const { return a < rows_.size() ? std::span(rows_[a]) : std::span<const StateId>(); }
    /// Where two states combine to the one that ranks higher, as in a maximum: the ranks by state. Empty otherwise.
    std::span<const std::uint32_t> ranks() const { return ranks_; }
    /// Where all states are sums of whole numbers, numbered so that combining two of them adds: the state in which the sums are 0.
    std::optional<StateId> zero_of_sums() const { return zero_; }
    std::size_t size() const {
        if (zero_) return strides_.back() * (carriers_.back().values.size() - 1);
        return several_ ? tuples_.size() : carriers_[0].values.size();
    }
    /// The values of the quantities in a state that all parts have been folded into.
    Result<std::vector<Label>> values(StateId state) const;
    /// Why a state is `broken`.
    const Fault& fault() const { return *fault_; }

    bool has_lists() const;
    bool is_list(std::size_t carrier) const { return carriers_[carrier].kind == Carrier::Kind::list; }
    /// How the statistics of a list are read off its values; nothing if they cannot be.
    std::optional<Levels> levels(std::size_t carrier) const;
    /// The value of one member of a list in a state that nothing else was folded into.
    const Label& member_value(StateId state, std::size_t carrier) const { return carriers_[carrier].values[value_in(state, carrier)][0]; }
    /// The state in which the statistics of a list have these values.
    StateId state_of_list(std::size_t carrier, std::vector<Label> statistics) {
        return state_of(carrier, number(carriers_[carrier], std::move(statistics)));
    }

    /// A sorted value, or the sum of the lowest or highest ones, of a list whose members depend on one another: for each value of the list
    /// the cases in which it is at the rank that matters, described by how many members are beyond it and how many equal it. These are the
    /// values; none if there is no such list, or there are several, or the states would be too many.
    std::vector<Label> thresholds() const;
    /// The states for one of these values.
    Accumulators at_threshold(const Label& value) const;
    /// The state here that corresponds to one of those; `dropped` where another value is at the rank.
    StateId adopted(const Accumulators& branch, StateId state);

private:
    /// How a statistic is computed at a threshold.
    struct Cut {
        bool above = false;    ///< members greater than the threshold are beyond it, else smaller ones
        std::size_t rank = 0;  ///< of the threshold, from the end that is beyond
        int weight = 0;        ///< of those up to the rank in a sum; 0: the threshold itself is asked for
        Label threshold = {};
    };

    /// One fold: its values by number, from 1; 0 is nothing yet.
    struct Carrier {
        enum class Kind {
            single,
            fold,
            lowest,   ///< the least values of a list
            highest,  ///< the greatest values
            seen,     ///< the different values
            list,     ///< statistics of a list: nothing is folded into one another
            beyond    ///< at a threshold: how many members are beyond it, how many equal it, and the sum of the former
        };
        Kind kind = Kind::single;
        Fold fold = Fold::sum;
        std::size_t kept = 0;  ///< lowest, highest: how many sorted values matter
        std::size_t of = 0;    ///< and of how many
        std::vector<QuantityPtr> parts = {};
        QuantityPtr whole = nullptr;                 ///< of a fold: itself
        std::vector<ListStatistic> statistics = {};  ///< of a list
        std::optional<Cut> cut = {};                 ///< beyond
        std::vector<std::vector<Label>> values{{}};
        std::unordered_map<std::string, std::uint32_t> number_of = {};
    };
    using Tuple = std::vector<std::uint32_t>;
    /// The values of one part, by configuration of its scope; none where it has no value.
    struct PartValues {
        std::vector<Slot> scope;
        std::vector<std::optional<Label>> values;
        std::optional<Fault> fault;
    };

    std::optional<Cut> cut_of(const Carrier& carrier) const;
    static std::vector<Label> beyond(const Cut& cut, const Label& value);
    static std::optional<Label> cut_value(const Cut& cut, const std::vector<Label>& state);
    void begin();
    StateId combine_first(StateId a, StateId b);  ///< where it has not been done before
    StateId combine_states(StateId a, StateId b);
    void carry(const QuantityPtr& quantity);
    void carry_as(const QuantityPtr& quantity, Carrier carrier);
    bool carry_list(const QuantityPtr& quantity);
    void carry_statistic(const QuantityPtr& quantity, ListStatistic statistic);
    void carry_all();
    void carry_sorted(const QuantityPtr& quantity);
    bool carry_grouped(const QuantityPtr& quantity);
    static Result<Accumulators> attempt(std::span<const NamedQuantity> quantities, const Variables& variables, const Run& run, bool lists,
                                        bool at_once);
    bool is_local(const Quantity& quantity) const;
    bool all_local(const std::vector<QuantityPtr>& parts) const;
    Status work_out(const Run& run);
    void contribute();
    void rank_states();
    void number_sums();
    const PartValues& values_of(const QuantityPtr& part) const { return part_values_.at(part.get()); }
    std::uint32_t number(Carrier& carrier, std::vector<Label> value);
    std::uint32_t combine_in(Carrier& carrier, std::uint32_t a, std::uint32_t b);
    double expected_states(const Carrier& carrier) const;
    StateId state_of(std::size_t carrier, std::uint32_t value);
    std::uint32_t value_in(StateId state, std::size_t carrier) const;
    Result<Label> value_of(const Quantity& quantity, StateId state) const;
    std::uint32_t broken_by(Fault fault);

    const Variables* variables_ = nullptr;
    bool lists_ = true;
    bool at_once_ = false;  ///< each quantity by going through its cases
    std::vector<NamedQuantity> quantities_;
    std::vector<Carrier> carriers_;
    std::map<const Quantity*, std::size_t> carrier_of_;    // a quantity that is a fold, single or sorted one
    std::map<const Quantity*, std::size_t> statistic_of_;  // which one of its list it is
    std::map<const Quantity*, QuantityPtr> rewritten_;     // a quantity that is carried in another form
    std::map<const Quantity*, PartValues> part_values_;
    std::vector<Contribution> contributions_;
    std::optional<Fault> fault_;
    bool several_ = false;
    std::vector<Tuple> tuples_;  // of several carriers: the number of the value of each
    std::map<Tuple, StateId> state_of_tuple_;
    std::vector<std::uint32_t> ranks_;
    std::optional<StateId> zero_;             // of sums of whole numbers alone
    std::vector<StateId> strides_;            // then: by carrier
    std::vector<std::vector<StateId>> rows_;  // combinations that are known, by state and state
};

}  // namespace credence::rt
