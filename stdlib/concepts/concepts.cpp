#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_concepts(lang::Registry&) {}

}  // namespace credence::std_
