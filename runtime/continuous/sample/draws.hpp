#pragma once
// Draws of all the variables of a query given its evidence: by the No-U-Turn sampler where numbers have to be found, and otherwise each
// variable after its parents.

#include <string>
#include <vector>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/sample/diagnostics.hpp"

namespace credence::rt::continuous {

struct Draws {
    const Unrolled* problem = nullptr;
    std::size_t count = 0;
    std::size_t chains = 1;
    std::vector<double> values;  ///< row by row: a number, or the position of a label, for each instance
    std::string engine;          ///< "nuts", or "forward" where nothing but parents was needed
    std::size_t divergences = 0;
    std::size_t longest = 0;
    std::size_t leapfrogs = 0;
    double worst_r_hat = 1;  ///< over the sampled numbers
    double least_effective = 0;
    double target = 0.9;

    std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * problem->instances.size(), problem->instances.size());
    }
    /// A term over instances, draw by draw.
    std::vector<double> of(const Term& term) const;
    Label label(std::size_t draw, VarId instance) const;
};

Result<Draws> draw(const Unrolled& problem, const SamplerOptions& options, Run& run);

}  // namespace credence::rt::continuous
