#pragma once
// Queries on nets with real-valued nodes: which way they are answered.

#include "runtime/continuous/exact/exact.hpp"

namespace credence::rt::continuous {

/// How many draws, and of what kind; from `by nuts(n, warmup: …, chains: …)`.
struct SamplerOptions {
    std::size_t draws = 4000;   ///< kept, over all chains
    std::size_t warmup = 1000;  ///< of each chain
    std::size_t chains = 4;
    double target = 0.9;   ///< acceptance rate that the steps aim at
    bool laplace = false;  ///< from a normal approximation, in one "chain" without warm-up
    friend bool operator==(const SamplerOptions&, const SamplerOptions&) = default;
};

std::vector<MethodInfo> engine_methods();

/// What `by` allows. Left out, everything; named, that alone.
struct Choice {
    Allowed allowed;
    bool exact = true;
    bool draws = true;
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
Result<Answer> ask_for_data(const Expanded& net, const Query& query, const Choice& choice, Run& run);
Result<Derivation> explain_data(const Expanded& net, const Query& query, const Answer& answer, const Choice& choice, Run& run);

// --- by draws (sampled.cpp)
Result<Answer> ask_by_draws(const Unrolled& problem, const Query& query, const SamplerOptions& options, Run& run);
Result<Answer> expectation_by_draws(const Unrolled& problem, const Term& term, const Query& query, const SamplerOptions& options, Run& run);
/// By draws of NUTS, each observation given the numbers that were drawn.
Result<PointwiseLikelihood> pointwise_likelihood(const Expanded& net, const Query& query, Run& run);
/// n rows over all variables of the model that are not `next`, under the evidence.
Result<TablePtr> draw_table(const Expanded& net, std::size_t n, const Clause& given, Run& run);

}  // namespace credence::rt::continuous
