#pragma once
// Choosing by leaving rows out: how far to stretch each axis, and how many neighbours to ask.

#include <string>
#include <vector>

#include "runtime/instance/knn.hpp"

namespace credence::rt {

struct AxesFound {
    std::vector<double> axes;     ///< one for each feature; 0 drops it
    std::vector<double> history;  ///< the leave-one-out error (mean squared, of votes or numbers) after each improvement
};
/// Greedy search, once from all axes alike and once from none: the change of one axis that lowers the leave-one-out error of the k nearest
/// neighbours most, until none does. Large tables are sampled (run.rng).
Result<AxesFound> learn_axes(const TableView& rows, const KnnOptions& options, Run& run);

struct NeighbourCount {
    std::size_t k = 1;
    std::vector<std::pair<std::size_t, double>> curve;  ///< k and its error: a share of rows, or a root mean square
};
enum class CountMethod { sqrt, validation, cross_validation, elbow };
/// sqrt: the largest odd number below √n. validation: a third of the rows is held out; cross_validation: ten parts, each held out once; k =
/// 1, 3, 5, …, the least error, the smaller k of equals. elbow: where the leave-one-out curve becomes stable, that is the point farthest
/// below the line from its beginning to its first least value.
Result<NeighbourCount> choose_count(const TableView& given, CountMethod method, std::size_t most, KnnOptions options, Run& run);

}  // namespace credence::rt
