#include "runtime/data/table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>

namespace credence::rt {

Result<ColumnPtr> ColumnBuilder::numeric() && {
    auto column = std::make_shared<Column>();
    column->kind = ColumnKind::numeric;
    column->values.reserve(cells_.size());
    bool decimals_suffice = true;
    for (std::size_t row = 0; row < cells_.size(); ++row) {
        const auto& cell = cells_[row];
        if (!cell) {
            column->values.push_back(missing_value);
            continue;
        }
        if (!cell->is_number()) {
            return Fault{.code = "E-TABLE",
                         .message = "'" + cell->text() + "' in column '" + name_ + "' is not a number",
                         .hint = "leave out the type of '" + name_ + "', or make it a label"};
        }
        const Number& number = *cell->number();
        const double value = number.real();
        if (!std::isfinite(value) && range_ == Range::finite)
            return Fault{.code = "E-TABLE",
                         .message = "row " + std::to_string(row + 1) + " of column '" + name_ + "' is " + std::string(out_of_range)};
        column->values.push_back(value);
        column->real = column->real || !number.is_exact();
        if (number.is_exact() && decimals_suffice)
            decimals_suffice = std::isfinite(value) && Rational::from_decimal(value) == number.exact();
    }
    // one double among the cells ends exactness for all of them: a column is shown in one way
    if (!decimals_suffice && !column->real) {
        column->exact.reserve(cells_.size());
        for (const auto& cell : cells_) column->exact.push_back(cell ? cell->number()->exact() : Rational());
    }
    column->name = std::move(name_);
    return ColumnPtr(std::move(column));
}

namespace {

ColumnPtr label_column(std::string name, const std::vector<std::optional<Label>>& cells) {
    auto column = std::make_shared<Column>();
    column->name = std::move(name);
    column->codes.reserve(cells.size());
    std::vector<Label> labels;
    std::unordered_map<std::string_view, std::int32_t> code_of;  // views of the cells, which outlive it
    for (const auto& cell : cells) {
        if (!cell) {
            column->codes.push_back(-1);
            continue;
        }
        const auto [found, is_new] = code_of.try_emplace(cell->text(), static_cast<std::int32_t>(labels.size()));
        if (is_new) labels.push_back(*cell);
        column->codes.push_back(found->second);
    }
    column->domain = make_domain(std::move(labels));
    return column;
}

}  // namespace

bool Column::is_missing(std::size_t row) const { return kind == ColumnKind::label ? codes[row] < 0 : std::isnan(values[row]); }

Number Column::number(std::size_t row) const {
    assert(kind == ColumnKind::numeric && !is_missing(row));
    if (real) return Number::real(values[row]);
    return exact.empty() ? Rational::from_decimal(values[row]) : exact[row];
}

Label Column::label(std::size_t row) const {
    assert(!is_missing(row));
    return kind == ColumnKind::label ? (*domain)[static_cast<std::size_t>(codes[row])] : Label::of_number(number(row));
}

std::size_t Column::missing_count() const {
    const auto count = kind == ColumnKind::label
                           ? std::count_if(codes.begin(), codes.end(), [](std::int32_t code) { return code < 0; })
                           : std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    return static_cast<std::size_t>(count);
}

std::optional<std::size_t> Table::find(std::string_view column) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i]->name == column) return i;
    return std::nullopt;
}

ColumnBuilder::ColumnBuilder(std::string name, Range range) : name_(std::move(name)), range_(range) {}

void ColumnBuilder::add(const Label& cell) { cells_.emplace_back(cell); }

void ColumnBuilder::add_missing() { cells_.emplace_back(); }

Result<ColumnPtr> ColumnBuilder::finish(std::optional<ColumnKind> force) && {
    ColumnKind kind = ColumnKind::label;
    if (force) {
        kind = *force;
    } else {
        const bool all_numbers = std::all_of(cells_.begin(), cells_.end(), [](const auto& cell) { return !cell || cell->is_number(); });
        const bool any_present = std::any_of(cells_.begin(), cells_.end(), [](const auto& cell) { return cell.has_value(); });
        if (all_numbers && any_present) kind = ColumnKind::numeric;
    }
    if (kind == ColumnKind::numeric) return std::move(*this).numeric();
    return label_column(std::move(name_), cells_);
}

}  // namespace credence::rt
