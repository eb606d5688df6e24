#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_trees(lang::Registry&) {}

}  // namespace credence::std_
