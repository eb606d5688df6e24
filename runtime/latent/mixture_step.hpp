#pragma once
// The M-step of a component: the parameters that make weighted observations most probable.

#include <span>
#include <vector>

#include "runtime/latent/mixture_data.hpp"

namespace credence::rt {

/// ln of the density (or mass) of each value.
void log_densities(const MixturePart& part, std::span<const double> theta, const MixtureData& data, std::span<double> out);

/// Maximises Σ r ln f(x | θ) over the holes of the part, starting from `theta`, under the bounds above; values of weight 0 are not looked
/// at.
void maximise(const MixturePart& part, const MixtureData& data, std::span<const double> r, std::vector<double>& theta);

/// The same from the family's own starting point.
std::vector<double> most_likely(const MixturePart& part, const MixtureData& data, std::span<const double> r);

/// How far a parameter in that role may be learned.
struct LearnedBounds {
    double low;
    double high;
};
LearnedBounds learned_bounds(Role role, double sd, double log_sd);

/// Maximises by Newton's method: for families without a formula of their own. Never ends lower than it began.
void maximise_numerically(const FamilyInfo& family, const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta);

/// The weighted values of a component as its family sees them.
class ComponentValues {
public:
    ComponentValues(const MixtureData& data, std::span<const double> r);
    const WeightedValues& operator*() const { return values_; }

private:
    std::vector<double> truths_;  ///< of labels
    WeightedValues values_;
};
KnownParameters known_parameters(const MixturePart& part);

/// Whether a learned spread lies at its bound: the component has collapsed.
bool at_bound(const MixturePart& part, const MixtureData& data, std::span<const double> theta);

}  // namespace credence::rt
