#pragma once
// What a regression leaves of its target, and the curve of a model that bends, for pictures.

#include <string>
#include <vector>

namespace credence::rt {

struct Residuals {
    std::string target;
    std::vector<double> values;  ///< y − prediction of each row learned from
    std::vector<double> fitted;  ///< the predictions; empty if the model was saved without them
    std::string feature;         ///< of a model with one column of numbers: its name
    std::vector<double> inputs;  ///< and its values; empty for other models
    double sigma = 0;
    /// Of a model that is curved: the prediction on a grid of the feature, and where 95 % of further observations lie.
    std::vector<double> grid = {};
    std::vector<double> curve = {};
    std::vector<double> low = {};
    std::vector<double> high = {};
};

}  // namespace credence::rt
