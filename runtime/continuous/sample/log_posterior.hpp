#pragma once
// The log density of a query's unobserved numbers given its evidence, on an unbounded scale and with the discrete variables summed out:
// what the sampler moves on.

#include <set>

#include "runtime/continuous/exact/exact.hpp"
#include "runtime/continuous/sample/label_elimination.hpp"

namespace credence::rt::continuous {

/// How the density is written down; it is the same density.
struct DensityForm {
    /// Densities that differ in their data alone are one operation, and no observation has a density of its own.
    bool together = true;
    /// A number drawn from normal(m, s) with an s that is not known is moved as z in m + s · z, but for these instances.
    bool scaled = false;
    std::set<std::size_t> centred = {};
    /// With the slopes of the numbers along the unbounded scale it is a density there; without, it is highest where the density of the
    /// numbers themselves is.
    bool slopes = true;
};

struct LogPosterior {
    const Unrolled* problem = nullptr;
    std::vector<bool> core;  ///< by instance: evidence depends on it. The others are drawn after their parents.
    /// Numbers outside the core of which the evidence says where they lie: its probability is a factor, and they are drawn from there.
    std::map<std::size_t, Region> regions;
    std::vector<VarId> numbers;  ///< latent numbers of the core: the inputs
    std::vector<Tape::Node> x;   ///< their values
    /// An instance that was observed, and ln of its density or probability given the numbers; nothing if a hidden label joins it with
    /// other observations.
    struct Observation {
        std::size_t instance = 0;
        std::optional<Tape::Node> log_density = std::nullopt;
    };
    std::vector<Observation> observations;
    std::vector<LabelStep> labels;  ///< discrete variables, in the order in which they were summed out
    /// The places in `numbers` of those that could be moved as z in m + s · z, or are.
    std::vector<std::size_t> with_spread;
    DensityForm form;
    Tape tape;
    Tape::Node output = 0;
};

Result<LogPosterior> log_posterior(const Unrolled& problem, const Run& run, const DensityForm& form = {});

}  // namespace credence::rt::continuous
