#pragma once
// How far two rows are apart: rows become points, and a metric compares points.

#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/instance/nearest.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

enum class Metric { euclidean, manhattan, chebyshev, cosine, hamming, gower };
enum class AxisScale { none, standard, range };

std::string_view name_of(Metric metric);
std::string_view name_of(AxisScale scaling);
std::optional<Metric> metric_named(std::string_view name);
std::optional<AxisScale> scaling_named(std::string_view name);

struct MetricOptions {
    Metric metric = Metric::euclidean;
    AxisScale scaling = AxisScale::none;
    std::vector<double> axes = {};             ///< a stretch for each feature, 0 drops it; empty: all 1
    std::vector<std::string> axis_names = {};  ///< the features that `axes` are for, where given by name; the others are 1
};

/// A numeric column is one coordinate: shifted, scaled and stretched. A label column's coordinate is its code; two labels are 0 or 1
/// apart, times the stretch. Under Gower, columns that a row lacks are left out of the comparison, and rows without a common column
/// are 1 apart; a difference beyond the range of the training rows counts as 1.
class MetricSpace {
public:
    /// The rows are aligned to the schema; what scaling needs is measured on them. A row of weight w is measured as w rows (none: all 1).
    static Result<MetricSpace> fit(const Schema& schema, const TableView& rows, MetricOptions options,
                                   std::span<const double> weights = {});

    const MetricOptions& options() const { return options_; }
    std::size_t dimensions() const { return columns_.size(); }
    bool takes_missing() const { return options_.metric == Metric::gower; }
    /// Where all coordinates are numbers and the metric is a norm of their differences: a k-d tree can cut the space.
    std::optional<Norm> norm() const;
    /// The triangle inequality holds (of the cosine's square root); not where missing cells leave columns out.
    bool is_metric() const { return options_.metric != Metric::gower && !columns_.empty(); }
    /// Two values of the column are equal or not: labels, and everything under Hamming.
    bool only_equality(std::size_t column) const { return columns_[column].label || options_.metric == Metric::hamming; }
    Matrix encode(const TableView& rows) const;
    double distance(const double* a, const double* b) const;
    /// The distance worked out with its numbers, "sqrt((3 - 1)^2 + (4 - 2)^2)"; empty if there are too many columns to read.
    std::string distance_text(const double* a, const double* b) const;
    /// The same from n points, whose column c is points[c·stride …]: n a multiple of eight, `out` and `weights` room for n.
    void distances(const double* points, std::size_t stride, std::size_t n, const double* query, double* out, double* weights) const;

    Json save() const;
    static Result<MetricSpace> load(const Json& json, const Schema& schema);

private:
    struct Coordinate {
        bool label = false;
        double shift = 0;
        double factor = 1;   ///< times the difference; stretch included for norms
        double stretch = 1;  ///< what a difference of labels, or a column under Hamming and Gower, weighs
    };
    template <class Add>
    void over_columns(const double* points, std::size_t stride, std::size_t n, double* out, double* weights, Add add) const;

    MetricOptions options_;
    std::vector<Coordinate> columns_;
};

}  // namespace credence::rt
