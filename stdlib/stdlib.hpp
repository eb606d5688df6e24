#pragma once
// What scripts can name: one folder a subject, each with the signatures and, where it is simplest, a part in the language itself.

#include "lang/builtin/registry.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

/// Everything, preludes included. Built once by the program; sessions share it.
lang::Registry make_registry();

void add_lists(lang::Registry& registry);
void add_numbers(lang::Registry& registry);
void add_text(lang::Registry& registry);
void add_statistics(lang::Registry& registry);
void add_methods(lang::Registry& registry);
void add_distributions(lang::Registry& registry);
void add_factors(lang::Registry& registry);
void add_tables(lang::Registry& registry);
void add_table_files(lang::Registry& registry);
void add_nets(lang::Registry& registry);
void add_posteriors(lang::Registry& registry);
void add_learning(lang::Registry& registry);
void add_pipelines(lang::Registry& registry);
void add_pipeline_files(lang::Registry& registry);
void add_model_files(lang::Registry& registry);
void add_judging(lang::Registry& registry);
void add_plots(lang::Registry& registry);
void add_net_files(lang::Registry& registry);
void add_net_learning(lang::Registry& registry);
void add_concepts(lang::Registry& registry);
void add_bayes(lang::Registry& registry);
void add_trees(lang::Registry& registry);
void add_ensembles(lang::Registry& registry);
void add_features(lang::Registry& registry);
void add_pca(lang::Registry& registry);
void add_gradient(lang::Registry& registry);
void add_neural(lang::Registry& registry);
void add_margins(lang::Registry& registry);
void add_instances(lang::Registry& registry);
void add_cases(lang::Registry& registry);
void add_latent(lang::Registry& registry);
void add_sequences(lang::Registry& registry);
void add_regression(lang::Registry& registry);

/// The .cred files of the library, embedded by the build.
std::vector<lang::Prelude> embedded_preludes();

}  // namespace credence::std_
