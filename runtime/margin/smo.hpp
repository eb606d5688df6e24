#pragma once
// Sequential minimal optimisation (Platt 1998) with second-order choice of the pair (Fan, Chen & Lin 2005), shrinking and a cache of
// kernel rows. Minimises ½ Σ s_i s_j α_i α_j K_ij + Σ p_i α_i under Σ s_i α_i = 0 and 0 ≤ α_i ≤ C_i, with signs s_i = ±1.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/margin/kernel.hpp"

namespace credence::rt {

/// Variables k and the points they belong to: k mod points (regression has two variables a point).
struct MarginProblem {
    const Matrix* rows = nullptr;       ///< of all points
    std::vector<std::uint32_t> points;  ///< rows of those that take part
    std::vector<signed char> sign;      ///< one for each variable
    std::vector<double> linear;         ///< p
    std::vector<double> most;           ///< C
    const Kernel* kernel = nullptr;
    const Matrix* gram = nullptr;  ///< kernel values of all rows, where the kernel is a function of the script
};

struct SmoOptions {
    double tolerance = 1e-3;
    std::size_t cache_bytes = 200U << 20U;
    std::size_t iterations = 0;  ///< 0: 10,000,000, or 100 a variable where that is more
    unsigned threads = 1;
};

struct MarginSolution {
    std::vector<double> alpha;
    double bias = 0;
    double objective = 0;  ///< of the dual, as minimised
    double gap = 0;        ///< the largest violation of the KKT conditions
    std::size_t iterations = 0;
    bool converged = true;
};

Result<MarginSolution> solve_margin(const MarginProblem& problem, const SmoOptions& options, const Run& run);

}  // namespace credence::rt
