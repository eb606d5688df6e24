#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_gradient(lang::Registry&) {}

}  // namespace credence::std_
