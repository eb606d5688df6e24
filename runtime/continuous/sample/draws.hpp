#pragma once
// Draws of all the variables of a query given its evidence: by the No-U-Turn sampler where numbers have to be found, and otherwise each
// variable after its parents.

#include <optional>
#include <string>
#include <vector>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/sample/diagnostics.hpp"
#include "runtime/continuous/sample/kept_chains.hpp"
#include "runtime/continuous/sample/log_posterior.hpp"
#include "runtime/prob/terms/term_evaluation.hpp"

namespace credence::rt::continuous {

struct Draws {
    const Unrolled* problem = nullptr;
    std::size_t count = 0;
    std::size_t chains = 1;
    std::vector<double> values;  ///< row by row: a number, or the position of a label, for each instance
    /// "nuts", "laplace", "variational", "exact" (independent draws), or "forward" where nothing but parents was needed.
    std::string engine;
    std::size_t divergences = 0;
    std::size_t longest = 0;
    std::size_t leapfrogs = 0;
    /// A chain that stayed in a much less probable mode than the best one, and ln of how much less.
    std::optional<std::size_t> lesser_chain = std::nullopt;
    std::size_t best_chain = 0;
    double log_gap = 0;
    double worst_r_hat = 1;  ///< over the sampled numbers
    double least_effective = 0;
    double least_tail_effective = 0;
    double least_energy_fraction = 1;  ///< over the chains: E-BFMI
    double target = 0.9;
    bool approximate = false;     ///< from a normal approximation
    double pareto_k = 0;          ///< then: the tail of the importance weights,
    double effective = 0;         ///< and what all draws are worth
    bool kept_before = false;     ///< an earlier query has drawn these chains
    std::size_t with_spread = 0;  ///< numbers drawn from normal(m, s) with an s that is not known
    std::size_t scaled = 0;       ///< of these, moved as z in m + s · z

    std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * problem->instances.size(), problem->instances.size());
    }
    /// A term over instances, draw by draw.
    std::vector<double> of(const Term& term) const;
    Label label(std::size_t draw, VarId instance) const;
};

/// In a row: a number, or the position of a label; 0 if it was not observed.
double observed_value(const Instance& instance);
double term_in(const Unrolled& problem, const Term& term, std::span<const double> row);
/// Terms in a row that is being filled, each variable before the terms with it.
TermEvaluation terms_in(const Unrolled& problem, std::span<const double> row);
/// One variable after its parents, into the row; in the region where the evidence says that it is.
Status draw_forward(const Unrolled& problem, std::size_t i, const Region* region, std::span<double> row, TermEvaluation& terms, Rng& rng);

/// Which draws meet the evidence that the sampler could not follow; E-ZERO if none does.
Result<std::vector<char>> draws_kept(const Draws& draws, const Query& query);

/// ln of the density of each observation given the numbers, for the draws that draw() gives.
struct ObservedDensities {
    std::vector<std::size_t> instances;
    std::vector<std::vector<double>> logs;  ///< by observation
};
Result<ObservedDensities> observed_densities(const Unrolled& problem, const SamplerOptions& options, const Run& run);

/// The chains on the unbounded scale: those that an earlier query drew, or new ones of that length.
Result<KeptChains::ChainsPtr> chains_of(const LogPosterior& target, const SamplerOptions& options, std::size_t length, const Run& run,
                                        bool* kept_before = nullptr);

/// `independent`: from the posterior itself where it has a closed form.
enum class Prefer { chains, independent };
Result<Draws> draw(const Unrolled& problem, const SamplerOptions& options, Run& run, Prefer prefer = Prefer::chains);

}  // namespace credence::rt::continuous
