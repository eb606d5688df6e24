#pragma once
// Least squares over rows that are read in blocks.

#include "runtime/data/row_blocks.hpp"
#include "runtime/regression/regression.hpp"

namespace credence::rt {

/// Of the rows without a missing cell; `left_out` counts the others. The triangle of their QR decomposition, block by block (TSQR, Demmel
/// et al. 2012), holds all that the weights, their covariance and the sum of squares need. There are no residuals by row.
Result<RegressionFit> least_squares_fit(const RowBlocks& rows, const RegressionOptions& options, std::size_t& left_out, const Run& run);

}  // namespace credence::rt
