#pragma once
// A query unrolled: every random variable that matters to it, once for each row of data it was observed in, with the evidence put in.
// Barren variables never appear.

#include <optional>
#include <string>
#include <vector>

#include "runtime/continuous/unroll/expanded.hpp"
#include "runtime/prob/distributions/region.hpp"
#include "runtime/prob/factors/potential.hpp"

namespace credence::rt::continuous {

/// One random variable of the problem. In its terms a VarId is the position of another instance.
struct Instance {
    std::size_t node = 0;
    std::string name;
    Origin origin = Origin::none;
    DomainPtr domain;              ///< null: a number
    bool cut = false;              ///< a count without a bound, whose domain ends where nothing is left of it
    std::optional<Outcome> value;  ///< observed, or set by do(…)
    Term tied = nullptr;           ///< a number that the evidence has made a function of others: x + y = 4 makes y 4 - x
    /// Where the evidence says that it is (x > 9, x in 3..4); empty if there is none. With `censored` that is as good as a value: nothing
    /// else in the query speaks of it.
    Region region = {};
    bool censored = false;
    bool set = false;  ///< by do(…): its distribution does not count
    bool table = false;
    std::vector<VarId> table_parents;  ///< of a table; those that were observed have values
    Family family = Family::normal;
    std::vector<Term> parameters;  ///< with observed values put in
    std::vector<Label> labels;

    bool latent() const { return !value && !tied && !censored; }
    bool discrete() const { return domain != nullptr; }
    bool is_real_latent() const { return latent() && !domain; }
};

/// An event with at least one number in it: each atom compares a term with a constant.
struct RealEvent {
    Event event;              ///< its atoms' variables are those of the model
    std::vector<VarId> over;  ///< latent numbers, as instances
    bool evidence = false;
};

struct Unrolled {
    const Expanded* net = nullptr;
    std::vector<Instance> instances;
    std::vector<Term> of_variable;         ///< by variable of the model: what it is here; null if it does not matter
    std::vector<Event> discrete_evidence;  ///< events over discrete variables alone
    std::vector<Event> discrete_targets;
    std::vector<RealEvent> real_events;
    std::vector<SoftEvidence> soft;
    std::vector<std::string> notes;  ///< what the reader should know of how the evidence was read
    std::size_t observed = 0;        ///< instances with a value from the evidence
    /// Many observations of a variable with two values are stored as one number, how often it had the first. Its probability is larger than
    /// that of the observations in their order; this is the logarithm of by how much.
    double log_orders = 0;
    /// By instance: its slot in the discrete layer (the variable of the model where it is one), for those with a domain.
    std::vector<Slot> slots;
    Sizes sizes;
    SlotNames slot_names;

    std::string name(VarId instance) const { return instances[index(instance)].name; }
};

/// The nodes of which each row of the lists and tables has its own: those observed there, and what depends on them.
std::vector<bool> nodes_by_row(const Expanded& net, const Clause& given);

/// `extra` are terms over the model's variables that will be asked for besides the query's own; they come back over instances.
/// Counts without a bound are numbers here: see prepare() in counts.hpp.
/// `named`: terms go on naming what was observed, so that it can be drawn again after its parents.
enum class Observed { put_in, named };
Result<Unrolled> unroll(const Expanded& net, const Query& query, std::vector<Term>* extra = nullptr, Observed observed = Observed::put_in);

/// The slots of the discrete layer again, and which events are left with numbers: after a count was given a domain.
void number_slots(Unrolled& problem);

}  // namespace credence::rt::continuous
