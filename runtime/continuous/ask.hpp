#pragma once
// Queries on nets with real-valued nodes: which way they are answered.

#include "runtime/continuous/exact/exact.hpp"

namespace credence::rt::continuous {

/// Chains, or independent draws from a normal approximation on the unbounded scale: one "chain" without warm-up.
enum class Sampler { nuts, laplace, mean_field, full_rank };
std::string_view sampler_name(Sampler sampler);

/// How many draws, and of what kind; from `by nuts(n, warmup: …, chains: …)`.
struct SamplerOptions {
    std::size_t draws = 4000;   ///< kept, over all chains
    std::size_t warmup = 1000;  ///< of each chain
    std::size_t chains = 4;
    double target = 0.9;  ///< acceptance rate that the steps aim at
    Sampler sampler = Sampler::nuts;
    friend bool operator==(const SamplerOptions&, const SamplerOptions&) = default;
};

std::vector<MethodInfo> engine_methods();

/// What `by` allows. Left out, everything; named, that alone.
struct Choice {
    Allowed allowed;
    bool exact = true;
    bool draws = true;
    bool peak = false;  ///< the most probable point alone
    SamplerOptions sampler;
};
Choice choice_of(const Query& query, const Run& run);

Result<Answer> ask(const Expanded& net, const Query& query, Run& run);
Result<Answer> ask_expectation(const Expanded& net, const Term& term, const Query& query, Run& run);
Result<Derivation> explain(const Expanded& net, const Query& query, const Answer& answer, Run& run);

/// The declared net with the posterior given the rows in the place of its priors; E-TRAIN if that is another kind of net.
Result<ContinuousNet> updated(const Expanded& net, ContinuousNet declared, const TableView& rows, std::span<const double> row_weights,
                              const Run& run);

// --- the probability or density of data (data_probability.cpp)
bool asks_for_data(const Query& query);  ///< a list, counts or a table among the targets
/// P(X = a, Y = b | …): of values alone, and no table. The evidence with them over that without may be in reach of the exact engines where
/// the values, all of them, are not.
bool asks_for_values(const Query& query, const Expanded& net);
Attempt<Answer> ask_for_values(const Expanded& net, const Query& query, const Choice& choice, Run& run);
Result<Answer> ask_for_data(const Expanded& net, const Query& query, const Choice& choice, Run& run);
Result<Derivation> explain_data(const Expanded& net, const Query& query, const Answer& answer, const Choice& choice, Run& run);

// --- by draws (sampled.cpp)
Result<Answer> ask_by_draws(const Unrolled& problem, const Query& query, const SamplerOptions& options, Run& run);
Result<Answer> expectation_by_draws(const Unrolled& problem, const Term& term, const Query& query, const SamplerOptions& options, Run& run);
/// Estimates at the most probable point, with standard errors from the curvature there (map.cpp).
Result<Answer> ask_by_map(const Unrolled& problem, const Query& query, Run& run);
Result<Answer> expectation_by_map(const Unrolled& problem, const Term& term, const Query& query, Run& run);
/// ln of the probability or density of a query's evidence: exact where an engine integrates it, else by bridge sampling.
Result<LogEvidence> log_evidence(const Expanded& net, const Query& query, Run& run);
/// The observations of the query's evidence drawn again, for n draws of the posterior: a table with a column for each.
Result<TablePtr> replicate(const Expanded& net, std::size_t n, const Query& query, Run& run);
/// By draws of NUTS, each observation given the numbers that were drawn.
Result<PointwiseLikelihood> pointwise_likelihood(const Expanded& net, const Query& query, Run& run);
/// n rows over all variables of the model that are not `next`, under the evidence.
Result<TablePtr> draw_table(const Expanded& net, std::size_t n, const Clause& given, Run& run);

}  // namespace credence::rt::continuous
