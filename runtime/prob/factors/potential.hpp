#pragma once
// The inference core: dense tables over variables, and their elimination. It knows nothing of nets or queries;
// variables are numbers 0 … n−1 with a number of values each.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/log_prob.hpp"
#include "runtime/core/result.hpp"
#include "runtime/prob/factors/work.hpp"

namespace credence::rt {

using Slot = std::uint32_t;              ///< a variable of the problem
using Sizes = std::vector<std::size_t>;  ///< number of values, by slot

/// Row-major, the last variable fastest, like a Factor. Over no variable: one value.
template <class P>
struct Potential {
    std::vector<Slot> variables;
    std::vector<P> values;
};

/// Strides of a potential's variables as seen from the variables of `scope` (0 where it does not have them).
std::vector<std::size_t> strides_in(std::span<const Slot> variables, std::span<const Slot> scope, const Sizes& sizes);
double table_size(std::span<const Slot> variables, const Sizes& sizes);

/// The slice at fixed[v] for every variable that has a fixed value (−1: none).
template <class P>
Potential<P> restrict_to(const Potential<P>& f, std::span<const std::int64_t> fixed, const Sizes& sizes);

/// The order of elimination, with the cost known before anything is allocated.
struct Plan {
    std::vector<Slot> order;
    std::vector<Slot> largest;  ///< variables of the largest table
    double largest_size = 1;
    double operations = 0;
};
/// Stages are eliminated one after the other; within a stage greedily by min-fill or min-weight, whichever is
/// cheaper in total (ties to the lower slot). Koller & Friedman, section 9.4.3.
Plan plan_elimination(std::span<const std::vector<Slot>> scopes, std::span<const std::vector<Slot>> stages, const Sizes& sizes);

/// E-COST before allocating, when a table of the plan or the answer is beyond the limits.
using SlotNames = std::vector<std::string>;
std::optional<Fault> too_large(const Plan& plan, std::span<const Slot> keep, const Sizes& sizes, const SlotNames& names,
                               std::size_t entry_bytes, const Run& run);

template <Prob P>
struct Problem {
    const Sizes* sizes = nullptr;
    const SlotNames* names = nullptr;
    std::vector<Potential<P>> potentials;
};

/// Variable elimination (Zhang & Poole): the unnormalised marginal over `keep`, in that order.
/// A variable to keep that no potential has counts as uniform.
template <Prob P>
Result<Potential<P>> eliminate(Problem<P> problem, std::span<const Slot> keep, Work& work);

/// The same by brute force: adds up the product of all potentials over every assignment of `all` variables.
template <Prob P>
Result<Potential<P>> enumerate(const Problem<P>& problem, std::span<const Slot> all, std::span<const Slot> keep, Work& work);

/// The assignment of `over` with the largest weight, everything else summed out first (max-product with back-pointers).
template <Prob P>
struct Maximum {
    std::vector<std::size_t> values;  ///< of `over`, in that order; among equals the lexicographically first
    P weight;
    double ties = 1;  ///< how many assignments share the maximum
};
template <Prob P>
Result<Maximum<P>> maximise(Problem<P> problem, std::span<const Slot> over, Work& work);

/// Draws assignments of `over` in proportion to the product of the potentials: eliminates once, then samples backwards.
template <Prob P>
class BackwardSampler {
public:
    static Result<BackwardSampler> make(Problem<P> problem, std::span<const Slot> over, Work& work);
    bool impossible() const { return total_.is_zero(); }
    void draw(Rng& rng, std::vector<std::size_t>& assignment) const;  ///< by slot; only `over` is written

private:
    struct Step {
        Slot variable;
        std::vector<Potential<P>> inputs;
    };
    Sizes sizes_;
    std::vector<Step> steps_;
    P total_ = one<P>();
};

extern template Potential<Rational> restrict_to(const Potential<Rational>&, std::span<const std::int64_t>, const Sizes&);
extern template Result<Potential<Rational>> eliminate(Problem<Rational>, std::span<const Slot>, Work&);
extern template Result<Potential<Rational>> enumerate(const Problem<Rational>&, std::span<const Slot>, std::span<const Slot>, Work&);
extern template Result<Maximum<Rational>> maximise(Problem<Rational>, std::span<const Slot>, Work&);
extern template class BackwardSampler<Rational>;
extern template Potential<LogProb> restrict_to(const Potential<LogProb>&, std::span<const std::int64_t>, const Sizes&);
extern template Result<Potential<LogProb>> eliminate(Problem<LogProb>, std::span<const Slot>, Work&);
extern template Result<Potential<LogProb>> enumerate(const Problem<LogProb>&, std::span<const Slot>, std::span<const Slot>, Work&);
extern template Result<Maximum<LogProb>> maximise(Problem<LogProb>, std::span<const Slot>, Work&);
extern template class BackwardSampler<LogProb>;

}  // namespace credence::rt
