#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_features(lang::Registry&) {}

}  // namespace credence::std_
