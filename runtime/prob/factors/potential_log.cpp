#include "runtime/prob/factors/potential_impl.hpp"

namespace credence::rt {

template Potential<LogProb> restrict_to(const Potential<LogProb>&, std::span<const std::int64_t>, const Sizes&);
template Result<Potential<LogProb>> eliminate(Problem<LogProb>, std::span<const Slot>, Work&);
template Result<Potential<LogProb>> enumerate(const Problem<LogProb>&, std::span<const Slot>, std::span<const Slot>, Work&);
template Result<Maximum<LogProb>> maximise(Problem<LogProb>, std::span<const Slot>, Work&);
template class BackwardSampler<LogProb>;

}  // namespace credence::rt
