#include "runtime/data/table_parcel.hpp"

namespace credence::rt {

namespace {

/// The same for packing and unpacking: visit gets each member.
template <class SomeColumn, class Visit>
void each_member(SomeColumn& column, Visit&& visit) {
    visit(column.name);
    visit(column.kind);
    visit(column.domain);
    visit(column.codes);
    visit(column.values);
    visit(column.exact);
    visit(column.real);
}

}  // namespace

void pack(Parcel& out, const TablePtr& table) {
    out.put(table->columns.size()).put(table->target).put(table->row_count);
    for (const auto& column : table->columns) each_member(*column, [&](const auto& member) { out.put(member); });
}

void unpack(ParcelReader& in, TablePtr& table) {
    auto out = std::make_shared<Table>();
    std::size_t columns = 0;
    in.get(columns).get(out->target).get(out->row_count);
    for (std::size_t c = 0; c < columns; ++c) {
        auto column = std::make_shared<Column>();
        each_member(*column, [&](auto& member) { in.get(member); });
        out->columns.push_back(std::move(column));
    }
    table = std::move(out);
}

}  // namespace credence::rt
