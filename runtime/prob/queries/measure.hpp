#pragma once
// The meaning of a query, the same for every discrete model: P(T, t | G, e) = μ(T, t, G, e) / μ(G, e).
// T and G are the free variables on the two sides of the bar, t and e the events, μ the model's unnormalised measure.

#include <functional>

#include "runtime/prob/factors/potential.hpp"
#include "runtime/prob/model.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

enum class Side {
    evidence,  ///< under the evidence alone
    all        ///< and under the events of the target
};

/// Where the numbers come from. Marginals are over `keep` in that order.
template <Prob P>
class Measure {
public:
    virtual ~Measure() = default;
    virtual Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) = 0;
    /// Evidence as weights, from now on.
    virtual void weigh(Potential<P> weights) = 0;
    /// The heaviest assignment of `over`; unless a model knows better, from the marginal over all of them.
    virtual Result<Maximum<P>> maximum(std::span<const Slot> over, const Sizes& sizes, Work& work);
};

/// The free variables of a query, as slots.
struct Shape {
    std::vector<Slot> targets;
    std::vector<Slot> given;
    std::vector<Slot> answer;  ///< targets, then those of given not among them
    bool target_events = false;
};
Shape shape_of(const Query& query);

/// The fault for a configuration of the free evidence variables (by slot and value) that has probability zero.
using ZeroFault = std::function<Fault(std::span<const std::pair<Slot, std::size_t>>)>;

/// Checks soft evidence: E-SUM, E-PARAMETER.
Status check_soft(std::span<const SoftEvidence> soft, const Variables& variables);

/// Turns soft evidence into weights of the measure: likelihoods first, then new marginals in the order written.
template <Prob P>
Status apply_soft_evidence(Measure<P>& measure, const Query& query, const Variables& variables, const ZeroFault& zero, Work& work);

/// The whole query: soft evidence, numerator, denominator. The answer's value, exact for fractions.
template <Prob P>
Result<Answer> answer_query(Measure<P>& measure, const Query& query, const Variables& variables, const ZeroFault& zero, Work& work);

extern template class Measure<Rational>;
extern template class Measure<LogProb>;
extern template Status apply_soft_evidence(Measure<Rational>&, const Query&, const Variables&, const ZeroFault&, Work&);
extern template Status apply_soft_evidence(Measure<LogProb>&, const Query&, const Variables&, const ZeroFault&, Work&);
extern template Result<Answer> answer_query(Measure<Rational>&, const Query&, const Variables&, const ZeroFault&, Work&);
extern template Result<Answer> answer_query(Measure<LogProb>&, const Query&, const Variables&, const ZeroFault&, Work&);

}  // namespace credence::rt
