#include "stdlib/stdlib.hpp"

namespace credence::std_ {

lang::Registry make_registry() {
    lang::Registry registry;
    add_lists(registry);
    add_numbers(registry);
    add_text(registry);
    add_statistics(registry);
    add_distributions(registry);
    add_factors(registry);
    add_tables(registry);
    add_table_files(registry);
    add_nets(registry);
    for (auto& prelude : embedded_preludes()) registry.add_prelude(std::move(prelude));
    return registry;
}

}  // namespace credence::std_
