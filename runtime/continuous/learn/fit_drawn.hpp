#pragma once
// Most probable numbers for the holes of one node X ~ family(…), from weighted rows in which it and its parents are known.

#include <memory>
#include <span>
#include <vector>

#include "runtime/continuous/learn/holes.hpp"

namespace credence::rt::continuous {

/// Rows in which everything is known: those of a table, or each of them once for every completion of its hidden labels.
struct LearningRows {
    std::size_t width = 0;
    std::vector<double> cells;       ///< a number, or the code of a label; `width` to a completion
    std::vector<std::size_t> first;  ///< by row of the data, its first completion; then the end
    std::vector<double> weights;     ///< by row of the data
    bool complete = true;

    std::size_t rows() const { return weights.size(); }
    std::size_t completions() const { return first.back(); }
    std::span<const double> completion(std::size_t i) const { return std::span(cells).subspan(i * width, width); }
};

/// What the leaves of terms are worth in a row.
class RowValues {
public:
    explicit RowValues(const ContinuousNet& net);
    double operator()(const Term& term, std::span<const double> cells, std::span<const double> holes) const;

private:
    std::size_t nodes_;
    std::vector<DomainPtr> domains_;
    std::vector<std::vector<double>> numbers_;  ///< of labels; by node and code
};

class DrawnFit {
public:
    virtual ~DrawnFit() = default;
    /// Σ r ln f(x | holes) made largest; r has a weight for each completion.
    virtual void maximise(std::span<const double> r, std::vector<double>& holes) const = 0;
    /// ln f(x | holes) of each completion, added.
    virtual void add_log_densities(std::span<const double> holes, std::span<double> out) const = 0;
    /// Whether a learned spread lies at its bound.
    virtual bool at_bound(std::span<const double> holes) const = 0;
};

/// `least_spread`: of a normal, as a share of the data's; 0 only if there is none.
Result<std::unique_ptr<DrawnFit>> make_drawn_fit(const ContinuousNet& net, std::size_t node, const LearningRows& rows,
                                                 const RowValues& value, double least_spread);

/// ln f(x) of each completion for a node without holes, added.
Status add_known_densities(const ContinuousNet& net, std::size_t node, const LearningRows& rows, const RowValues& value,
                           std::span<double> out);

}  // namespace credence::rt::continuous
