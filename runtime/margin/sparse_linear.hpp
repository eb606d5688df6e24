#pragma once
// Linear machines over rows that are mostly zeros, such as the words of a text: dual coordinate descent, without a kernel matrix.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Rows one after the other, each as its columns that are not zero.
struct SparseRows {
    std::vector<std::size_t> begin{0};  ///< of each row, and the end of the last
    std::vector<std::uint32_t> column;
    std::vector<float> value;

    std::size_t size() const { return begin.size() - 1; }
};

struct SparseOptions {
    double c = 1;
    double tolerance = 0.1;  ///< of the projected gradient
    std::size_t passes = 1000;
};

/// For each label k: min ½|w|² + C Σ max(0, 1 − y·w·x)², y = 1 for rows of label k and −1 for the rest (Hsieh et al. 2008). With two labels
/// one machine, for the second. Gives machines × columns.
Result<Matrix> train_sparse(const SparseRows& rows, std::size_t columns, std::span<const std::int32_t> labels, std::size_t label_count,
                            std::span<const double> row_weights, const SparseOptions& options, const Run& run);

}  // namespace credence::rt
