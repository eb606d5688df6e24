#pragma once
// What a trained radial basis network consists of, and the models that hold it.

#include "runtime/instance/coordinates.hpp"
#include "runtime/instance/rbf.hpp"

namespace credence::rt {

/// exp(−|x − c|²/2σ²) of each centre, behind a one for the bias.
Matrix rbf_activations(const Matrix& points, const Matrix& centers, std::span<const double> widths, bool bias);
/// What output weights make of activations: rows × outputs.
Matrix rbf_weighted(const Matrix& activation, const Matrix& solution);

/// Models for labels and for numbers hold it.
struct RbfNetwork {
    bool bias = true;
    AxisScale scaling = AxisScale::none;
    Schema schema;
    std::size_t rows = 0;
    std::optional<Coordinates> coordinates;
    RbfParts parts;
    Matrix scaled_centers;
    Matrix solution;    ///< (1 + centres) × outputs
    TablePtr measured;  ///< what the coordinates were measured on
    std::vector<double> row_weights;

    /// The coordinates of the measured rows.
    Status measure();
    /// Takes the output weights.
    void finish(Matrix weights);
    Matrix activations(const TableView& view) const;
    Matrix outputs(const TableView& view) const { return rbf_weighted(activations(view), solution); }
};

/// The columns of the output layer in their order, a unit a number or label.
std::vector<RbfOutput> rbf_output_units(std::vector<Field> fields);
ModelPtr rbf_model(std::shared_ptr<const RbfNetwork> net);

}  // namespace credence::rt
