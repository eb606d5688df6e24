#include "runtime/continuous/exact/chains.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "runtime/continuous/exact/term_quantities.hpp"
#include "runtime/continuous/sample/prior_check.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/counting_measure.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double few = 4096;          // configurations, which are gone through as quickly
constexpr double least_share = -720;  // logarithm: below it a probability is 0 as a double
constexpr double negligible = 1e-17;  // of a value of something that ends where nothing is left of a count

std::vector<VarId> ids_of(const Clause& clause) {
    std::vector<VarId> out = clause.free;
    for (const auto& event : clause.events)
        for (const auto id : rt::variables_of(event)) out.push_back(id);
    return out;
}

/// A hybrid as the source of a CountingMeasure.
template <Prob P>
struct Source {
    HybridMeasure<P> measure;
    const Run& run;
    Result<Problem<P>> problem(std::span<const Slot>, Side side) const { return measure.problem(side, run); }
    Result<Potential<P>> marginal(std::span<const Slot> keep, Side side, Work& work) { return measure.marginal(keep, side, work); }
    void weigh(Potential<P> weights) { measure.weigh(std::move(weights)); }
};

class Chains {
public:
    Chains(const Computed& computed, const Query& query, const Run& run)
        : net_(computed.net),
          variables_(computed.variables),
          quantities_(computed.quantities),
          query_(query),
          run_(run),
          choice_(choice_of(query, run)) {
        for (std::size_t v = 0; v < net_.variables.size(); ++v) place_.try_emplace(net_.variables[v].variable.name, static_cast<VarId>(v));
    }

    Attempt<Answer> operator()() {
        if (!divide()) return not_applicable;
        const bool needed = !carried_.empty();  // else draws may do where a table would be too large
        for (;;) {
            problem_ = TRY(prepare(net_, own_, run_, nullptr, needed_));
            TRY(check_probabilities(*problem_, run_));
            if (!number_variables() || !is_large()) return not_applicable;
            auto hybrid = solve_hybrid(*problem_, {}, choice_.allowed, run_);
            if (hybrid.failed() && hybrid.reason().code == "E-COST") return not_applicable;
            const Hybrid solved = TRY(std::move(hybrid));
            TRY(find_values(solved));
            if (TRY(wider(solved))) continue;
            auto out = answer(solved);
            if (out.failed() && out.reason().code == "E-COST" && !needed) return not_applicable;
            return out;
        }
    }

private:
    bool is_quantity(VarId id) const { return index(id) >= variables_.size() - quantities_.size(); }
    VarId place(VarId id) const { return place_.at(variables_[index(id)].variable.name); }
    bool is_computed(VarId id) const {
        return is_quantity(id) || net_.node(net_.visible[index(place(id))].node).kind == ContinuousNode::Kind::computed;
    }
    bool is_carried(const Event& event) const {
        const auto ids = rt::variables_of(event);
        return std::any_of(ids.begin(), ids.end(), [&](VarId id) { return is_computed(id); });
    }

    /// Whether it has labels, or is made of labels and counts.
    bool may_be_finite(VarId id) const {
        if (is_quantity(id)) {
            const auto from = rt::variables_of(*quantity(id));
            return std::all_of(from.begin(), from.end(), [&](VarId part) { return may_be_finite(part); });
        }
        std::vector<std::size_t> open{net_.visible[index(place(id))].node};
        std::vector<bool> seen(net_.net.nodes.size(), false);
        while (!open.empty()) {
            const std::size_t n = open.back();
            open.pop_back();
            if (seen[n]) continue;
            seen[n] = true;
            const auto& node = net_.node(n);
            if (node.kind == ContinuousNode::Kind::computed) {
                for (const auto part : rt::variables_of(node.value)) open.push_back(index(part));
            } else if (!node.variable.domain && (node.is_vector() || node.family->support != Support::integers)) {
                return false;
            }
        }
        return true;
    }

