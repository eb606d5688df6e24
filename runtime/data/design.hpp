#pragma once
// Columns as numbers, for learners that compute: a numeric column is itself, a label column becomes 0/1 indicators.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

enum class Coding {
    reference,  ///< one indicator a label but the first declared: with an intercept, nothing is redundant
    full,       ///< one indicator for each label; a two-valued column has only one, for its last label
};

/// One column of numbers in the making.
struct DesignTerm {
    std::size_t column = 0;   ///< of the features
    std::int32_t label = -1;  ///< the label it indicates; −1: the number itself
    std::string name;         ///< "x", or "Colour=red" as `encode` names it
};

/// `features`: the columns of a table but its target, in order (or a table aligned to a model's schema).
std::vector<DesignTerm> design_terms(std::span<const ColumnPtr> features, Coding coding);

/// Rows × terms. A missing cell is NaN in every term of its column. `ones`: so many columns of 1 come first (an intercept).
Matrix design_matrix(std::span<const ColumnPtr> features, std::span<const DesignTerm> terms, const TableView& rows, std::size_t ones = 0);

/// The columns of a table but its target.
std::vector<ColumnPtr> feature_columns(const Table& table);

/// Positions in the view of the rows that have no missing cell in these columns.
std::vector<std::uint32_t> complete_rows(std::span<const ColumnPtr> columns, const TableView& rows);

}  // namespace credence::rt
