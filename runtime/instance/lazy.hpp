#pragma once
// Lazy learning: a learner trained anew for each query, on the rows near it.

#include <functional>
#include <optional>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// The weight of a neighbour by its distance.
struct LazyKernel {
    enum class Kind {
        none,            ///< 1
        gaussian,        ///< exp(−d² / 2s²)
        inverse_square,  ///< 1/d²; rows at distance 0, where there are any, alone count, alike
        function         ///< of the script
    };
    Kind kind = Kind::none;
    double s = 1;
    std::function<Result<double>(double distance)> function = {};
};

/// Trains `inner` on the k nearest rows of each query (none: all rows) with their kernel weights, and asks that model.
///
/// Distance: Euclidean over the columns; a numeric column adds the square of the difference in units of its standard deviation over the
/// training rows, a label column 1 where the labels differ. A pair with a missing cell adds what a pair of random rows does on average in a
/// standardised column, 2, and 1 for labels. A row of weight w counts as w rows towards k, and all rows as near as the k-th are taken: so
/// neither the order of the rows nor writing a row twice matters. Where the neighbours have one label and `inner` cannot learn from one
/// label, that label is the answer.
LearnerPtr make_lazy(LearnerPtr inner, std::optional<std::size_t> k, LazyKernel kernel);

}  // namespace credence::rt
