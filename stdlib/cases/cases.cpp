#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_cases(lang::Registry&) {}

}  // namespace credence::std_
