#include "lang/value/table_value.hpp"

namespace credence::lang {

Value cell_value(const rt::Column& column, std::size_t row) {
    if (column.is_missing(row)) return Value(Value::Node(AnyMark{}));
    if (column.kind == rt::ColumnKind::numeric) return Value(column.number(row));
    return Value::label(column.label(row));
}

Value column_value(const rt::Column& column) {
    List out;
    out.reserve(column.rows());
    for (std::size_t r = 0; r < column.rows(); ++r) out.push_back(cell_value(column, r));
    return Value::list(std::move(out));
}

Value row_value(const rt::Table& table, std::size_t row) {
    Record out;
    for (const auto& column : table.columns) out.entries.emplace_back(column->name, cell_value(*column, row));
    out.row = row + 1;
    return Value::record(std::move(out));
}

}  // namespace credence::lang
