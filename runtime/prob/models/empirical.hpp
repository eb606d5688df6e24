#pragma once
// A table as a model: its empirical frequencies, exact.

#include "runtime/data/table.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

/// Variables are the columns. A label column's domain is its own; a numeric column that is asked for free has its
/// distinct values in ascending order. Rows with a missing cell in a column that the query names are left out, and a note gives their
/// number.
/// `times`: how often each row stands for one; none: once. Derivations are of tables without.
ModelPtr make_empirical_model(TablePtr table, std::vector<std::int64_t> times = {});
std::vector<MethodInfo> table_engines();

}  // namespace credence::rt
