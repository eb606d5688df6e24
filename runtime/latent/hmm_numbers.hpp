#pragma once
// The numbers that the states of a hidden Markov model emit: each observed value once, and the densities as the parts of a mixture.

#include <span>
#include <vector>

#include "runtime/latent/hmm.hpp"
#include "runtime/latent/mixture_em.hpp"
#include "runtime/latent/part_climb.hpp"

namespace credence::rt {

/// The parameters of the density of each state; of a density without holes what it has does not matter.
using StateParameters = std::vector<std::vector<double>>;

/// The emissions as a mixture, whose weights are left open.
Mixture densities_of(const Hmm& hmm);

/// What the densities of a model without holes have in the place of the holes of `hmm`; nothing if a family differs.
std::optional<StateParameters> parameters_in(const Hmm& hmm, const Hmm& known);

/// The densities with their numbers put in.
Status fill_densities(Hmm& hmm, const MixtureNumbers& numbers);

class EmittedNumbers {
public:
    /// The sequences get codes: the place of each value among the distinct ones, −1 where it is missing.
    EmittedNumbers(const Hmm& hmm, std::vector<Sequence>& sequences, std::span<const double> weights);

    std::size_t size() const { return data_.values.size(); }  ///< distinct values
    StateParameters start(std::size_t restart, Rng& rng) const;
    /// P(value | state), value × state, each row less a factor whose logarithm is in `shift`.
    void rows(const StateParameters& now, std::vector<double>& out, std::vector<double>& shift);
    /// Counts, value × state, as maxima of the likelihood.
    void maximise(std::span<const double> counts, StateParameters& theta);
    /// Appends the slopes of the holes, and moves along them.
    void slope(std::span<const double> counts, const StateParameters& now, std::vector<double>& out);
    void move(std::span<const double>& slope, double rate, StateParameters& theta) const;
    /// Whether a learned spread lies at its bound.
    bool collapsed(const StateParameters& theta) const;

private:
    std::span<const double> of_state(std::span<const double> counts, std::size_t state);

    Mixture densities_;
    MixtureData data_;
    std::vector<double> column_;  ///< of one state
};

}  // namespace credence::rt
