#pragma once
// Radial basis function networks: bumps round centres, output weights by least squares (Moody & Darken 1989; Broomhead & Lowe 1988).

#include <optional>
#include <vector>

#include "runtime/instance/metric.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct RbfOptions {
    enum class Place { random, uniform, em };
    enum class Width { given, per_center, cross_validation };
    std::optional<std::size_t> count;          ///< of centres; none: every row (or the list)
    std::vector<std::vector<double>> centers;  ///< given ones, in the columns' own units
    Place place = Place::random;
    Width width = Width::per_center;
    double size = 1;                  ///< the given width, or the factor on the distance to the nearest other centre
    std::vector<double> widths = {};  ///< given ones, one for each centre; empty: the same for all
    bool bias = true;
    AxisScale scaling = AxisScale::none;
    std::vector<std::string> outputs = {};  ///< target columns besides the table's target
};

LearnerPtr make_rbf_network(RbfOptions options);
Result<ModelPtr> load_rbf_network(const Json& json);

/// A column that the output layer predicts.
struct RbfOutput {
    Field field;
    std::size_t first = 0;  ///< of its units
    std::size_t count = 1;  ///< one for a number, one for each label
};

/// What a trained network consists of.
struct RbfParts {
    std::vector<std::string> columns;  ///< the coordinates: columns, or "Colour=red" of labels
    Matrix centers;                    ///< in the coordinates' own units
    std::vector<double> widths;        ///< in scaled units
    Matrix weights;                    ///< units × (bias, then one for each centre); without a bias its weight is 0
    std::vector<RbfOutput> outputs;    ///< the target first
};
const RbfParts& rbf_parts(const Model& model);
/// The values of the output units for one row.
std::vector<double> rbf_outputs(const Model& model, const TableView& row);

}  // namespace credence::rt
