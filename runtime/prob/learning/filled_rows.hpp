#pragma once
// Missing cells for learners that need every number: filled in when a model is trained, and in the same way when it is asked.

#include <span>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// The schema of a table with what fills a missing cell of each feature: the mean of these rows, or their most common label (the first
/// declared of equals), each row counted by its weight (none: all 1). A feature without any cell has no fill.
Schema schema_with_fills(const TableView& rows, std::span<const double> weights);

/// The columns of the schema's features with missing cells filled in. A note says so. E-MISSING if a column has no cell at all.
Result<std::vector<ColumnPtr>> filled_features(const TableView& rows, const Schema& schema, const Run& run);

/// How a numeric column is scaled, by these rows, each counted by its weight, where they have a cell: `standard` by the mean and the
/// standard deviation (n − 1); `range` so that the least becomes 0 and the greatest 1. A constant column becomes 0.
FieldScale scale_of(const Column& column, const TableView& rows, std::span<const double> weights, Scaling method);
/// Scales the columns of the schema's numeric features, and notes in the schema how.
void scale_features(const TableView& rows, std::span<const double> weights, Scaling method, Schema& schema,
                    std::vector<ColumnPtr>& features);

}  // namespace credence::rt
