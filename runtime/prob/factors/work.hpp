#pragma once
// What one query may spend, and what it did spend.

#include <algorithm>

#include "runtime/core/log_prob.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Counts exact work against the budget of the run. Past the budget `exceeded()` turns true, the computation
/// gives up with budget_fault(), and whoever dispatched it begins again in logarithms.
class Work {
public:
    Work(const Run& run, bool limited) : run_(&run), limited_(limited) {}

    const Run& run() const { return *run_; }
    bool stopped() const { return run_->stopped(); }
    bool exceeded() const { return exceeded_; }

    /// An operation that gave this fraction. Long fractions count for more: their cost grows with their length.
    void count(const Rational& result) {
        if (!limited_) return;
        const std::size_t bits = result.bits();
        operations_ += 1 + bits / bits_per_unit;
        if (bits > run_->limits.exact_bits || operations_ > run_->limits.exact_operations) exceeded_ = true;
    }
    void count(LogProb) {}
    /// Work that is known before it is done, so that hopeless exact work is never begun.
    template <Prob P>
    void foresee(double operations) {
        const double units = operations * (1 + expected_bits_ / static_cast<double>(bits_per_unit));
        if (std::same_as<P, Rational> && limited_ && units > static_cast<double>(run_->limits.exact_operations)) exceeded_ = true;
    }
    /// How long the fractions will be on average, if that can be predicted.
    void expect_bits(double bits) { expected_bits_ = bits; }
    /// A number turned out not to be exact: the computation begins again in logarithms.
    void give_up_exactness() { exceeded_ = true; }
    /// Stop request or budget: the fault to return, if any.
    std::optional<Fault> interrupted() const {
        if (exceeded_) return Fault{.code = "E-COST", .message = "the exact computation is too long"};
        if (stopped()) return stopped_fault();
        return std::nullopt;
    }

    // figures that engines report
    std::size_t eliminated = 0;
    std::size_t largest_table = 0;
    std::size_t terms = 0;

private:
    static constexpr std::size_t bits_per_unit = 64;
    const Run* run_;
    bool limited_;
    bool exceeded_ = false;
    std::size_t operations_ = 0;
    double expected_bits_ = 0;
};

/// Runs compute.template operator()<P>(work): in fractions where all inputs are exact and the mode allows it, and in
/// logarithms otherwise or when the budget is passed (`set numbers exact` has no budget).
template <class Compute>
auto in_best_numbers(const Run& run, bool all_exact, const Compute& compute) {
    if (all_exact && run.numbers != NumberMode::real) {
        Work work(run, run.numbers == NumberMode::automatic);
        auto result = compute.template operator()<Rational>(work);
        if (!work.exceeded()) return result;
    }
    Work work(run, false);
    return compute.template operator()<LogProb>(work);
}

}  // namespace credence::rt
