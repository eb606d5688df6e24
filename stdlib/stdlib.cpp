#include "stdlib/stdlib.hpp"

namespace credence::std_ {

lang::Registry make_registry() {
    lang::Registry registry;
    add_tables(registry);  // before the lists: a table is also a list of its rows
    add_lists(registry);
    add_numbers(registry);
    add_text(registry);
    add_statistics(registry);
    add_distributions(registry);
    add_factors(registry);
    add_table_files(registry);
    add_nets(registry);
    for (auto& prelude : embedded_preludes()) registry.add_prelude(std::move(prelude));
    return registry;
}

}  // namespace credence::std_
