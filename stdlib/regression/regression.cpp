#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_regression(lang::Registry&) {}

}  // namespace credence::std_
