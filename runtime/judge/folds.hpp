#pragma once
// Which rows are held out when: folds, their training sets, and growing training sets.

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/core/rng.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

using RowList = std::vector<std::uint32_t>;  ///< of a table, ascending unless said otherwise

/// The rows that have a target value.
RowList rows_with_target(const Table& table);

/// The rows dealt to k folds at random, so that sizes differ by one at most, and for a label target the rows of each label too. With k =
/// rows.size() each row is a fold of its own, in order. E-PARAMETER unless 2 ≤ k ≤ rows.size().
Result<std::vector<RowList>> make_folds(const Table& table, const RowList& rows, std::size_t k, Rng rng);

/// The rows that are not in the fold; both ascending.
RowList rows_without(const RowList& rows, const RowList& fold);

/// The rows in a random order whose every beginning has the labels of a label target in about the shares of the whole.
RowList growing_order(const Table& table, const RowList& rows, Rng rng);

}  // namespace credence::rt
