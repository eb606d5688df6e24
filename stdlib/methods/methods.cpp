// What `by` may name, by kind of model: the records of engines and training methods.

#include "lang/builtin/registry.hpp"
#include "runtime/continuous/ask.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/prob/learning/training_methods.hpp"
#include "runtime/prob/models/empirical.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

void add_methods(lang::Registry& r) {
    using lang::MethodUse;
    const std::vector<rt::MethodInfo> listed{rt::exact_engine, rt::enumeration_engine};
    r.add_methods(MethodUse::answering, "nets", rt::net_engine_methods());
    r.add_methods(MethodUse::answering, "nets with real-valued nodes", rt::continuous::engine_methods());
    r.add_methods(MethodUse::answering, "undirected models", rt::markov_engine_methods());
    r.add_methods(MethodUse::answering, "hypothesis spaces", listed);
    r.add_methods(MethodUse::answering, "mixtures", listed);
    r.add_methods(MethodUse::answering, "tables", rt::table_engines());
    for (const auto* models : {"mixtures", "hidden Markov models", "grammars"})
        r.add_methods(MethodUse::training, models, rt::training_methods_of_parts());
    r.add_methods(MethodUse::training, "nets with real-valued nodes", rt::training_methods_of_real_net());
    r.add_methods(MethodUse::training, "nets", rt::training_methods_of_net());
}

}  // namespace credence::std_
