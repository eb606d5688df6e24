#include "runtime/prob/models/sampled_column.hpp"

#include <algorithm>

namespace credence::rt {

ColumnPtr column_of_values(const Variable& variable, std::span<const std::uint32_t> values) {
    const auto& labels = variable.domain->labels();
    Column out;
    out.name = variable.name;
    if (!std::all_of(labels.begin(), labels.end(), [](const Label& label) { return label.is_number(); })) {
        out.kind = ColumnKind::label;
        out.domain = variable.domain;
        out.codes.assign(values.begin(), values.end());
        return std::make_shared<const Column>(std::move(out));
    }
    out.kind = ColumnKind::numeric;
    bool decimals_suffice = true;
    for (const auto& label : labels) {
        const Number& number = *label.number();
        if (!number.is_exact())
            out.real = true;
        else if (number.exact() != Rational::from_decimal(number.real()))
            decimals_suffice = false;
    }
    for (const auto value : values) {
        out.values.push_back(labels[value].number()->real());
        if (!decimals_suffice && !out.real) out.exact.push_back(labels[value].number()->exact());
    }
    return std::make_shared<const Column>(std::move(out));
}

TablePtr table_of_columns(std::vector<ColumnPtr> columns, std::size_t rows) {
    Table out;
    out.columns = std::move(columns);
    out.row_count = rows;
    return std::make_shared<const Table>(std::move(out));
}

}  // namespace credence::rt
