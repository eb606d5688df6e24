#pragma once
// Mixtures as nets with real-valued nodes. A mixture itself answers for components and densities; what nets answer besides (numbers within
// bounds, columns given others, expectations) it leaves to their engines. Variables keep their places.

#include <memory>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt {

/// The component, and x drawn from this part whatever the component is. Nothing if nets do not know the part's family.
std::shared_ptr<const ContinuousModel> net_of_part(const Variable& component, const Distribution& part);

/// The component, and x drawn with the parameters of its part. Nothing if the parts are of several families, or of one that nets do
/// not know.
std::optional<ContinuousNet> net_of_mixture(const Variable& component, std::span<const Number> weights,
                                            std::span<const DistributionPtr> parts);

/// The columns in their order, each normal with a mean linear in those before it, and then the component. `factors` has the lower
/// triangles L with L Lᵀ = covariance, one for each component.
std::shared_ptr<const ContinuousModel> net_of_gaussians(const GaussianMixture& mixture, const Schema& schema,
                                                        std::span<const Matrix> factors);

}  // namespace credence::rt
