#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_net_learning(lang::Registry&) {}

}  // namespace credence::std_
