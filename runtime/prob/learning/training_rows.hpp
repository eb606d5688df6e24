#pragma once
// The rows of a table as learners that compute want them: a matrix of numbers beside the target.

#include <optional>

#include "runtime/data/design.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

struct TrainingRows {
    Schema schema;
    std::vector<ColumnPtr> features;  ///< missing cells are filled in, with a note; scaled where that is asked for
    std::vector<DesignTerm> terms;
    Matrix x;                         ///< rows × terms
    std::vector<std::uint32_t> from;  ///< the row of the table that each is
    std::vector<std::int32_t> codes;  ///< of a label target
    std::vector<double> values;       ///< of a numeric target
    std::vector<double> weights;      ///< one for each row

    std::size_t size() const { return x.rows; }
    std::size_t labels() const { return schema.target.domain->size(); }
};
Result<TrainingRows> training_rows(const TableView& rows, std::span<const double> row_weights, Coding coding, Run& run,
                                   std::optional<Scaling> scale = std::nullopt);

/// Labels of the target that no row has (a filtered table keeps them) are left out of the schema, and the codes count without them.
void keep_seen_labels(TrainingRows& rows);

/// E-TRAIN if the label target has one label only: there is nothing to distinguish.
Status check_labels(const TrainingRows& rows, std::string_view learner);

/// Rows for telling labels apart: with reference coding, seen labels alone, and at least two of them.
Result<TrainingRows> labelled_rows(const TableView& rows, std::span<const double> row_weights, std::string_view learner, Run& run,
                                   std::optional<Scaling> scale = std::nullopt);

/// Rows aligned to the schema as numbers.
Matrix numbers_of(const TableView& rows, std::span<const DesignTerm> terms);
/// The terms of the columns that a schema describes.
std::vector<DesignTerm> terms_of(const Schema& schema, Coding coding);

/// Mean and standard deviation of each column, each row counted by its weight; a constant column has spread 1.
struct Standard {
    std::vector<double> mean;
    std::vector<double> spread;
};
Standard standard_of(const Matrix& x, std::span<const double> weights);
Matrix standardised(const Matrix& x, const Standard& by);
/// Coefficients (the intercept first) of standardised columns in the units of the table.
std::vector<double> in_units(std::span<const double> coefficients, const Standard& by);
/// The other way round.
std::vector<double> in_spreads(std::span<const double> coefficients, const Standard& by);

}  // namespace credence::rt
