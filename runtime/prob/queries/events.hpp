#pragma once
// Events over discrete variables: whether they hold, their truth tables, and their words.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/factors/potential.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

bool holds(const Atom& atom, const Label& value);
/// Whether an event holds where the variables have these values.
bool holds_with(const Event& event, const std::function<const Label&(VarId)>& value);

/// Where a value of data stands among those of a discrete variable; 1 and 0 are true and false of a boolean one.
std::optional<std::size_t> value_place(const Variable& variable, const Label& value);

/// The variables an event speaks of, ascending, each once.
std::vector<VarId> variables_of(const Event& event);

/// An event as a 0/1 table over its variables (row-major, last fastest).
struct EventTable {
    std::vector<Slot> variables;
    std::vector<char> truth;
    /// The one value that the event leaves its one variable, or −1.
    std::int64_t only_value() const;
};
/// E-COST when the event speaks of too many variables at once.
Result<EventTable> table_of(const Event& event, const Variables& variables, const Run& run);

/// The parts of a conjunction, flattened, so that each can become a restriction of its own.
std::vector<Event> conjuncts(std::span<const Event> events);

template <Prob P>
Potential<P> indicator(const EventTable& table) {
    Potential<P> out{table.variables, {}};
    out.values.reserve(table.truth.size());
    for (const char truth : table.truth) out.values.push_back(truth ? one<P>() : P());
    return out;
}

/// E-QUERY of single values of a real number in a place where a probability is meant: `x in {…}`, or `x = v` beside `or`. Each has
/// probability 0, and densities do not add up to a probability.
std::optional<Fault> point_fault(const Event& event, const Variables& variables, const std::function<bool(VarId)>& is_real);

Event event_equal(VarId variable, Label value, Origin origin);
std::string event_text(const Event& event, const Variables& variables);

/// a < b, a >= b …; only for comparisons of order.
bool ordered(Compare compare, const Number& a, const Number& b);
/// What a number that is compared with a label is compared with: true is 1, and a word is not a number, which equals nothing.
Number number_meant(const Label& label);

/// One piece of evidence, to be named in messages and dropped in search of a contradiction.
struct EvidenceItem {
    Clause clause;  ///< holds this item alone
    std::string text;
    Origin origin = Origin::none;
};
std::vector<EvidenceItem> items_of(const Clause& given, const Variables& variables);

/// E-ZERO for the items: names a minimal subset that is impossible by itself (found by leaving items out, one after the other).
/// `impossible` says whether the evidence of a clause has probability zero; a fault of its own is returned instead.
Fault zero_fault(const std::vector<EvidenceItem>& items, Origin query, const std::function<Result<bool>(const Clause&)>& impossible);

}  // namespace credence::rt
