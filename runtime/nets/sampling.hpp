#pragma once
// What the approximate engines share: the query as plain tables of doubles, the tally they count into, and the answer made of it.

#include <functional>

#include "runtime/nets/net_case.hpp"

namespace credence::rt {

/// A table over the variables that evidence leaves open.
struct PlainTable {
    std::vector<Slot> variables;
    std::vector<double> values;  ///< row-major, the last variable fastest
};

/// What an approximate engine works on: a net or an undirected model under its evidence, new marginals (Jeffrey) still left out.
struct ApproximateCase {
    Sizes sizes;
    SlotNames names;
    std::vector<std::int64_t> fixed;  ///< by slot: the value that evidence or intervention leaves, or −1
    std::vector<char> active;         ///< by slot: matters to the query and is open
    std::vector<PlainTable> tables;   ///< their product is the measure, up to a constant
    std::vector<EventTable> target_events;
    Shape shape;
};
ApproximateCase approximate_case(const NetCase& c, const Query& query);

/// The slice at the fixed values, as doubles.
PlainTable restricted(std::span<const Slot> variables, const std::function<double(std::size_t)>& entry, std::span<const std::int64_t> fixed,
                      const Sizes& sizes);

/// A case of either kind of net without its tables.
template <class Digested>
ApproximateCase without_tables(const Digested& c) {
    return {.sizes = c.sizes,
            .names = c.names,
            .fixed = c.fixed,
            .active = {},
            .tables = {},
            .target_events = c.target_events,
            .shape = c.shape};
}
/// Adds the weights of virtual evidence.
void add_likelihoods(ApproximateCase& c, const Query& query);

/// Weights over the variables of the answer and those that get a new marginal; where the target has events, one more axis says
/// whether they hold.
class Tally {
public:
    /// E-COST if the table would be too large to count into.
    static Result<Tally> make(const ApproximateCase& c, const Query& query, const Run& run);

    std::size_t cells() const { return cells_; }
    const std::vector<Slot>& slots() const { return slots_; }
    /// The cell of a whole assignment (by slot).
    std::size_t cell(std::span<const std::uint32_t> value) const {
        std::size_t at = 0;
        for (std::size_t i = 0; i < slots_.size(); ++i) at += strides_[i] * value[slots_[i]];
        if (!has_flag_) return at;
        for (const auto& t : *events_) {
            std::size_t entry = 0;
            for (const auto slot : t.variables) entry = entry * (*sizes_)[slot] + value[slot];
            if (t.truth[entry] == 0) return at;
        }
        return at + flag_;
    }
    std::size_t flag() const { return has_flag_ ? flag_ : 0; }  ///< what is added to the cell of an assignment for which the events hold

private:
    std::vector<Slot> slots_;
    std::vector<std::size_t> strides_;
    const std::vector<EventTable>* events_ = nullptr;
    const Sizes* sizes_ = nullptr;
    bool has_flag_ = false;
    std::size_t flag_ = 0;
    std::size_t cells_ = 1;
};

/// The answer that a tally of probabilities gives.
Result<Answer> tallied_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const Tally& tally,
                              std::span<const double> weights, const ZeroFault& zero, const Run& run);

/// Sampling is cut into this many blocks: the grid of the threads, and of the jackknife.
constexpr std::size_t sample_blocks = 32;

/// The answer of all blocks together. Its standard error is the grouped jackknife's over the blocks (Quenouille 1956), or where that is
/// larger, as after too few hits, the binomial one of so many effective samples.
Result<Answer> sampled_answer(const ApproximateCase& c, const Variables& variables, const Query& query, const Tally& tally,
                              std::span<const std::vector<double>> blocks, double effective_samples, const Run& run);

Number count_of(std::size_t n);

}  // namespace credence::rt
