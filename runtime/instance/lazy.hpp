#pragma once
// Lazy learning: a learner trained again for each query, on the rows near it.

#include <functional>
#include <optional>

#include "runtime/instance/metric.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

/// The weight of a neighbour by its distance.
struct LazyKernel {
    enum class Kind {
        none,            ///< 1
        gaussian,        ///< exp(−d² / 2s²)
        inverse_square,  ///< 1/d²; if there are rows at distance 0, only these count, equally
        tricube,         ///< (1 − (d / s)³)³ up to s
        epanechnikov,    ///< 1 − (d / s)² up to s
        function         ///< of the script
    };
    Kind kind = Kind::none;
    double s = 1;
    std::function<Result<double>(double distance)> function = {};
};

/// Trains `inner` on the k nearest rows of each query (none: all rows) with their kernel weights, and asks that model.
///
/// Distance: Euclidean over the columns, measured as knn and lwr do; a label column adds 1 where the labels differ. A pair with a missing
/// cell adds what a pair of random rows does on average, twice the column's variance, and 1 for labels. Of rows equally far the first are
/// taken; a row of weight w stands for w equal rows, and the last one counts for what is left of k. Where the neighbours have one label and
/// `inner` cannot learn from one label, that label is the answer. Learning on keeps the new rows too.
LearnerPtr make_lazy(LearnerPtr inner, std::optional<std::size_t> k, LazyKernel kernel, AxisScale scaling = AxisScale::none);

}  // namespace credence::rt
