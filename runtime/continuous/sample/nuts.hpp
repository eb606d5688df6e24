#pragma once
// The No-U-Turn sampler: Hoffman & Gelman (2014), with multinomial choice along the trajectory and the generalised criterion of
// Betancourt, "A conceptual introduction to Hamiltonian Monte Carlo" (2017), as in Stan: dual averaging of the step size towards an
// acceptance rate, and a mass matrix estimated in windows of growing length during warm-up. It is diagonal, or dense where the numbers
// depend on each other so much that this pays.

#include <functional>
#include <span>
#include <vector>

#include "runtime/core/result.hpp"
#include "runtime/core/rng.hpp"

namespace credence::rt::continuous {

/// ln of the density at x, not normalised, and its gradient. Called from one thread at a time for one chain.
using LogGradient = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct NutsOptions {
    std::size_t warmup = 1000;
    std::size_t draws = 1000;
    double target = 0.9;  ///< acceptance rate the step size aims at
    int most_doublings = 10;
    std::size_t operations = 0;  ///< of one gradient, roughly: what a dense mass matrix has to be weighed against
};

/// What several chains are worth together, over the numbers that they moved.
struct ChainFigures {
    double worst_r_hat = 1;
    double least_effective = 0;
    double least_tail_effective = 0;
};

struct NutsChain {
    std::vector<double> draws;  ///< row by row, `dimension` each
    std::size_t divergences = 0;
    std::size_t leapfrogs = 0;
    std::size_t longest = 0;  ///< trajectories cut off at the greatest length
    double step = 0;
    double mean_log_density = 0;  ///< over the draws, not normalised
    bool dense = false;           ///< the mass matrix
    /// The energy Bayesian fraction of missing information (Betancourt 2016): how far one draw of the momentum moves through the energies.
    /// Below 0.3 the tails are hardly reached. 1 if there are too few draws to judge.
    double energy_fraction = 1;
    double pareto_k = 0;         ///< of an approximation: the tail of its importance weights
    double effective = 0;        ///< and what its draws are worth
    ChainFigures together = {};  ///< in the first of several chains: of all of them

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.draws);
        visit(self.divergences);
        visit(self.leapfrogs);
        visit(self.longest);
        visit(self.step);
        visit(self.mean_log_density);
        visit(self.dense);
        visit(self.energy_fraction);
        visit(self.pareto_k);
        visit(self.effective);
    }
};

/// Nothing if no starting point with a finite density was found in a hundred tries. `stopped` is asked once a draw.
std::optional<NutsChain> run_nuts(std::size_t dimension, const LogGradient& target, const NutsOptions& options, Rng rng,
                                  const std::function<bool()>& stopped);

}  // namespace credence::rt::continuous
