#pragma once
// Rows as numbers for learners that compute with them: label columns become indicators, distances are measured on what scaling makes of it.

#include "runtime/data/design.hpp"
#include "runtime/instance/metric.hpp"

namespace credence::rt {

class Coordinates {
public:
    /// Of the features of these rows; scaling is measured on them.
    static Result<Coordinates> fit(const Schema& schema, const TableView& rows, AxisScale scaling, std::span<const double> weights);

    const std::vector<DesignTerm>& terms() const { return terms_; }
    /// Rows aligned to the schema, as they are.
    Matrix raw(const TableView& rows) const { return design_matrix(rows.table->columns, terms_, rows); }
    /// The same, scaled.
    Matrix scaled(const Matrix& raw) const;
    const MetricSpace& space() const { return space_; }

private:
    Coordinates(std::vector<DesignTerm> terms, MetricSpace space) : terms_(std::move(terms)), space_(std::move(space)) {}
    std::vector<DesignTerm> terms_;
    MetricSpace space_;
};

/// The features in the order of the schema, missing cells filled in, and the target behind them.
Result<TablePtr> complete_table(const TableView& rows, std::span<const double> weights, const Run& run);

/// The columns of `old` with the rows of `more` (matched by name) under them.
Result<TablePtr> with_more_rows(const Table& old, const TableView& more);
/// Their weights: 1 if none are given; empty if none are given at all.
std::vector<double> with_more_weights(std::span<const double> old, std::size_t rows, std::span<const double> more, std::size_t added);

}  // namespace credence::rt
