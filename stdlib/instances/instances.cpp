// Learning from instances: neighbours, local regression, radial basis functions.

#include "stdlib/instances/options.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_instances(lang::Registry& r) {
    add_neighbours(r);
    add_local(r);
}

}  // namespace credence::std_
