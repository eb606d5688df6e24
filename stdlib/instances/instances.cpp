#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_instances(lang::Registry&) {}

}  // namespace credence::std_
