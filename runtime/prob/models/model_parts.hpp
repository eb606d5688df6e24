#pragma once
// Parts that models show: tables with a column of names and columns of numbers, and single figures.

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/prob/model.hpp"

namespace credence::rt {

/// A table of results, column by column. Columns of one table have the same length.
class PartTable {
public:
    PartTable& names(std::string column, std::span<const std::string> cells);
    PartTable& names(std::string column, const Domain& labels);
    PartTable& numbers(std::string column, std::span<const double> cells);  ///< NaN: a missing cell
    PartTable& numbers(std::string column, std::span<const Number> cells);
    ModelPart part(std::string name, bool only_in_summary = false) &&;

private:
    std::vector<ColumnPtr> columns_;
};

ModelPart figure(std::string name, double value, bool only_in_summary = false);
ModelPart count_part(std::string name, std::size_t value, bool only_in_summary = false);
ModelPart words_part(std::string name, std::string text, bool only_in_summary = false);

/// A distribution over one variable, as a factor of exact numbers or of doubles.
Factor factor_over(std::string name, const DomainPtr& domain, std::span<const Number> values);

/// "1", "2", …: names of components and clusters.
std::vector<std::string> numbered(std::size_t count);

}  // namespace credence::rt
