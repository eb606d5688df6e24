#pragma once
// Locally weighted regression: a constant, a line or a parabola fitted round each query (Cleveland 1979; Atkeson, Moore & Schaal 1997).

#include <functional>
#include <optional>
#include <vector>

#include "runtime/instance/metric.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct LocalKernel {
    enum class Kind { none, gaussian, tricube, epanechnikov, inverse_square, function };
    Kind kind = Kind::tricube;
    std::optional<double> width;  ///< none: the distance of the k-th neighbour
    std::function<Result<double>(double distance)> function;
};

struct LwrOptions {
    LocalKernel kernel;
    std::optional<std::size_t> k;  ///< none: all rows
    bool default_k = true;         ///< k as it fits the kernel: two thirds of the rows where the k-th neighbour sets the width, else all
    std::size_t degree = 1;        ///< 0, 1 or 2
    std::optional<double> rate;    ///< of gradient descent; none: weighted QR
    std::size_t robust = 0;        ///< lowess iterations: rows with large residuals lose weight
    AxisScale scaling = AxisScale::none;
};

/// The regression round one query.
struct LocalFit {
    double value = 0;
    std::vector<std::pair<std::string, double>> coefficients;  ///< in the columns' own units: "intercept", "x", "x^2", "x*z"
    std::size_t rows = 0;                                      ///< with a weight above 0
    double bandwidth = 0;                                      ///< 0: the kernel has none
    std::optional<double> sigma;  ///< of the noise, as the rows round the query show it; none where they leave no degree of freedom
    std::optional<double> standard_error;  ///< of the value
};

LearnerPtr make_lwr(LwrOptions options);
Result<ModelPtr> load_lwr(const Json& json);
/// Of a model that make_lwr trained; the row is aligned.
Result<LocalFit> local_fit(const Model& model, const TableView& row, Run& run);

}  // namespace credence::rt
