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
    add_methods(registry);
    add_factors(registry);
    add_table_files(registry);
    add_nets(registry);
    add_posteriors(registry);
    add_learning(registry);
    add_pipelines(registry);
    add_model_files(registry);
    add_judging(registry);
    add_plots(registry);
    add_net_files(registry);
    add_net_learning(registry);
    add_concepts(registry);
    add_bayes(registry);
    add_trees(registry);
    add_ensembles(registry);
    add_features(registry);
    add_pca(registry);
    add_gradient(registry);
    add_neural(registry);
    add_margins(registry);
    add_instances(registry);
    add_cases(registry);
    add_latent(registry);
    add_sequences(registry);
    add_regression(registry);
    add_pipeline_files(registry);  // which hold models of any kind above
    for (auto& prelude : embedded_preludes()) registry.add_prelude(std::move(prelude));
    return registry;
}

}  // namespace credence::std_
