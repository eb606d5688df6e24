#include "stdlib/latent/latent.hpp"

#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_latent(lang::Registry& r) {
    add_mixtures(r);
    add_clusters(r);
}

}  // namespace credence::std_
