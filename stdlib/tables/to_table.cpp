// Tables made of values of the script: of records, one for each row, or of lists, one for each column.

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/data/table_ops.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/tables/to_table.hpp"

namespace credence::std_ {

rt::Status add_cell(rt::ColumnBuilder& column, const Value* cell, std::string_view found, rt::Origin origin) {
    if (!cell || cell->is<AnyMark>()) {
        column.add_missing();
        return rt::Done{};
    }
    const auto label = cell->as_label();
    if (!label)
        return rt::Fault{
            .code = "E-TYPE", .message = fmt::format("a cell is a number or a label, and {} {}", found, cell->kind()), .origin = origin};
    column.add(*label);
    return rt::Done{};
}

namespace {

using rt::TablePtr;

Result<rt::ColumnPtr> column_of(rt::Origin origin, const std::string& name, std::span<const Value* const> cells) {
    rt::ColumnBuilder column(name);
    for (const Value* cell : cells) TRY(add_cell(column, cell, name + " holds", origin));
    return std::move(column).finish();
}

Result<TablePtr> from_columns(CallContext& c, const Record& columns) {
    auto table = std::make_shared<rt::Table>();
    for (const auto& [name, value] : columns.entries) {
        const List* items = value.items();
        if (!items)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("to_table takes a list for each column, and {} is {}", name, value.kind()),
                         .origin = c.argument(0)};
        if (!table->columns.empty() && items->size() != table->row_count)
            return Fault{
                .code = "E-TABLE",
                .message = fmt::format("{} has {} cells, {} has {}", table->columns[0]->name, table->row_count, name, items->size()),
                .origin = c.argument(0),
                .hint = "all columns must have the same number of cells; write ? for a missing one"};
        table->row_count = items->size();
        std::vector<const Value*> cells;
        for (const auto& item : *items) cells.push_back(&item);
        auto column = TRY(column_of(c.argument(0), name, cells));
        table->columns.push_back(std::move(column));
    }
    return TablePtr(std::move(table));
}

Result<Value> with_its_target(CallContext& c, Result<TablePtr> table, const std::optional<ColumnName>& target) {
    if (table && target) {
        table = rt::with_target(**table, target->text);
        if (!table) {
            Fault fault = std::move(table).fault();
            fault.origin = c.argument(1);
            return fault;
        }
    }
    if (!table) return std::move(table).fault();
    return Value(Value::Node(*std::move(table)));
}

}  // namespace

Result<TablePtr> table_of_records(const List& rows, rt::Origin origin) {
    std::vector<std::string> names;
    for (const auto& row : rows) {
        const auto* record = row.get<RecordPtr>();
        if (!record)
            return Fault{
                .code = "E-TYPE", .message = fmt::format("to_table takes a list of records, found {} in it", row.kind()), .origin = origin};
        for (const auto& [key, value] : (*record)->entries)
            if (!rt::contains(names, key)) names.push_back(key);
    }
    auto table = std::make_shared<rt::Table>();
    table->row_count = rows.size();
    for (const auto& name : names) {
        std::vector<const Value*> cells;
        for (const auto& row : rows) cells.push_back((*row.get<RecordPtr>())->find(name));
        auto column = TRY(column_of(origin, name, cells));
        table->columns.push_back(std::move(column));
    }
    return TablePtr(std::move(table));
}

void add_table_making(Registry& r) {
    using V = Value;
    r.add(bind(
        {"tables",
         "to_table",
         {{"records"}, {"target", "none"}},
         "A table from a list of records, with one row for each record and one column for each key.",
         "rows(to_table([{x: 1, c: \"red\"}, {x: 2, c: \"blue\"}])) == 2"},
        +[](CallContext& c, Items records, std::optional<ColumnName> target) -> Result<V> {
            return with_its_target(c, table_of_records(*records.items, c.argument(0)), target);
        }));
    r.add(bind(
        {"tables",
         "to_table",
         {{"columns"}, {"target", "none"}},
         "A table from a record of columns, each a list.",
         "to_table({x: 1..3, y: [2, 4, 6]}, target: y)[3].y == 6"},
        +[](CallContext& c, RecordPtr columns, std::optional<ColumnName> target) -> Result<V> {
            return with_its_target(c, from_columns(c, *columns), target);
        }));
}

}  // namespace credence::std_
