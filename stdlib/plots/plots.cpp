#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_plots(lang::Registry&) {}

}  // namespace credence::std_
