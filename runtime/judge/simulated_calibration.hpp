#pragma once
// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman, "Validating Bayesian inference algorithms with
// simulation-based calibration", 2018): parameters and data drawn from a model, and the rank of each parameter among draws of its posterior
// given these data. The ranks are uniform where the posterior is right.

#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct SimulatedCalibration {
    std::vector<std::string> parameters;
    std::vector<std::vector<std::size_t>> ranks;  ///< by parameter: of each simulation, how many draws are below the true value
    std::size_t draws = 0;                        ///< ranks go from 0 to this
};

/// What nothing else depends on in a net, and is drawn: the data where nobody names them. Empty for other models.
std::vector<VarId> leaves_of(const Model& model);

Result<SimulatedCalibration> simulate_calibration(const ModelPtr& model, std::span<const VarId> data, std::size_t simulations,
                                                  std::size_t draws, Run& run);

/// P of a chi-squared statistic at least as large as that of the ranks in bins of at least five, if they are uniform.
double uniformity(std::span<const std::size_t> ranks, std::size_t draws);

}  // namespace credence::rt
