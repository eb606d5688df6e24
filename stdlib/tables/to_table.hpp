#pragma once
// Tables made of values of the script.

#include "lang/value/value.hpp"

namespace credence::lang {
class Registry;
}

namespace credence::rt {
class ColumnBuilder;
}

namespace credence::std_ {

/// A number, a label, or a missing cell (? or null). `found`: how a message about any other value begins, as in "x holds a list".
rt::Status add_cell(rt::ColumnBuilder& column, const lang::Value* cell, std::string_view found, rt::Origin origin);

/// The columns in the order in which the records name them; ? or no entry: missing.
rt::Result<rt::TablePtr> table_of_records(const lang::List& rows, rt::Origin origin);

void add_table_making(lang::Registry& registry);

}  // namespace credence::std_
