#pragma once
// Whether chains agree, and what their draws are worth: Vehtari, Gelman, Simpson, Carpenter & Bürkner, "Rank-normalization, folding, and
// localization: an improved R-hat" (2021).

#include <span>
#include <vector>

namespace credence::rt::continuous {

/// Chains of equal length, one after the other in one array.
struct ChainView {
    std::span<const double> values;
    std::size_t chains = 1;
    std::size_t length() const { return values.size() / chains; }
};

/// The draws that were kept, chain by chain; each chain is cut to the length of the shortest.
std::vector<double> kept_draws(const ChainView& draws, std::span<const char> keep);

/// The larger of the rank-normalised split R̂ of the values and of their distance to the median. NaN where they do not vary.
double split_r_hat(const ChainView& draws);
/// Effective number of draws for the mean of the values themselves (Geyer's initial monotone sequence over split chains).
double effective_sample_size(const ChainView& draws);
/// The same on rank-normalised values: how well the bulk of the distribution was visited.
double bulk_effective_sample_size(const ChainView& draws);
/// The smaller of those for the 5 % and the 95 % quantile (Vehtari et al. 2021).
double tail_effective_sample_size(const ChainView& draws);

}  // namespace credence::rt::continuous
