#pragma once
// Learners of a weighted sum of terms: least squares, polynomials, other noise than normal, ridge.

#include <optional>

#include "runtime/regression/linear_model.hpp"

namespace credence::rt {

/// A normal prior on the weights: w_j ~ normal(0, sigma / sqrt(lambda)), the intercept free.
struct Penalty {
    Number lambda = Number(1);
    bool standard = false;  ///< of the columns scaled to variance 1
};

struct RegressionOptions {
    std::string kind = "regression";
    std::size_t degree = 1;
    Products products = Products::all;
    Noise noise;
    std::optional<Penalty> penalty;  ///< with normal noise
};
LearnerPtr make_regression(RegressionOptions options);

/// λ of each coefficient: the intercept's, then λ (times the term's variance where they are to be scaled).
std::vector<Number> penalties_of(const Observed& data, const Penalty& penalty, const Number& intercept, const Run& run);

/// What all regressions do before they fit: rows without missing cells, a note of those left out; E-MISSING if none is whole.
Result<Observed> observe_noting(const TableView& rows, std::span<const double> weights, std::size_t degree, Products products, Run& run);
/// Notes of terms left out.
void note_left_out(const RegressionFit& fit, const Run& run);

/// `explain train` of a fit.
Derivation explain_regression(const Observed& data, const RegressionFit& fit, const RegressionOptions& options);

}  // namespace credence::rt
