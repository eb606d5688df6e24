#pragma once
// What a regression leaves of its target, for pictures.

#include <optional>
#include <string>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

struct Residuals {
    std::string target;
    std::vector<double> values;  ///< y − prediction of each row learned from
    std::vector<double> fitted;  ///< the predictions; empty where the model was saved without them
    std::string feature;         ///< of a model with one column of numbers: its name
    std::vector<double> inputs;  ///< and its values; empty for other models
    double sigma = 0;
};
/// Nothing for models of other kinds.
std::optional<Residuals> residuals_of(const Model& model);

}  // namespace credence::rt
