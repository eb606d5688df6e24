#include "runtime/nets/net_quantities.hpp"

#include <algorithm>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_measure.hpp"
#include "runtime/prob/queries/counting_measure.hpp"
#include "runtime/prob/queries/extended.hpp"

namespace credence::rt {

namespace {

/// The net's own part of the query: its case, with everything that the quantities depend on among the targets.
struct OwnCase {
    NetCase net_case;
    QuantityEvents events;
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
        return OwnCase{std::move(own), {std::move(parts.given), std::move(parts.targets)}};
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
            NetMeasure<P> net(own.net_case, Method::elimination);
            CountingMeasure<P, NetMeasure<P>> measure(net, own.events, variables, base_->variables().size(), states);
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
            NetMeasure<LogProb> net(own.net_case, Method::elimination);
            CountingMeasure<LogProb, NetMeasure<LogProb>> measure(net, own.events, variables, base_->variables().size(), states);
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
