#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_margins(lang::Registry&) {}

}  // namespace credence::std_