    /// The query without what is computed, and what that is computed from. False if there is nothing of this kind.
    bool divide() {
        const auto has_data = [](const Clause& clause) { return !clause.observations.empty() || !clause.data.empty(); };
        if (query_.by.name != "exact" || has_data(query_.given) || has_data(query_.targets)) return false;
        std::vector<VarId> all = ids_of(query_.targets);
        for (const auto id : ids_of(query_.given)) all.push_back(id);
        for (const auto id : all)
            if (is_computed(id) && !contains(carried_, id)) carried_.push_back(id);
        const auto is_number = [&](VarId id) { return !variables_[index(id)].variable.is_discrete(); };
        const auto& free = query_.targets.free;
        const bool jointly = free.size() + query_.given.free.size() > 1 && std::any_of(free.begin(), free.end(), is_number);
        if ((carried_.empty() && !jointly) || !std::all_of(all.begin(), all.end(), [&](VarId id) { return may_be_finite(id); }))
            return false;
        own_.doing = query_.doing;
        for (auto& doing : own_.doing) doing.variable = place(doing.variable);
        own_.by = query_.by;
        own_.origin = query_.origin;
        for (auto item : query_.given.soft) {
            if (is_computed(item.variable)) return false;
            item.variable = place(item.variable);
            own_.given.soft.push_back(std::move(item));
        }
        const auto split = [&](const Clause& from, Clause& to) {
            for (const auto& event : conjuncts(from.events))
                if (!is_carried(event)) to.events.push_back(moved(event, [&](VarId id) { return place(id); }));
        };
        split(query_.given, own_.given);
        split(query_.targets, own_.targets);
        const auto need = [&](VarId id) {
            needed_.variables.push_back(place(id));
            own_.targets.free.push_back(place(id));
        };
        for (const auto id : all) {
            if (!is_quantity(id))
                need(id);
            else
                for (const auto part : rt::variables_of(*quantity(id))) need(part);
        }
        return true;
    }

    const QuantityPtr& quantity(VarId id) const { return quantities_[index(id) + quantities_.size() - variables_.size()].quantity; }

    static Event moved(Event event, const std::function<VarId(VarId)>& to) {
        if (event.kind == Event::Kind::atom) event.atom.variable = to(event.atom.variable);
        for (auto& part : event.parts) part = moved(std::move(part), to);
        return event;
    }

    /// What a variable of the net is, over the slots; null if that is not finite.
    QuantityPtr over_slots(VarId id) const {
        const Term& term = problem_->of_variable[index(id)];
        if (!term) return nullptr;
        return quantity_of(term, [&](const TermNode& leaf) -> QuantityPtr {
            const Instance& instance = problem_->instances[index(leaf.variable)];
            if (instance.value) {
                if (const auto* label = std::get_if<Label>(&*instance.value)) return constant_quantity(*label);
                return constant_quantity(Label::of_number(std::get<Number>(*instance.value)));
            }
            if (!instance.discrete() || !instance.latent()) return nullptr;
            return variable_quantity(static_cast<VarId>(problem_->slots[index(leaf.variable)]));
        });
    }

    /// The variables by slot, and the computed ones after them. False if some are not finite.
    bool number_variables() {
        const std::size_t count = problem_->sizes.size();
        slots_.assign(count, {});
        for (std::size_t s = 0; s < count; ++s) slots_[s].variable.name = problem_->slot_names[s];
        for (std::size_t v = 0; v < net_.variables.size(); ++v) slots_[v].variable.domain = net_.variables[v].variable.domain;
        for (std::size_t i = 0; i < problem_->instances.size(); ++i)
            if (const auto& domain = problem_->instances[i].domain) slots_[problem_->slots[i]].variable.domain = domain;
        named_.clear();
        for (const auto id : carried_) {
            auto own =
                is_quantity(id) ? with_parts(quantity(id), [&](VarId part) { return over_slots(place(part)); }) : over_slots(place(id));
            if (!own) return false;
            slots_.push_back(variables_[index(id)]);
            slots_.back().variable.domain = nullptr;
            named_.push_back({variables_[index(id)].variable.name, std::move(own), variables_[index(id)].is_event});
        }
        return renumber();
    }

    /// The query over the slots.
    bool renumber() {
        over_slots_ = query_;
        bool finite = true;
        const auto slot = [&](VarId id) {
            const auto found = std::find(carried_.begin(), carried_.end(), id);
            if (found != carried_.end())
                return static_cast<VarId>(problem_->sizes.size() + static_cast<std::size_t>(found - carried_.begin()));
            const auto own = over_slots(place(id));
            if (own && own->kind == Quantity::Kind::variable) return own->variable;
            if (own && own->kind == Quantity::Kind::constant && !slots_[index(place(id))].variable.domain)
                slots_[index(place(id))].variable.domain = make_domain({own->constant});  // a number that was observed
            finite = finite && own;
            return place(id);
        };
        events_ = {};
        const auto move = [&](Clause& clause, std::vector<Event>& about) {
            for (auto& id : clause.free) id = slot(id);
            for (auto& item : clause.soft) item.variable = slot(item.variable);
            for (const auto& event : conjuncts(clause.events))
                if (is_carried(event)) about.push_back(moved(event, slot));
        };
        move(over_slots_.given, events_.evidence);
        move(over_slots_.targets, events_.targets);
        if (is_one_number()) over_slots_.goal = Goal::probability;
        return finite;
    }

