#include "runtime/prob/factors/potential_impl.hpp"

namespace credence::rt {

template Potential<Rational> restrict_to(const Potential<Rational>&, std::span<const std::int64_t>, const Sizes&);
template Result<Potential<Rational>> eliminate(Problem<Rational>, std::span<const Slot>, Work&);
template Result<Potential<Rational>> enumerate(const Problem<Rational>&, std::span<const Slot>, std::span<const Slot>, Work&);
template Result<Maximum<Rational>> maximise(Problem<Rational>, std::span<const Slot>, Work&);
template class BackwardSampler<Rational>;

}  // namespace credence::rt
