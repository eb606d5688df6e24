#pragma once
// Columns cut into at most 255 bins each: trees of an ensemble look at a byte a cell, and at sums over bins in place of sorted rows.

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/json.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

constexpr std::size_t most_bins = 255;
constexpr std::uint8_t missing_bin = 255;

/// How the cells of one feature become bins.
struct FeatureBins {
    bool labels = false;
    std::vector<double> cuts;            ///< of numbers: bin b holds what is at most cuts[b] and above cuts[b − 1]; one more bin follows
    std::vector<std::uint8_t> of_label;  ///< of labels: the bin of each; the rarest share the last where there are too many
    std::size_t count = 1;               ///< bins, without the one of missing cells

    std::uint8_t of(const Column& column, std::size_t row) const;
};

struct Bins {
    std::vector<FeatureBins> features;
    /// Cut so that the bins hold about the same weight, half-way between neighbours; each number has its own where there are few.
    static Bins learn(const TableView& rows, std::span<const double> weights);
    Json save() const;
};
Result<Bins> read_binning(const Json& json, const Schema& schema);

/// The rows of a view as bins, feature after feature.
struct BinnedRows {
    std::size_t rows = 0;
    std::vector<std::vector<std::uint8_t>> columns;
};
/// `table`: the columns of the features in order.
BinnedRows binned(const Bins& binning, std::span<const ColumnPtr> features, const TableView& rows);
/// The same row after row, as prediction wants them.
std::vector<std::uint8_t> binned_by_row(const Bins& binning, std::span<const ColumnPtr> features, const TableView& rows, std::size_t begin,
                                        std::size_t end);

}  // namespace credence::rt
