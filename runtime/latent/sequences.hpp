#pragma once
// Sequences out of a table: one column of observations, and where there are several sequences a column `sequence` that tells them apart.

#include "runtime/latent/hmm.hpp"

namespace credence::rt {

struct Sequences {
    std::vector<Sequence> sequences;
    std::vector<double> weights;  ///< one a sequence, or none
};
/// Rows in order; a change in `sequence` begins the next one. `symbols`: the codes to use (null: numbers are needed).
Result<Sequences> sequences_of(const TableView& rows, std::span<const double> weights, const DomainPtr& symbols, const std::string& model);

/// The labels of the column of observations.
Result<DomainPtr> symbols_in(const TableView& rows, const std::string& model);

}  // namespace credence::rt
