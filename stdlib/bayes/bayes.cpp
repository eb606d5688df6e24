#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_bayes(lang::Registry&) {}

}  // namespace credence::std_
