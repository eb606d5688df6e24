#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_sequences(lang::Registry&) {}

}  // namespace credence::std_
