#pragma once
// Impurity in a form that moves row by row: Σ φ(n_k) over the labels, finished by the total. Times the weight, so that branches add up.
//
//   entropy: φ(x) = x log2 x,  n·H    = φ(n) − Σ φ(n_k)
//   gini:    φ(x) = x²,        n·Gini = n − Σ φ(n_k) / n

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::rt {

inline double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0; }

/// x log2 x for 0 … n: whole counts look it up.
inline std::vector<double> x_log_x_table(std::size_t n) {
    std::vector<double> out(n + 1);
    for (std::size_t i = 0; i <= n; ++i) out[i] = x_log_x(static_cast<double>(i));
    return out;
}

inline std::vector<double> differences(std::span<const double> xs) {
    std::vector<double> out(xs.size());
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) out[i] = xs[i + 1] - xs[i];
    return out;
}

/// Whole counts: rows move one by one, and φ(x + 1) − φ(x) is looked up too.
struct CountedEntropy {
    using Weight = std::int32_t;
    const double* table;
    const double* steps;
    double phi(Weight x) const { return table[x]; }
    double step(Weight x) const { return steps[x]; }
    double finish(Weight n, double sum) const { return table[n] - sum; }
};

struct WeightedEntropy {
    using Weight = double;
    double phi(Weight x) const { return x_log_x(x); }
    double finish(Weight n, double sum) const { return x_log_x(n) - sum; }
};

struct CountedGini {
    using Weight = std::int32_t;
    double phi(Weight x) const { return static_cast<double>(x) * static_cast<double>(x); }
    double step(Weight x) const { return 2.0 * static_cast<double>(x) + 1; }
    double finish(Weight n, double sum) const { return n > 0 ? static_cast<double>(n) - sum / static_cast<double>(n) : 0; }
};

struct WeightedGini {
    using Weight = double;
    double phi(Weight x) const { return x * x; }
    double finish(Weight n, double sum) const { return n > 0 ? n - sum / n : 0; }
};

}  // namespace credence::rt