    /// Whether a number alone is asked for, whose answer is its distribution.
    bool is_one_number() const {
        return query_.targets.free.size() == 1 && query_.targets.events.empty() && query_.given.free.empty() &&
               !variables_[index(query_.targets.free[0])].variable.is_discrete();
    }

    bool is_large() const {
        const auto cases = [&](std::vector<VarId> ids) {
            std::vector<VarId> all;
            for (const auto id : ids) {
                const bool own = index(id) < problem_->sizes.size();
                const auto from = own ? std::vector{id} : rt::variables_of(*named_[index(id) - problem_->sizes.size()].quantity);
                for (const auto v : from)
                    if (!contains(all, v)) all.push_back(v);
            }
            double out = 1;
            for (const auto v : all) out *= static_cast<double>(problem_->sizes[index(v)]);
            return out;
        };
        for (std::size_t k = 0; k < named_.size(); ++k)
            if (cases({static_cast<VarId>(problem_->sizes.size() + k)}) > few) return true;
        for (const auto* events : {&events_.evidence, &events_.targets})
            for (const auto& event : *events)
                if (cases(rt::variables_of(event)) > few) return true;
        return query_.targets.free.size() + query_.given.free.size() > 1;
    }

    bool is_cut() const {
        return std::any_of(problem_->instances.begin(), problem_->instances.end(), [](const Instance& i) { return i.cut; });
    }

    Result<Accumulators> states() const { return Accumulators::make(named_, slots_, run_); }

    /// The values of what is computed, where some of it is free.
    Status find_values(const Hybrid& hybrid) {
        const auto& query = over_slots_;
        const auto computed = [&](VarId id) { return index(id) >= problem_->sizes.size(); };
        if (std::none_of(query.targets.free.begin(), query.targets.free.end(), computed) &&
            std::none_of(query.given.free.begin(), query.given.free.end(), computed))
            return Done{};
        auto states = TRY(this->states());
        Work work(run_, false);
        const auto problem = TRY(HybridMeasure<LogProb>(hybrid).problem(Side::evidence, run_));
        const auto joint = TRY(accumulate<LogProb>(problem, states, {}, work));
        std::vector<std::vector<Label>> values(named_.size());
        for (const auto& [state, weight] : joint[0].terms) {
            if (state == Accumulators::broken) continue;
            auto labels = TRY(states.values(state));
            for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back(std::move(labels[k]));
        }
        if (values[0].empty() && !joint[0].terms.empty()) return states.fault();
        for (std::size_t k = 0; k < values.size(); ++k)
            slots_[problem_->sizes.size() + k].variable.domain = domain_of_values(std::move(values[k]));
        return Done{};
    }

    /// Whether counts have to go further, because what is observed or asked for is improbable.
    Result<bool> wider(const Hybrid& hybrid) {
        if (!is_cut() || (events_.evidence.empty() && events_.targets.empty())) return false;
        auto states = TRY(this->states());
        Work work(run_, false);
        Source<LogProb> source{HybridMeasure<LogProb>(hybrid), run_};
        auto whole = TRY(source.marginal({}, Side::evidence, work));
        CountingMeasure<LogProb, Source<LogProb>> measure(source, events_, slots_, problem_->sizes.size(), states);
        double log = 0;
        for (const auto side : {Side::evidence, Side::all}) {
            auto part = TRY(measure.marginal({}, side, work));
            log = std::min(log, part.values[0].log() - whole.values[0].log());
        }
        if (std::isnan(log) || log >= needed_.log_share || needed_.log_share <= least_share) return false;
        const double further = std::isfinite(log) ? log - 1 : std::min(-64.0, 2 * needed_.log_share);
        needed_.log_share = std::max(further, least_share);
        return true;
    }

