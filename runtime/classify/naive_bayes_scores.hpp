#pragma once
// ln P(class) + Σ ln P(cell | class), row by row: the hot loop of naive Bayes.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/data/table.hpp"

namespace credence::rt {

/// The logarithms of one feature.
struct ScoreTable {
    std::vector<double> by_code;  ///< (code + 1) · classes + class; code −1, a missing cell, has no influence: zeros
    std::vector<double> cuts;     ///< of a binned column
    std::vector<double> mean;     ///< one for each class, of a normal column; empty otherwise
    std::vector<double> inverse_sd;
    std::vector<double> log_norm;  ///< −ln sd − ½ ln 2π
};

struct Scores {
    std::size_t classes = 0;
    std::vector<double> prior;
    std::vector<ScoreTable> features;  ///< one for each column of the rows
};

/// Calls use(first, scores) for blocks of rows of the view: `scores` holds rows × classes. On up to `threads` threads; blocks do not depend
/// on their number.
void score_rows(const Scores& tables, const TableView& rows, unsigned threads,
                const std::function<void(std::size_t first, std::span<const double> scores)>& use);

/// The first class whose score is the largest, scores that differ by rounding alone taken as equal; −1 where all are −∞.
std::int32_t best_class(std::span<const double> scores);

}  // namespace credence::rt
