#pragma once
// Tables made of values of the script.

namespace credence::lang {
class Registry;
}

namespace credence::std_ {

void add_table_making(lang::Registry& registry);

}  // namespace credence::std_
