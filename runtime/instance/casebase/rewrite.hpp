#pragma once
// Rewrite rules on function graphs: goals with the same meaning in more influences.

#include <string>
#include <vector>

#include "runtime/core/function_graph.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Wherever `from` is found, `to` may replace it. Quantities of one name are the same in both; those that only `to` has are new.
struct RewriteRule {
    FunctionGraph from;
    FunctionGraph to;
};

/// A goal after some rewriting, with what became of each influence.
struct Elaboration {
    FunctionGraph graph;
    std::vector<std::vector<std::size_t>> origins;  ///< of each influence: those of the goal it stands for
    std::vector<std::string> steps;                 ///< "A ->+ B into A ->+ x; x ->+ B", one an application
};

/// The goal itself and what up to `steps` applications make of it, each graph once, fewer applications first. E-COST beyond 500 graphs.
Result<std::vector<Elaboration>> elaborations(const FunctionGraph& goal, const std::vector<RewriteRule>& rules, std::size_t steps,
                                              Run& run);

/// A ->s B into A ->s1 x ->s2 B with s = s1 s2: the four rules of that form.
std::vector<RewriteRule> chain_rules();

}  // namespace credence::rt