    Attempt<Answer> answer(const Hybrid& hybrid) {
        bool exact = hybrid.exact;
        for (const auto& soft : query_.given.soft)
            for (const auto& weight : soft.weights) exact = exact && weight.is_exact();
        auto out = TRY(in_best_numbers(run_, exact, [&]<Prob P>(Work& work) -> Result<Answer> {
            auto states = TRY(this->states());
            Source<P> source{HybridMeasure<P>(hybrid), run_};
            CountingMeasure<P, Source<P>> measure(source, events_, slots_, problem_->sizes.size(), states);
            const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> at) { return impossible(at); };
            auto answer = answer_query<P>(measure, over_slots_, slots_, zero, work);
            if (answer) answer->counts = {{"eliminated", Rational(static_cast<std::int64_t>(work.eliminated))}};
            return answer;
        }));
        out.engine = chains_engine;
        out.notes.insert(out.notes.end(), problem_->notes.begin(), problem_->notes.end());
        if (auto* factor = std::get_if<Factor>(&out.value)) shorten(*factor, out);
        return out;
    }

    Fault impossible(std::span<const std::pair<Slot, std::size_t>> configuration) const {
        Clause given = query_.given;
        std::string list;
        for (const auto& item : items_of(given, variables_)) list += (list.empty() ? "" : ", ") + item.text;
        for (const auto& [slot, value] : configuration)
            list += (list.empty() ? "" : ", ") + slots_[slot].variable.name + " = " + (*slots_[slot].variable.domain)[value].text();
        return {.code = "E-ZERO",
                .message = "the evidence has probability zero",
                .origin = query_.origin,
                .label = list + " is impossible here"};
    }

    /// Without the values that only the ends of counts leave; of one number, its distribution.
    void shorten(Factor& factor, Answer& out) const {
        const bool one = is_one_number();
        if (!one && !is_cut()) return;
        if (factor.variables().size() != 1) return;
        const auto& labels = factor.variables()[0].domain->labels();
        std::vector<std::pair<std::int64_t, Number>> masses;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const auto& number = labels[i].number();
            const auto whole = number && number->is_exact() ? number->exact().to_int64() : std::nullopt;
            if (!whole) return;
            const Number mass = factor.at(i);
            if (mass.is_zero() || (!mass.is_exact() && mass.real() < negligible)) continue;
            masses.emplace_back(*whole, mass);
        }
        if (!one || masses.empty()) return;
        std::sort(masses.begin(), masses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        out.value = make_count_table(std::move(masses));
    }

    const Expanded& net_;
    const Variables& variables_;
    std::span<const NamedQuantity> quantities_;
    const Query& query_;
    const Run& run_;
    Choice choice_;
    std::unordered_map<std::string_view, VarId> place_;  // in the net, by name
    std::vector<VarId> carried_;                         // what is computed, as the query names it
    Query own_;                                          // over the net, without what is computed
    Carried needed_;
    std::optional<Unrolled> problem_;
    Variables slots_;                   // of the discrete layer, then what is computed
    std::vector<NamedQuantity> named_;  // what is computed, over the slots
    Query over_slots_;
    QuantityEvents events_;
};

}  // namespace

Attempt<Answer> ask_by_chains(const Computed& computed, const Query& query, const Run& run) { return Chains(computed, query, run)(); }

Attempt<Answer> expectation_by_chains(const Computed& computed, const Term& term, const Query& query, const Run& run) {
    Variables variables = computed.variables;
    std::vector<NamedQuantity> quantities(computed.quantities.begin(), computed.quantities.end());
    const std::size_t own = variables.size() - quantities.size();
    const std::function<QuantityPtr(const TermNode&)> leaf = [&](const TermNode& node) -> QuantityPtr {
        const std::size_t at = index(node.variable);
        return at < own ? variable_quantity(node.variable) : quantities[at - own].quantity;
    };
    const auto whole = quantity_of(term, leaf);
    if (!whole) return not_applicable;
    const auto is_computed = [&](const Event& event) {
        const auto ids = rt::variables_of(event);
        return std::any_of(ids.begin(), ids.end(), [&](VarId id) { return index(id) >= own; });
    };
    const auto sum_of = as_term(*whole, [](const Quantity&) { return std::nullopt; });
    const auto linear = sum_of ? as_linear(*sum_of) : std::nullopt;
    if (linear && std::none_of(query.given.events.begin(), query.given.events.end(), is_computed)) return not_applicable;
    Query one = query;
    const bool single = whole->kind == Quantity::Kind::variable;
    if (!single) {
        quantities.push_back({"what is expected", whole});
        variables.push_back({.variable = {.name = quantities.back().name, .domain = nullptr}});
    }
    one.targets.free.push_back(single ? whole->variable : static_cast<VarId>(variables.size() - 1));
    auto answer = TRY(ask_by_chains({computed.net, variables, quantities}, one, run));
    Number sum = 0;
    if (const auto* d = std::get_if<DistributionPtr>(&answer.value)) {
        auto mean = TRY((*d)->mean());
        sum = std::get<Number>(mean);
    } else if (const auto* factor = std::get_if<Factor>(&answer.value)) {
        for (std::size_t i = 0; i < factor->size(); ++i) {
            if (factor->at(i).is_zero()) continue;
            const auto number = as_count(factor->labels(i)[0]);
            if (!number) return not_applicable;
            sum += *number * factor->at(i);
        }
    }
    answer.value = sum;
    answer.exact = sum.is_exact();
    return answer;
}

}  // namespace credence::rt::continuous
