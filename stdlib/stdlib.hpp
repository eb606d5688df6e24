#pragma once
// What scripts can name: one folder a subject, each with the signatures and, where it is simplest, a part in the language itself.

#include "lang/builtin/registry.hpp"

namespace credence::std_ {

/// Everything, preludes included. Built once by the program; sessions share it.
lang::Registry make_registry();

void add_lists(lang::Registry& registry);
void add_numbers(lang::Registry& registry);
void add_text(lang::Registry& registry);
void add_statistics(lang::Registry& registry);
void add_distributions(lang::Registry& registry);
void add_factors(lang::Registry& registry);
void add_tables(lang::Registry& registry);
void add_table_files(lang::Registry& registry);
void add_nets(lang::Registry& registry);

/// The .cred files of the library, embedded by the build.
std::vector<lang::Prelude> embedded_preludes();

}  // namespace credence::std_
