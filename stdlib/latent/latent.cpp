#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_latent(lang::Registry&) {}

}  // namespace credence::std_
