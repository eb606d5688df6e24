#pragma once
// The outcome under a hypothesis: the probability or density of a value, of many values, of an event.

#include "runtime/prob/declared/hypotheses.hpp"
#include "runtime/prob/factors/work.hpp"

namespace credence::rt {

/// Equal observations under equal inputs, counted.
struct ObservationGroup {
    std::vector<Label> inputs;
    Label value;
    std::int64_t count = 1;
};

/// P(value | h, inputs), as a fraction or a logarithm. Where a fraction was asked for and the number is not exact, the work gives up.
template <Prob P>
Result<P> outcome_weight(const HypothesisSpace& space, std::size_t hypothesis, std::span<const Label> inputs, const Label& value,
                         Work& work);

/// The product over all groups: a number for each hypothesis.
template <Prob P>
Result<std::vector<P>> likelihoods(const HypothesisSpace& space, std::span<const ObservationGroup> groups, Work& work);

/// P(event | h) for an event about a number-valued outcome. The event's truth is constant between the numbers it names, so its
/// probability is a sum of differences of the distribution function; an event that holds only in single points has their density.
/// `holds_at` evaluates the event for a value of the outcome.
template <Prob P>
Result<P> event_weight(const Distribution& distribution, std::span<const Number> named, const std::function<bool(const Label&)>& holds_at,
                       Work& work);

/// The value as the distribution takes it: a label for categorical ones, else its number.
Outcome outcome_value(const Distribution& distribution, const Label& value);

}  // namespace credence::rt
