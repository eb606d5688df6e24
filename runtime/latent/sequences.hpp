#pragma once
// Sequences out of a table: one column of observations, where there are several sequences a column `sequence` that separates them, and
// where states were seen a column `state`.

#include "runtime/latent/hmm.hpp"

namespace credence::rt {

struct Sequences {
    std::vector<Sequence> sequences;
    std::vector<double> weights;    ///< one for each sequence, or none
    const Column* seen = nullptr;   ///< the observations, row by row
    std::size_t hidden_states = 0;  ///< steps whose state was not seen
};
/// Rows in order; a change in `sequence` begins the next one.
Result<Sequences> sequences_of(const TableView& rows, std::span<const double> weights, const Hmm& hmm);

/// The labels of the column of observations.
Result<DomainPtr> symbols_in(const TableView& rows, const std::string& model);

/// The column `state` beside the observations; null: there is none.
const Column* state_column(const Table& table);

}  // namespace credence::rt
