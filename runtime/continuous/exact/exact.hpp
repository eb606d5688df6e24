#pragma once
// Exact answers: numbers that are connected are solved once for each configuration of the discrete variables among them, and what that
// makes of the evidence goes as a table into the elimination of the discrete variables.

#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/prob/queries/measure.hpp"

namespace credence::rt::continuous {

/// A value of the model's measure: exact, or its logarithm.
struct Weight {
    std::optional<Rational> exact;
    double log = 0;
    static Weight of(const Number& number);
};

/// Numbers connected by factors or events, with the discrete variables that bear on them.
struct Component {
    std::vector<VarId> numbers;         ///< ascending
    std::vector<std::size_t> factors;   ///< instances whose distribution has one of the numbers in it
    std::vector<VarId> discrete;        ///< latent discrete instances, ascending
    std::vector<std::size_t> events;    ///< of Unrolled::real_events
    bool needed = false;                ///< solved
    std::vector<Posterior> posteriors;  ///< by configuration of `discrete`, last fastest
};

struct Hybrid {
    const Unrolled* problem = nullptr;
    std::vector<Component> components;
    struct Table {
        std::vector<Slot> slots;
        std::vector<Weight> weights;
        enum class When { always, evidence, all } when = When::always;  ///< evidence: only without the events of the target; all: only with
        std::optional<std::size_t> instance = std::nullopt;             ///< whose distribution it is
        std::optional<std::size_t> component = std::nullopt;            ///< or which component's evidence and events
        /// Entries whose parameters are impossible; their weight is 0, and a check has found that nothing leads there.
        std::vector<std::pair<std::size_t, Fault>> faults = {};
    };
    std::vector<Table> tables;
    bool exact = true;
    Engine engine = Engine::none;

    const Component* of(VarId number) const;
    /// The labels of a component's configuration.
    std::map<VarId, Label> labels(const Component& component, std::size_t configuration) const;
};

/// A term with the discrete variables' labels put in.
Term with_labels(const Term& term, const std::map<VarId, Label>& labels);

/// A component's numbers with the labels of its discrete variables fixed.
Subproblem subproblem_of(const Unrolled& problem, const Component& component, const std::map<VarId, Label>& labels);

/// An event as a term that is true (1) or false (0). The labels are those of the discrete variables that were not observed.
Term event_term(const Unrolled& problem, const Event& event, const std::map<VarId, Label>& labels = {});

/// The evidence about a subproblem's numbers besides their densities, as one term that is true (1) or false (0); with `all`, the
/// events that are asked for too.
Term condition_of(const Unrolled& problem, const Component& component, const Subproblem& subproblem, const std::map<VarId, Label>& labels,
                  bool all);

/// Whether the measure keeps the probability of the evidence where it only scales everything else.
enum class Scale { dropped, kept };

/// Not applicable where some component cannot be solved with the allowed engines. `wanted` are terms whose distribution will be asked for.
Attempt<Hybrid> solve_hybrid(const Unrolled& problem, std::span<const Term> wanted, const Allowed& allowed, const Run& run,
                             Scale scale = Scale::dropped);

template <Prob P>
class HybridMeasure : public Measure<P> {
public:
    explicit HybridMeasure(const Hybrid& hybrid) : hybrid_(hybrid) {}
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override;
    void weigh(Potential<P> weights) override { weights_.push_back(std::move(weights)); }
    /// All that multiplies to the measure, nothing summed out yet.
    Result<Problem<P>> problem(Side side, const Run& run) const;

private:
    const Hybrid& hybrid_;
    std::vector<Potential<P>> weights_;
};
extern template class HybridMeasure<Rational>;
extern template class HybridMeasure<LogProb>;

/// Whether an event holds when its numbers are worth `number(variable)` and its labels `label(variable)`.
bool holds_with(const Event& event, const Variables& variables, const std::function<double(VarId)>& number,
                const std::function<Label(VarId)>& label);

}  // namespace credence::rt::continuous
