#pragma once
// What naive Bayes counts: rows by class, cells by class and value, and the spread of numbers by class. Counts can be added to.

#include <span>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// Weight, mean and squared deviations of the numbers of one class.
struct NormalCounts {
    double weight = 0;
    double mean = 0;
    double squares = 0;

    void add(const NormalCounts& more);  ///< Chan, Golub & LeVeque's rule
};

/// One feature. A label or binned column has `cells`, a column taken as normal has `spreads`.
struct FeatureCounts {
    std::vector<Number> cells;          ///< class by class, one for each value
    std::vector<NormalCounts> spreads;  ///< one for each class
    std::vector<double> cuts;           ///< of a binned column, ascending: value v is in bin i when cuts[i−1] < v ≤ cuts[i]
    DomainPtr values;                   ///< labels of the column or names of the bins; null for a normal column

    bool is_normal() const { return values == nullptr; }
    void add(const FeatureCounts& more);

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.cells);
        visit(self.spreads);
        visit(self.cuts);
        visit(self.values);
    }
};

struct NaiveBayesCounts {
    std::vector<Number> classes;  ///< rows of each class
    std::vector<FeatureCounts> features;

    void add(const NaiveBayesCounts& more);  ///< of other rows of the same columns

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.classes);
        visit(self.features);
    }
};

/// Empty counts for the schema: numeric columns normal (bins == 0), or cut into bins of equally many of these rows (fewer where numbers
/// repeat).
NaiveBayesCounts empty_counts(const Schema& schema, std::size_t bins, const TableView& rows, std::span<const double> weights);

/// Counts the rows, whose columns are the schema's features in order, the target given apart. Weights as in Learner::fit. Exact unless
/// many rows carry fractional weights.
void count_into(NaiveBayesCounts& counts, const Schema& schema, const TableView& rows, const Column& target,
                std::span<const double> weights, const Run& run);

/// The bin of a number.
std::size_t bin_of(double value, std::span<const double> cuts);

}  // namespace credence::rt
