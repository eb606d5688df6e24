#pragma once
// EM for mixtures: E[z_ij] of every observation and component, then each family's own M-step.

#include <optional>

#include "runtime/latent/mixture_step.hpp"
#include "runtime/prob/learning/em.hpp"

namespace credence::rt {

struct MixtureParameters {
    std::vector<double> weights;
    std::vector<std::vector<double>> theta;  ///< by component; of categorical(?) the shares
};

/// The same as they are shown: as fractions where they come from counts.
struct MixtureNumbers {
    std::vector<Number> weights;
    std::vector<std::vector<Number>> theta;
};
MixtureNumbers numbers_of(const MixtureParameters& p);

/// The numbers in place of the holes, from a list in their order or from a mixture of the same shape.
Result<MixtureParameters> mixture_start(const Mixture& mixture, std::span<const double> holes, Origin origin);
Result<MixtureParameters> mixture_start(const Mixture& mixture, const Mixture& from, Origin origin);

/// The learned numbers in the order of the holes, and how many of them are free.
std::vector<double> hole_values(const Mixture& mixture, const MixtureParameters& p);
std::vector<Number> hole_values(const Mixture& mixture, const MixtureNumbers& p);
std::size_t free_parameters(const Mixture& mixture, std::size_t labels);
/// "weight_1", "sd_2".
std::vector<std::string> hole_names(const Mixture& mixture, const DomainPtr& labels);

Result<Mixture> filled(const Mixture& mixture, const MixtureNumbers& p, const DomainPtr& labels);

class MixtureProblem {
public:
    MixtureProblem(const Mixture& mixture, const MixtureData& data, std::optional<MixtureParameters> init)
        : mixture_(&mixture), data_(&data), init_(std::move(init)) {}

    MixtureParameters start(std::size_t restart, Rng& rng) const;
    Result<double> step(const MixtureParameters& now, MixtureParameters& next, Run& run) const;
    bool spurious(const MixtureParameters& p) const;

    /// E[z_ij]: components × values, the components of a value summing to one; gives the log-likelihood. A fault where a value is
    /// impossible.
    Result<double> responsibilities(const MixtureParameters& now, std::vector<double>& out) const;

private:
    Fault impossible(std::size_t value) const;
    std::vector<double> partition(std::size_t restart, Rng& rng, std::span<const std::size_t> open) const;

    const Mixture* mixture_;
    const MixtureData* data_;
    std::optional<MixtureParameters> init_;
};

Result<LearnerPtr> mixture_trainer(const Mixture& mixture, const MethodCall& by);

}  // namespace credence::rt
