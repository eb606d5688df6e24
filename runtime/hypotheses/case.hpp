#pragma once
// A query on a hypothesis space, digested: observations grouped, inputs bound, events sorted by their variables.

#include "runtime/hypotheses/outcomes.hpp"
#include "runtime/prob/queries/measure.hpp"

namespace credence::rt {

/// Where the variables of a space lie: parameters, the outcome, its inputs, then one more draw of the outcome with its inputs.
struct CaseLayout {
    std::size_t parameters = 0;
    std::size_t inputs = 0;
    Slot outcome() const { return static_cast<Slot>(parameters); }
    Slot next_outcome() const { return static_cast<Slot>(parameters + 1 + inputs); }
    bool is_parameter(Slot s) const { return s < parameters; }
    bool is_outcome(Slot s) const { return s == outcome() || s == next_outcome(); }
    bool is_input(Slot s) const { return !is_parameter(s) && !is_outcome(s); }
    bool is_next(Slot s) const { return s >= next_outcome(); }
    std::size_t input_of(Slot s) const { return s - (is_next(s) ? next_outcome() : outcome()) - 1; }
};
Variables variables_of(const HypothesisSpace& space);

/// One draw of the outcome, this one or the next.
struct Draw {
    bool mentioned = false;
    std::vector<Label> inputs;    ///< as bound by x = v
    std::vector<Event> evidence;  ///< about a number-valued outcome (and parameters)
    std::vector<Event> targets;
};

struct HypothesesCase {
    const HypothesisSpace* space = nullptr;
    const Variables* variables = nullptr;
    CaseLayout layout;
    Sizes sizes;
    SlotNames names;
    Shape shape;
    Draw draws[2];  ///< this outcome, next outcome
    std::vector<ObservationGroup> evidence_groups;
    std::vector<ObservationGroup> target_groups;
    std::vector<EventTable> evidence_tables;  ///< events about discrete variables
    std::vector<EventTable> target_tables;
    std::vector<Event> bindings;  ///< the events that bound inputs
    bool exact = true;            ///< prior, table and weights are
    std::vector<std::string> notes;
};

/// Faults: E-QUERY, E-COLUMN, E-LABEL, E-SUM, E-PARAMETER, E-DO.
Result<HypothesesCase> digest(const HypothesisSpace& space, const Variables& variables, const Query& query, const Run& run);

/// What one more number-valued outcome is free for: the variable of the query that a distribution must answer, if any.
std::optional<Slot> free_number(const HypothesesCase& c);

}  // namespace credence::rt
