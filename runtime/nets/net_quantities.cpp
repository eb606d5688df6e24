#include "runtime/nets/net_quantities.hpp"

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_measure.hpp"
#include "runtime/prob/queries/accumulate.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt {

namespace {

/// Multiplies the tables by their common denominators, so that the sums inside run over whole numbers: no common divisor is looked for
/// at each step, only once at the end. A table with many different denominators keeps its fractions, which are shorter.
Rational make_whole(Problem<Rational>& problem) {
    constexpr std::size_t most_bits = 64;
    Rational scale = 1;
    for (auto& potential : problem.potentials) {
        Rational common = 1;
        for (const auto& value : potential.values) {
            const Rational own = value.denominator();
            common *= (own / common).numerator();
        }
        if (common == Rational(1) || common.bits() > most_bits) continue;
        for (auto& value : potential.values) value *= common;
        scale *= common;
    }
    return scale;
}
LogProb make_whole(Problem<LogProb>&) { return LogProb::one(); }

/// The net's own part of the query: its case, with everything that the quantities depend on among the targets.
struct OwnCase {
    NetCase net_case;
    std::vector<Event> evidence;  // about quantities
    std::vector<Event> targets;
};

template <Prob P>
class CountingMeasure : public Measure<P> {
public:
    CountingMeasure(const OwnCase& own, const Variables& variables, std::size_t count, Accumulators& states)
        : own_(own), net_(own.net_case, Method::elimination), variables_(variables), states_(states), count_(count) {
        for (const auto& v : variables) sizes_.push_back(v.variable.is_discrete() ? v.variable.size() : 0);
    }

    void weigh(Potential<P> weights) override {
        if (std::all_of(weights.variables.begin(), weights.variables.end(), [&](Slot slot) { return slot < count_; }))
            net_.weigh(std::move(weights));
        else
            weights_.push_back(std::move(weights));
    }

    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) override {
        std::vector<const Event*> events;
        for (const auto& event : own_.evidence) events.push_back(&event);
        if (side == Side::all)
            for (const auto& event : own_.targets) events.push_back(&event);
        const bool plain = std::all_of(keep.begin(), keep.end(), [&](Slot slot) { return slot < count_; });
        if (plain && events.empty() && weights_.empty()) return net_.marginal(keep, side, work);

        std::vector<Slot> axes;  // of the net, kept to the end
        const auto add = [&](std::span<const Slot> slots, std::vector<Slot>& to) {
            for (const auto slot : slots)
                if (slot < count_ && !contains(to, slot)) to.push_back(slot);
        };
        add(keep, axes);
        for (const auto* event : events)
            for (const auto id : rt::variables_of(*event)) add(std::vector{static_cast<Slot>(index(id))}, axes);
        for (const auto& w : weights_) add(w.variables, axes);
        std::vector<Slot> scope = axes;
        for (const auto& contribution : states_.contributions()) add(contribution.scope, scope);
        Problem<P> problem = net_.problem(scope, side);
        const P scale = make_whole(problem);
        values_.clear();  // the states may be others from now on
        auto joint = TRY(accumulate<P>(problem, states_, axes, work));
        return gathered(joint, axes, keep, events, scale, work);
    }

private:
    /// The values of the quantities in a state, and where they are in their domains (of those that have one); computed when first needed.
    struct Values {
        std::vector<Label> labels;
        std::vector<std::size_t> places;
    };
    Result<const Values*> values(StateId state) {
        if (state == Accumulators::broken) return states_.fault();
        const auto found = values_.find(state);
        if (found != values_.end()) return &found->second;
        auto labels = TRY(states_.values(state));
        Values out{std::move(labels), {}};
        for (std::size_t k = 0; k < out.labels.size(); ++k) {
            const auto& domain = variables_[count_ + k].variable.domain;
            out.places.push_back(domain ? *domain->find(label_in(*domain, out.labels[k])) : 0);
        }
        return &values_.emplace(state, std::move(out)).first->second;
    }

