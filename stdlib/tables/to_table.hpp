#pragma once
// Tables made of values of the script.

#include "lang/value/value.hpp"

namespace credence::lang {
class Registry;
}

namespace credence::std_ {

/// The columns in the order in which the records name them; ? or no entry: missing.
rt::Result<rt::TablePtr> table_of_records(const lang::List& rows, rt::Origin origin);

void add_table_making(lang::Registry& registry);

}  // namespace credence::std_
