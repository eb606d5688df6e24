#pragma once
// The linear algebra of a Gaussian process: the covariance of the rows, its triangle, the evidence and its slopes.

#include <optional>
#include <span>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/core/run.hpp"
#include "runtime/instance/gaussian_process.hpp"

namespace credence::rt {

/// Rows as the process sees them.
struct GpRows {
    Matrix points;                ///< scaled coordinates
    std::vector<double> targets;  ///< less their mean
    std::vector<double> weights;  ///< a row counted w times has noise of variance sigma²/w; empty: all 1
};

/// What predictions need: L Lᵀ = K + sigma² I, and (K + sigma² I)⁻¹ y.
struct GpFactor {
    Matrix lower;
    std::vector<double> pull;
    double log_evidence = 0;
};

/// Nothing if the covariance is not positive definite to the precision of doubles; E-STOP if the run was stopped.
Result<std::optional<GpFactor>> gp_factor(const GpRows& rows, GpKernel kernel, const GpParameters& parameters, const Run& run);

/// The covariances of the function at a point and at the rows.
std::vector<double> gp_covariances(const GpRows& rows, GpKernel kernel, const GpParameters& parameters, std::span<const double> point);

/// The parameters under which the rows are most probable; those that are given stay.
Result<GpParameters> gp_learned(const GpRows& rows, const GpOptions& options, Run& run);

}  // namespace credence::rt