    Result<Potential<P>> gathered(const std::vector<Series<P>>& joint, std::span<const Slot> axes, std::span<const Slot> keep,
                                  std::span<const Event* const> events, const P& scale, Work& work) {
        Potential<P> out{{keep.begin(), keep.end()}, {}};
        std::vector<Total<P>> totals(static_cast<std::size_t>(table_size(keep, sizes_)));
        std::vector<std::size_t> value(sizes_.size(), 0);
        const auto entry = [&](std::span<const Slot> slots) {
            std::size_t at = 0;
            for (const auto slot : slots) at = at * sizes_[slot] + value[slot];
            return at;
        };
        for (std::size_t i = 0; i < joint.size(); ++i) {
            std::size_t rest = i;
            for (std::size_t a = axes.size(); a-- > 0; rest /= sizes_[axes[a]]) value[axes[a]] = rest % sizes_[axes[a]];
            for (const auto& [state, weight] : joint[i].terms) {
                const auto here = TRY(values(state));
                for (std::size_t k = 0; k < here->places.size(); ++k) value[count_ + k] = here->places[k];
                const auto label = [&](VarId id) -> const Label& {
                    const std::size_t slot = index(id);
                    return slot < count_ ? (*variables_[slot].variable.domain)[value[slot]] : here->labels[slot - count_];
                };
                if (!std::all_of(events.begin(), events.end(), [&](const Event* event) { return holds_with(*event, label); })) continue;
                P share = weight;
                for (const auto& w : weights_) share *= w.values[entry(w.variables)];
                totals[entry(keep)].add(share);
            }
        }
        if (auto fault = work.interrupted()) return *std::move(fault);
        for (const auto& total : totals) out.values.push_back(total.get() / scale);
        return out;
    }

    const OwnCase& own_;
    NetMeasure<P> net_;
    const Variables& variables_;
    Accumulators& states_;
    std::size_t count_;  // variables of the net alone
    Sizes sizes_;
    std::vector<Potential<P>> weights_;  // of soft evidence about quantities
    std::unordered_map<StateId, Values> values_;
};

class ExtendedNet final : public ExtendedModel {
public:
    ExtendedNet(ModelPtr base, NetPtr net, std::vector<NamedQuantity> quantities)
        : ExtendedModel(std::move(base), std::move(quantities)), net_(std::move(net)) {}

    Result<Answer> ask(const Query& query, Run& run) const override {
        auto answer = asked(query, run);
        if (answer || answer.fault().origin != Origin::none) return answer;
        Fault fault = std::move(answer).fault();
        fault.origin = query.origin;
        return fault;
    }

private:
    Result<Answer> asked(const Query& query, Run& run) const {
        TRY(check_known(*net_));
        const bool data = names_next(query) || !query.given.observations.empty() || !query.given.data.empty() ||
                          !query.targets.observations.empty() || !query.targets.data.empty();
        const bool counted = query.by.name == "exact" || query.by.name == "variable_elimination";
        // The most probable values of many variables are looked for in the net; of quantities they are read off their distribution.
        const bool own = std::any_of(query.targets.free.begin(), query.targets.free.end(), [&](VarId id) { return is_own(id); });
        const bool added = data || !counted || (query.goal == Goal::most_probable && own);
        if (!added && !asks_for_values(query)) return counted_or_added(query, variables_, run);
        auto variables = TRY(with_domains(query, run));
        return added ? ask_added(query, variables, run) : counted_or_added(query, variables, run);
    }

    /// Where elimination takes too large a table, the quantities become nodes: other engines may do without such tables.
    Result<Answer> counted_or_added(const Query& query, const Variables& variables, Run& run) const {
        auto answer = ask_counting(query, variables, run);
        if (answer || answer.fault().code != "E-COST" || query.by.name != "exact") return answer;
        const auto with_values = with_domains(query, run);
        if (!with_values) return answer;
        auto wider = ask_added(query, *with_values, run);
        if (!wider && wider.fault().code == "E-COST") return answer;
        return wider;
    }

    /// Whether the values of a quantity are needed before the answer: where it is free, or uncertain evidence is about it.
    bool asks_for_values(const Query& query) const {
        const auto computed = [&](VarId id) { return !is_own(id); };
        return std::any_of(query.targets.free.begin(), query.targets.free.end(), computed) ||
               std::any_of(query.given.free.begin(), query.given.free.end(), computed) ||
               std::any_of(query.given.soft.begin(), query.given.soft.end(), [&](const auto& soft) { return !is_own(soft.variable); });
    }

    /// Whether one more draw of a variable is spoken of: `next X`.
    bool names_next(const Query& query) const {
        const auto is_next = [&](VarId id) { return variables_[index(id)].next; };
        for (const auto* clause : {&query.targets, &query.given}) {
            if (std::any_of(clause->free.begin(), clause->free.end(), is_next)) return true;
            for (const auto& event : clause->events) {
                const auto about = rt::variables_of(event);
                if (std::any_of(about.begin(), about.end(), is_next)) return true;
            }
        }
        return false;
    }

