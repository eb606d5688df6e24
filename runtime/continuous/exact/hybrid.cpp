#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/exact/event_mass.hpp"
#include "runtime/core/disjoint_sets.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double most_configurations = 200'000;
constexpr double most_cases = 1'000'000;  // of one distribution

std::vector<Term> terms_in(const Instance& instance) {
    std::vector<Term> out = instance.parameters;
    if (instance.tied) out.push_back(instance.tied);
    return out;
}

std::vector<VarId> latent_discrete(const Unrolled& problem, const Instance& instance, std::size_t self) {
    std::vector<VarId> out;
    if (instance.discrete() && instance.latent()) out.push_back(static_cast<VarId>(self));
    for (const auto& term : terms_in(instance))
        for (const auto v : variables_of(term))
            if (problem.instances[index(v)].discrete()) out.push_back(v);
    for (const auto v : instance.table_parents)
        if (problem.instances[index(v)].latent()) out.push_back(v);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<VarId> latent_numbers(const Unrolled& problem, const Instance& instance, std::size_t self) {
    std::vector<VarId> out;
    if (instance.is_real_latent() && !instance.table) out.push_back(static_cast<VarId>(self));
    for (const auto& term : terms_in(instance))
        for (const auto v : variables_of(term))
            if (problem.instances[index(v)].is_real_latent()) out.push_back(v);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Whether more successes were observed than there are trials here: no value of the numbers makes that possible.
bool is_above_its_top(const Subproblem& subproblem) {
    return std::any_of(subproblem.factors.begin(), subproblem.factors.end(), [](const DensityFactor& factor) {
        if (factor.kind != DensityFactor::Kind::density || !factor.family->top || !is_constant(factor.x)) return false;
        const Term& top = factor.parameters[*factor.family->top];
        return is_constant(top) && factor.x->value > top->value;
    });
}

class Builder {
public:
    Builder(const Unrolled& problem, const Allowed& allowed, const Run& run, Scale scale)
        : problem_(problem), allowed_(allowed), run_(run), scale_(scale) {
        out_.problem = &problem;
    }

    Attempt<Hybrid> operator()(std::span<const Term> wanted) {
        group(wanted);
        for (const auto& term : wanted)
            for (const auto v : variables_of(term))
                for (auto& component : out_.components)
                    if (std::binary_search(component.numbers.begin(), component.numbers.end(), v)) component.needed = true;
        for (std::size_t i = 0; i < problem_.instances.size(); ++i) TRY(plain_table(i));
        for (const auto& component : out_.components)
            if (static_cast<double>(configurations(component)) > most_configurations)
                return Fault{.code = "E-COST",
                             .message = fmt::format("{} discrete variables bear on {}: more than {:.0f} configurations",
                                                    component.discrete.size(), problem_.name(component.numbers[0]), most_configurations),
                             .hint = "observe some of them, or ask by nuts"};
        for (auto& component : out_.components) {
            const bool solved = TRY(solve_component(component));
            if (!solved) return not_applicable;
        }
        for (const auto& event : problem_.real_events)
            if (event.over.empty()) TRY(settled_event(event));
        TRY(check_faults());
        for (const auto& table : out_.tables)
            for (const auto& weight : table.weights) out_.exact = out_.exact && weight.exact;
        return std::move(out_);
    }

private:
    /// Impossible parameters are a fault where the evidence leaves their labels any probability at all: with these entries alone open in
    /// one table, and all such entries open in the others, nothing may be left of the measure.
    Status check_faults() const {
        for (std::size_t t = 0; t < out_.tables.size(); ++t) {
            if (out_.tables[t].faults.empty() || out_.tables[t].when == Hybrid::Table::When::all) continue;  // the other side has the same
            Hybrid opened = out_;
            for (std::size_t k = 0; k < opened.tables.size(); ++k) {
                auto& table = opened.tables[k];
                if (k == t) std::fill(table.weights.begin(), table.weights.end(), Weight::of(0));
                for (const auto& [entry, fault] : table.faults) table.weights[entry] = Weight::of(1);
            }
            Work work(run_, false);
            auto total = TRY(HybridMeasure<LogProb>(opened).marginal({}, Side::evidence, work));
            if (!total.values[0].is_zero()) return out_.tables[t].faults[0].second;
        }
        return Done{};
    }

    void group(std::span<const Term> wanted) {
        const std::size_t n = problem_.instances.size();
        DisjointSets sets(n);
        const auto join = [&](const std::vector<VarId>& all) {
            for (std::size_t k = 1; k < all.size(); ++k) sets.join(index(all[0]), index(all[k]));
        };
        std::vector<std::vector<VarId>> numbers(n);
        for (std::size_t i = 0; i < n; ++i) {
            if (problem_.instances[i].set) continue;
            numbers[i] = latent_numbers(problem_, problem_.instances[i], i);
            join(numbers[i]);
        }
        for (const auto& event : problem_.real_events) join(event.over);
        for (const auto& term : wanted) {
            std::vector<VarId> all;
            for (const auto v : variables_of(term))
                if (problem_.instances[index(v)].is_real_latent()) all.push_back(v);
            join(all);
        }
        std::vector<std::size_t> of_root(n, n);
        const auto component_at = [&](std::size_t i) -> Component& { return out_.components[of_root[sets.find(i)]]; };
        for (std::size_t i = 0; i < n; ++i) {
            if (!problem_.instances[i].is_real_latent()) continue;
            if (of_root[sets.find(i)] == n) {
                of_root[sets.find(i)] = out_.components.size();
                out_.components.emplace_back();
            }
            component_at(i).numbers.push_back(static_cast<VarId>(i));
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (numbers[i].empty()) continue;
            auto& component = component_at(index(numbers[i][0]));
            component.factors.push_back(i);
            for (const auto v : latent_discrete(problem_, problem_.instances[i], i)) component.discrete.push_back(v);
        }
        for (std::size_t e = 0; e < problem_.real_events.size(); ++e) {
            const auto& event = problem_.real_events[e];
            if (event.over.empty()) continue;
            auto& component = component_at(index(event.over[0]));
            component.events.push_back(e);
            for (const auto v : discretes_of(event)) component.discrete.push_back(v);
        }
        for (auto& component : out_.components) {
            std::sort(component.discrete.begin(), component.discrete.end());
            component.discrete.erase(std::unique(component.discrete.begin(), component.discrete.end()), component.discrete.end());
            component.needed = scale_ == Scale::kept || !component.discrete.empty() || !component.events.empty();
        }
    }

    /// Latent discrete instances an event speaks of, directly or through terms.
    std::vector<VarId> discretes_of(const RealEvent& event) const {
        std::vector<VarId> out;
        for (const auto id : variables_of(event.event))
            for (const auto v : variables_of(problem_.of_variable[index(id)])) {
                const auto& instance = problem_.instances[index(v)];
                if (instance.discrete() && instance.latent()) out.push_back(v);
            }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    std::size_t size(VarId v) const { return problem_.instances[index(v)].domain->size(); }
    std::size_t configurations(const Component& component) const {
        double out = 1;
        for (const auto v : component.discrete) out *= static_cast<double>(size(v));
        return out > 1e15 ? static_cast<std::size_t>(1e15) : static_cast<std::size_t>(out);
    }

    Status check_configurations(const std::vector<VarId>& over, std::string_view of, double most) const {
        double cases = 1;
        for (const auto v : over) cases *= static_cast<double>(size(v));
        if (cases <= most) return Done{};
        return Fault{.code = "E-COST",
                     .message = fmt::format("{} depends on {} discrete variables with {:.2g} configurations", of, over.size(), cases),
                     .label = fmt::format("at most {:.2g} are gone through", most),
                     .hint = "observe some of them, or ask by nuts"};
    }

    std::vector<Slot> slots(const std::vector<VarId>& instances) const {
        std::vector<Slot> out;
        for (const auto v : instances) out.push_back(problem_.slots[index(v)]);
        return out;
    }

    template <class F>
    Status each(const std::vector<VarId>& over, F visit) const {
        std::size_t count = 1;
        for (const auto v : over) count *= size(v);
        std::map<VarId, Label> labels;
        for (std::size_t c = 0; c < count; ++c) {
            std::size_t rest = c;
            for (std::size_t k = over.size(); k-- > 0;) {
                labels[over[k]] = (*problem_.instances[index(over[k])].domain)[rest % size(over[k])];
                rest /= size(over[k]);
            }
            if (Status done = visit(labels); !done) return done;
        }
        return Done{};
    }

    Outcome value_here(std::size_t i, const std::map<VarId, Label>& labels) const {
        const auto& instance = problem_.instances[i];
        if (instance.tied) return with_labels(instance.tied, labels)->value;
        return instance.value ? *instance.value : Outcome(labels.at(static_cast<VarId>(i)));
    }

    /// A distribution without latent numbers in it: a table over discrete variables, or a constant.
    Status plain_table(std::size_t i) {
        const auto& instance = problem_.instances[i];
        if (instance.discrete() && instance.value) {
            // Queries may still name it.
            Hybrid::Table fixed{{problem_.slots[i]}, {}};
            for (const auto& label : instance.domain->labels())
                fixed.weights.push_back(Weight::of(label == std::get<Label>(*instance.value) ? 1 : 0));
            if (problem_.slots[i] < problem_.net->variables.size()) out_.tables.push_back(std::move(fixed));
        }
        if (instance.set || !latent_numbers(problem_, instance, i).empty()) return Done{};
        const auto over = latent_discrete(problem_, instance, i);
        if (!instance.table) TRY(check_configurations(over, instance.name, most_cases));
        Hybrid::Table table{slots(over), {}};
        table.instance = i;
        if (instance.table) {
            const auto& net_node = problem_.net->node(instance.node).table;
            Status done = each(over, [&](const std::map<VarId, Label>& labels) -> Status {
                std::size_t at = 0;
                for (const auto parent : instance.table_parents) {
                    const auto& p = problem_.instances[index(parent)];
                    at = at * p.domain->size() + *p.domain->find(std::get<Label>(value_here(index(parent), labels)));
                }
                at = at * instance.domain->size() + *instance.domain->find(std::get<Label>(value_here(i, labels)));
                table.weights.push_back(Weight::of(net_node.entry(at)));
                return Done{};
            });
            if (!done) return done;
        } else {
            if (instance.is_real_latent()) return Done{};
            Status done = each(over, [&](const std::map<VarId, Label>& labels) -> Status {
                std::vector<Number> numbers;
                for (const auto& term : instance.parameters) numbers.push_back(with_labels(term, labels)->value);
                auto made = make_distribution(instance.family, numbers, instance.labels);
                if (!made) {
                    Fault fault = std::move(made).fault();
                    fault.message = fmt::format("{}: {}", instance.name, fault.message);
                    if (over.empty()) return fault;
                    table.faults.emplace_back(table.weights.size(), std::move(fault));
                    table.weights.push_back(Weight::of(0));
                    return Done{};
                }
                if (instance.censored) {
                    auto mass = TRY(mass_of(**made, instance.region));
                    table.weights.push_back(Weight::of(mass));
                    return Done{};
                }
                Outcome value = value_here(i, labels);
                if (const auto* label = std::get_if<Label>(&value); label && (*made)->support() == Support::integers)
                    value = *label->number();
                auto density = TRY((*made)->pdf(value));
                Weight weight = Weight::of(density);
                if (!weight.exact) weight.log = (*made)->log_pdf(value);
                if (instance.cut) weight.exact.reset();  // the sum ends somewhere
                table.weights.push_back(std::move(weight));
                return Done{};
            });
            if (!done) return done;
        }
        if (scale_ == Scale::kept || !over.empty() || table.weights[0].log == -INFINITY ||
            (table.weights[0].exact && table.weights[0].exact->is_zero()))
            out_.tables.push_back(std::move(table));
        return Done{};
    }

    Result<bool> solve_component(Component& component) {
        if (!component.needed) return true;
        std::vector<std::optional<Hybrid::Table>> by_side(2);
        const auto own_slots = slots(component.discrete);
        bool possible = true;
        const auto give_up = [&](Unanswered why) -> Status {
            if (why.fault) return Failure(std::move(why.fault));
            possible = false;
            return Done{};
        };
        for (auto& table : by_side) {
            table = Hybrid::Table{own_slots, {}};
            table->component = static_cast<std::size_t>(&component - out_.components.data());
        }
        const bool any_cut =
            std::any_of(component.factors.begin(), component.factors.end(), [&](std::size_t i) { return problem_.instances[i].cut; });
        bool any_condition = false;
        const bool any_target =
            std::any_of(component.events.begin(), component.events.end(), [&](std::size_t e) { return !problem_.real_events[e].evidence; });
        TRY(each(component.discrete, [&](const std::map<VarId, Label>& labels) -> Status {
            if (!possible) return Done{};
            if (run_.stopped()) return stopped_fault();
            const Subproblem subproblem = subproblem_of(problem_, component, labels);
            if (!component.discrete.empty() && is_above_its_top(subproblem)) {
                for (auto& table : by_side) table->weights.push_back(Weight::of(0));
                component.posteriors.emplace_back();
                component.posteriors.back().log_evidence = -INFINITY;
                return Done{};
            }
            auto solved = solve(subproblem, allowed_, run_);
            if (solved.failed() && solved.reason().code == "E-PARAMETER" && !component.discrete.empty()) {
                for (auto& table : by_side) {
                    table->faults.emplace_back(table->weights.size(), solved.reason());
                    table->weights.push_back(Weight::of(0));
                }
                component.posteriors.emplace_back();
                component.posteriors.back().log_evidence = -INFINITY;
                return Done{};
            }
            if (!solved) return give_up(std::move(solved).failure());
            any_condition = any_condition || !subproblem.conditions.empty();
            component.posteriors.push_back(*std::move(solved));
            Posterior& posterior = component.posteriors.back();
            for (const bool all : {false, true}) {
                if (all && !any_target) continue;
                auto mass = event_mass(problem_, component, subproblem, posterior, labels, all, allowed_, run_);
                if (!mass) return give_up(std::move(mass).failure());
                Weight weight = Weight::of(*mass);
                if (scale_ == Scale::kept || !component.discrete.empty()) {
                    // Without discrete variables the evidence only scales the measure.
                    weight.log += posterior.log_evidence;
                    weight.exact = weight.exact && posterior.evidence ? std::optional(*weight.exact * *posterior.evidence) : std::nullopt;
                }
                if (std::isnan(weight.log)) weight.log = -INFINITY;
                if (any_cut) weight.exact.reset();
                by_side[all ? 1 : 0]->weights.push_back(std::move(weight));
            }
            return Done{};
        }));
        if (!possible) return false;
        for (const auto& posterior : component.posteriors) out_.engine = std::max(out_.engine, posterior.engine);
        if (scale_ == Scale::dropped && component.discrete.empty() && component.events.empty() && !any_condition) return true;
        by_side[0]->when = any_target ? Hybrid::Table::When::evidence : Hybrid::Table::When::always;
        by_side[1]->when = Hybrid::Table::When::all;
        out_.tables.push_back(*std::move(by_side[0]));
        if (any_target) out_.tables.push_back(*std::move(by_side[1]));
        return true;
    }

    /// An event whose numbers were all observed: true or false by configuration.
    Status settled_event(const RealEvent& event) {
        const auto over = discretes_of(event);
        TRY(check_configurations(over, "an event", most_configurations));
        Hybrid::Table table{slots(over), {}, event.evidence ? Hybrid::Table::When::always : Hybrid::Table::When::all};
        (void)each(over, [&](const std::map<VarId, Label>& labels) -> Status {
            const auto label = [&](VarId id) {
                return std::get<Label>(value_here(index(problem_.of_variable[index(id)]->variable), labels));
            };
            const auto number = [&](VarId id) {
                const Term& term = problem_.of_variable[index(id)];
                if (term->op == TermOp::variable && problem_.instances[index(term->variable)].value)
                    return std::get<Number>(*problem_.instances[index(term->variable)].value).real();
                return with_labels(term, labels)->value.real();
            };
            table.weights.push_back(Weight::of(holds_with(event.event, problem_.net->variables, number, label) ? 1 : 0));
            return Done{};
        });
        out_.tables.push_back(std::move(table));
        return Done{};
    }

    const Unrolled& problem_;
    const Allowed& allowed_;
    const Run& run_;
    Scale scale_;
    Hybrid out_;
};

}  // namespace

Attempt<Hybrid> solve_hybrid(const Unrolled& problem, std::span<const Term> wanted, const Allowed& allowed, const Run& run, Scale scale) {
    return Builder(problem, allowed, run, scale)(wanted);
}

}  // namespace credence::rt::continuous
