#pragma once
// A product of tables during a search: which values are left, and what is left of each table. Values that no product above zero has
// are taken away at once (generalised arc consistency). Changes are undone like a stack.

#include <optional>

#include "runtime/nets/circuit/residual_table.hpp"

namespace credence::rt {

/// A table as the compiler takes it.
struct CircuitTable {
    std::vector<Slot> variables;
    std::vector<double> values;  ///< row-major, the last variable fastest
};

class PartialProblem {
public:
    struct Occurrence {
        std::uint32_t table;
        std::uint32_t place;  // in its scope
    };

    /// Empty where a table has more values than fit into a word.
    static std::optional<PartialProblem> make(const Sizes& sizes, std::vector<CircuitTable> tables);

    /// Takes away what the tables alone forbid. False: nothing is possible.
    bool begin();
    /// Only that value of the variable is left, with all that follows from it. False: nothing is possible.
    bool assign(Slot variable, ValueBits value);
    std::size_t mark() const { return trail_.size(); }
    void undo(std::size_t mark);

    std::size_t variables() const { return values_.size(); }
    std::size_t tables() const { return state_.size(); }
    ValueBits values(Slot variable) const { return values_[variable]; }
    const ResidualTable::State& state(std::uint32_t table) const { return kinds_[kind_[table]][state_[table]]; }
    std::span<const Slot> scope(std::uint32_t table) const { return scopes_[table]; }
    std::span<const Occurrence> occurrences(Slot variable) const {
        return std::span(occurrences_)
            .subspan(occurrences_begin_[variable], occurrences_begin_[variable + 1] - occurrences_begin_[variable]);
    }
    std::size_t work() const;  ///< tables propagated, and entries looked at

private:
    struct Undo {
        bool is_state;
        std::uint32_t index;
        ValueBits old;
    };
    void set_values(Slot variable, ValueBits values);
    void write_values(Slot variable, ValueBits values);
    bool propagate();

    std::vector<ResidualTable> kinds_;  // equal tables share one
    std::vector<std::uint32_t> kind_;   // by table
    std::vector<std::vector<Slot>> scopes_;
    std::vector<Occurrence> occurrences_;
    std::vector<std::size_t> occurrences_begin_;
    std::vector<ValueBits> values_;     // by variable
    std::vector<ValueBits> packed_;     // by table: the values of its variables
    std::vector<std::uint32_t> state_;  // by table
    std::vector<Undo> trail_;
    std::vector<std::uint32_t> queue_;
    std::vector<char> waiting_;
    std::size_t propagated_ = 0;
};

}  // namespace credence::rt