    /// The variables with the values that the quantities have at all: in the states that are possible before anything is observed.
    Result<Variables> with_domains(const Query& query, const Run& run) const {
        auto states = TRY(Accumulators::make(quantities_, base_->variables(), run));
        Query prior;
        prior.doing = query.doing;
        for (const auto& one : quantities_)
            for (const auto id : rt::variables_of(*one.quantity)) prior.targets.free.push_back(id);
        const auto whole = TRY(digest(*net_, base_->variables(), prior, run));
        NetMeasure<LogProb> measure(whole, Method::elimination);
        Work work(run, false);
        std::vector<Slot> scope;
        for (const auto& contribution : states.contributions())
            scope.insert(scope.end(), contribution.scope.begin(), contribution.scope.end());
        auto joint = TRY(accumulate<LogProb>(measure.problem(scope, Side::evidence), states, {}, work));
        std::vector<StateId> reached;
        for (const auto& [state, weight] : joint[0].terms)
            if (state != Accumulators::broken) reached.push_back(state);
        std::sort(reached.begin(), reached.end());
        std::vector<std::vector<Label>> values(quantities_.size());
        std::optional<Fault> fault;  // reported only where it is possible under the evidence, or nothing else is
        for (const auto state : reached) {
            auto labels = states.values(state);
            if (!labels) {
                fault = std::move(labels).fault();
                continue;
            }
            for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back((*labels)[k]);
        }
        if (values[0].empty()) return fault ? *std::move(fault) : states.fault();
        Variables out = variables_;
        for (std::size_t k = 0; k < values.size(); ++k)
            out[base_->variables().size() + k].variable.domain = domain_of_values(std::move(values[k]));
        return out;
    }

    /// The quantities as nodes: for engines that know nothing but nodes.
    Result<Answer> ask_added(const Query& query, const Variables& variables, Run& run) const {
        std::vector<DomainPtr> domains;
        for (std::size_t k = 0; k < quantities_.size(); ++k) domains.push_back(variables[base_->variables().size() + k].variable.domain);
        auto net = TRY(net_with_quantities(*net_, quantities_, domains));
        const auto larger = make_net_model(std::move(net));
        return larger->ask(renumbered(query, places_in(larger->variables())), run);
    }

    Result<OwnCase> own_case(const Query& query, const Run& run) const {
        Split parts = split(query);
        for (const auto& one : quantities_)
            for (const auto id : rt::variables_of(*one.quantity)) parts.own.targets.free.push_back(id);
        std::erase_if(parts.own.given.soft, [&](const SoftEvidence& soft) { return !is_own(soft.variable); });
        auto own = TRY(digest(*net_, base_->variables(), parts.own, run));
        return OwnCase{std::move(own), std::move(parts.given), std::move(parts.targets)};
    }

    Result<Answer> ask_counting(const Query& query, const Variables& variables, const Run& run) const {
        TRY(check_soft(query.given.soft, variables));
        const auto own = TRY(own_case(query, run));
        bool exact = own.net_case.exact;
        for (const auto& soft : query.given.soft)
            for (const auto& weight : soft.weights) exact = exact && weight.is_exact();
        const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
            return zero_fault_of(query, variables, configuration, run);
        };
        auto answer = in_best_numbers(run, exact, [&]<Prob P>(Work& work) -> Result<Answer> {
            auto states = TRY(Accumulators::make(quantities_, base_->variables(), run));
            CountingMeasure<P> measure(own, variables, base_->variables().size(), states);
            auto out = answer_query<P>(measure, query, variables, zero, work);
            if (!out) return out;
            out->counts = {{"eliminated", Rational(static_cast<std::int64_t>(work.eliminated))},
                           {"states", Rational(static_cast<std::int64_t>(states.size()))}};
            return out;
        });
        if (answer) answer->engine = "variable_elimination";
        return answer;
    }

    Fault zero_fault_of(const Query& query, const Variables& variables, std::span<const std::pair<Slot, std::size_t>> configuration,
                        const Run& run) const {
        Clause given = query.given;
        for (const auto& [slot, value] : configuration)
            given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables[slot].variable.domain)[value], Origin::none));
        return zero_fault(items_of(given, variables), query.origin, [&](const Clause& subset) -> Result<bool> {
            Query part;
            part.given = subset;
            part.doing = query.doing;
            const auto own = TRY(own_case(part, run));
            auto states = TRY(Accumulators::make(quantities_, base_->variables(), run));
            CountingMeasure<LogProb> measure(own, variables, base_->variables().size(), states);
            Work work(run, false);
            auto total = TRY(measure.marginal({}, Side::evidence, work));
            return total.values[0].is_zero();
        });
    }

    NetPtr net_;
};

}  // namespace

ModelPtr extend_net(ModelPtr base, NetPtr net, const std::vector<NamedQuantity>& quantities) {
    return std::make_shared<const ExtendedNet>(std::move(base), std::move(net), quantities);
}

}  // namespace credence::rt
