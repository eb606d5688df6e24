#pragma once
// Rows and columns of tables as values.

#include "lang/value/value.hpp"

namespace credence::lang {

Value cell_value(const rt::Column& column, std::size_t row);  ///< ? where it is missing
Value column_value(const rt::Column& column);                 ///< a list
Value row_value(const rt::Table& table, std::size_t row);     ///< a record by column

}  // namespace credence::lang
