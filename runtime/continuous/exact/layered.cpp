#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/exact/exact.hpp"
#include "runtime/continuous/exact/orders.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/exact/regions.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/disjoint_sets.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double most_configurations = 200'000;

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

class Builder {
public:
    Builder(const Unrolled& problem, const Allowed& allowed, const Run& run, Scale scale)
        : problem_(problem), allowed_(allowed), run_(run), scale_(scale) {
        out_.problem = &problem;
    }

    Result<std::optional<Layered>> operator()(std::span<const Term> wanted) {
        group(wanted);
        for (const auto& term : wanted)
            for (const auto v : variables_of(term))
                for (auto& component : out_.components)
                    if (std::binary_search(component.numbers.begin(), component.numbers.end(), v)) component.needed = true;
        for (std::size_t i = 0; i < problem_.instances.size(); ++i) TRY(plain_table(i));
        for (const auto& component : out_.components)
            if (static_cast<double>(configurations(component)) > most_configurations)
                return Fault{.code = "E-COST",
                             .message = fmt::format("{} discrete variables influence {}: more than {:.0f} configurations",
                                                    component.round.size(), problem_.name(component.numbers[0]), most_configurations),
                             .hint = "observe some of them, or ask by nuts"};
        for (auto& component : out_.components) {
            auto solved = TRY(solve_component(component));
            if (!solved) return std::optional<Layered>();
        }
        for (std::size_t e = 0; e < problem_.real_events.size(); ++e)
            if (problem_.real_events[e].over.empty()) settled_event(problem_.real_events[e]);
        TRY(check_faults());
        for (const auto& table : out_.tables)
            for (const auto& weight : table.weights) out_.exact = out_.exact && weight.exact;
        return std::optional<Layered>(std::move(out_));
    }

private:
    /// Impossible parameters are a fault where the evidence leaves their labels any probability at all: with these entries alone open in
    /// one table, and all such entries open in the others, nothing may be left of the measure.
    Status check_faults() const {
        for (std::size_t t = 0; t < out_.tables.size(); ++t) {
            if (out_.tables[t].faults.empty() || out_.tables[t].when == Layered::Table::When::all) continue;  // the other side has the same
            Layered opened = out_;
            for (std::size_t k = 0; k < opened.tables.size(); ++k) {
                auto& table = opened.tables[k];
                if (k == t) std::fill(table.weights.begin(), table.weights.end(), Weight::of(0));
                for (const auto& [entry, fault] : table.faults) table.weights[entry] = Weight::of(1);
            }
            Work work(run_, false);
            auto total = TRY(LayeredMeasure<LogProb>(opened).marginal({}, Side::evidence, work));
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
            for (const auto v : latent_discrete(problem_, problem_.instances[i], i)) component.round.push_back(v);
        }
        for (std::size_t e = 0; e < problem_.real_events.size(); ++e) {
            const auto& event = problem_.real_events[e];
            if (event.over.empty()) continue;
            auto& component = component_at(index(event.over[0]));
            component.events.push_back(e);
            for (const auto v : discretes_of(event)) component.round.push_back(v);
        }
        for (auto& component : out_.components) {
            std::sort(component.round.begin(), component.round.end());
            component.round.erase(std::unique(component.round.begin(), component.round.end()), component.round.end());
            component.needed = scale_ == Scale::kept || !component.round.empty() || !component.events.empty();
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
        for (const auto v : component.round) out *= static_cast<double>(size(v));
        return out > 1e15 ? static_cast<std::size_t>(1e15) : static_cast<std::size_t>(out);
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
            Layered::Table fixed{{problem_.slots[i]}, {}};
            for (const auto& label : instance.domain->labels())
                fixed.weights.push_back(Weight::of(label == std::get<Label>(*instance.value) ? 1 : 0));
            if (problem_.slots[i] < problem_.net->variables.size()) out_.tables.push_back(std::move(fixed));
        }
        if (instance.set || !latent_numbers(problem_, instance, i).empty()) return Done{};
        const auto over = latent_discrete(problem_, instance, i);
        Layered::Table table{slots(over), {}};
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
        std::vector<std::optional<Layered::Table>> by_side(2);
        const auto own_slots = slots(component.round);
        bool possible = true;
        for (auto& table : by_side) {
            table = Layered::Table{own_slots, {}};
            table->component = static_cast<std::size_t>(&component - out_.components.data());
        }
        const bool any_cut =
            std::any_of(component.factors.begin(), component.factors.end(), [&](std::size_t i) { return problem_.instances[i].cut; });
        bool any_condition = false;
        const bool any_target =
            std::any_of(component.events.begin(), component.events.end(), [&](std::size_t e) { return !problem_.real_events[e].evidence; });
        TRY(each(component.round, [&](const std::map<VarId, Label>& labels) -> Status {
            if (!possible) return Done{};
            if (run_.stopped()) return stopped_fault();
            const Part part = part_of(problem_, component, labels);
            auto solved = solve(part, allowed_, run_);
            if (!solved && solved.fault().code == "E-PARAMETER" && !component.round.empty()) {
                for (auto& table : by_side) {
                    table->faults.emplace_back(table->weights.size(), solved.fault());
                    table->weights.push_back(Weight::of(0));
                }
                component.posteriors.emplace_back();
                component.posteriors.back().log_evidence = -INFINITY;
                return Done{};
            }
            if (!solved) return std::move(solved).fault();
            if (!*solved) {
                possible = false;
                return Done{};
            }
            any_condition = any_condition || !part.conditions.empty();
            component.posteriors.push_back(*std::move(*solved));
            Posterior& posterior = component.posteriors.back();
            for (const bool all : {false, true}) {
                if (all && !any_target) continue;
                auto mass = TRY(event_mass(component, part, posterior, labels, all));
                if (!mass) {
                    possible = false;
                    return Done{};
                }
                Weight weight = Weight::of(*mass);
                if (scale_ == Scale::kept || !component.round.empty()) {
                    // Without discrete variables round it the evidence only scales the measure.
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
        if (scale_ == Scale::dropped && component.round.empty() && component.events.empty() && !any_condition) return true;
        by_side[0]->when = any_target ? Layered::Table::When::evidence : Layered::Table::When::always;
        by_side[1]->when = Layered::Table::When::all;
        out_.tables.push_back(*std::move(by_side[0]));
        if (any_target) out_.tables.push_back(*std::move(by_side[1]));
        return true;
    }

    /// A term that events speak of, and the numbers it is compared with.
    struct Compared {
        Term term;
        std::vector<Number> marks = {};
    };

    /// P(events | evidence, configuration), those of the evidence or all; nothing where no engine has it.
    Result<std::optional<Number>> event_mass(const Component& component, const Part& part, Posterior& posterior,
                                             const std::map<VarId, Label>& labels, bool all) const {
        if (!part.conditions.empty()) return on_plane(component, part, posterior, labels, all);
        std::vector<const Event*> events;
        std::map<std::string, Compared> compared;  // by the text of the term
        for (const auto e : component.events) {
            const auto& event = problem_.real_events[e];
            if (!event.evidence && !all) continue;
            events.push_back(&event.event);
            for (const auto id : variables_of(event.event)) {
                if (problem_.net->variables[index(id)].variable.is_discrete()) continue;
                const Term here = with_labels(problem_.of_variable[index(id)], labels);
                if (!here->has_variables) continue;
                auto& own = compared.try_emplace(term_key(here), Compared{here}).first->second;
                collect_marks(event.event, id, own.marks);
            }
        }
        if (events.empty()) return std::optional<Number>(Number(1));
        const auto label = [&](VarId id) {
            const Term& t = problem_.of_variable[index(id)];
            return std::get<Label>(value_here(index(t->variable), labels));
        };
        const auto truth = [&](const std::function<double(const Term&)>& value) {
            const auto number = [&](VarId id) {
                const Term here = with_labels(problem_.of_variable[index(id)], labels);
                return here->has_variables ? value(here) : here->value.real();
            };
            return std::all_of(events.begin(), events.end(),
                               [&](const Event* e) { return holds_with(*e, problem_.net->variables, number, label); });
        };
        if (compared.empty()) return std::optional<Number>(Number(truth([](const Term&) { return 0.0; }) ? 1 : 0));
        Result<std::optional<Number>> mass = std::optional<Number>();
        if (compared.size() == 1) {
            const auto& only = compared.begin()->second;
            mass = mass_of(posterior, only.term, only.marks, [&](double x) { return truth([x](const Term&) { return x; }); });
        } else if (const auto from = common_variable(compared)) {
            mass = on_one_line(*from, compared, posterior, truth);
        } else {
            mass = by_cells(compared, part, posterior, truth);
        }
        if (!mass || *mass) return mass;
        return on_plane(component, part, posterior, labels, all);
    }

    /// By an integral over one number or two.
    Result<std::optional<Number>> on_plane(const Component& component, const Part& part, Posterior& posterior,
                                           const std::map<VarId, Label>& labels, bool all) const {
        if (!allowed_.quadrature) return std::optional<Number>();
        const Term condition = condition_of(problem_, component, part, labels, all);
        const auto on = on_axes(part, posterior, std::span(&condition, 1), run_);
        if (!on) {
            const auto ordered = mass_by_order(part, posterior, condition);
            if (!ordered) return std::optional<Number>();
            posterior.engine = std::max(posterior.engine, Engine::quadrature);
            return std::optional<Number>(Number::real(*ordered));
        }
        const Number mass = mass_on(*on, on->terms[0]);
        if (mass.is_nan()) return std::optional<Number>();
        if (on->axes.size() == 2) posterior.engine = std::max(posterior.engine, Engine::quadrature);
        if (!on->axes.empty()) {
            const auto name = [&](VarId v) { return problem_.name(v); };
            posterior.integrals.push_back(fmt::format("{} = {:.6g}", integral_words(*on, term_text(condition, name)), mass.real()));
        }
        return std::optional<Number>(mass);
    }

    using Truth = std::function<bool(const std::function<double(const Term&)>&)>;

    /// The one number that all the terms are functions of.
    static std::optional<VarId> common_variable(const std::map<std::string, Compared>& compared) {
        std::optional<VarId> out;
        for (const auto& [key, own] : compared) {
            const auto from = variables_of(own.term);
            if (from.size() != 1 || (out && *out != from[0])) return std::nullopt;
            out = from[0];
        }
        return out;
    }

    static Result<std::optional<Number>> on_one_line(VarId from, const std::map<std::string, Compared>& compared,
                                                     const Posterior& posterior, const Truth& truth) {
        const DistributionPtr parent = marginal_of(posterior, variable_term(from));
        if (!parent) return std::optional<Number>();
        std::vector<Curve> curves;
        for (const auto& [key, own] : compared)
            curves.push_back({[term = own.term](double x) { return evaluate(term, [x](const TermNode&) { return x; }); }, own.marks});
        auto mass = TRY(mass_of_region(*parent, curves, [&](double x) {
            return truth([x](const Term& term) { return evaluate(term, [x](const TermNode&) { return x; }); });
        }));
        return std::optional<Number>(std::move(mass));
    }

    /// Terms over numbers that are independent of each other: each line falls into cells between the marks, and a combination of cells
    /// has the product of their probabilities.
    static Result<std::optional<Number>> by_cells(const std::map<std::string, Compared>& compared, const Part& part,
                                                  const Posterior& posterior, const Truth& truth) {
        constexpr std::size_t most_cells = 4096;
        const auto pieces = connected(part);
        std::vector<std::size_t> used;
        struct Cell {
            double inside = 0;
            Number mass;
        };
        std::vector<std::pair<std::string, std::vector<Cell>>> lines;
        std::size_t combinations = 1;
        for (const auto& [key, own] : compared) {
            const auto from = variables_of(own.term);
            for (std::size_t k = 0; k < pieces.size(); ++k) {
                const auto& latents = pieces[k].latents;
                const bool here =
                    std::any_of(from.begin(), from.end(), [&](VarId v) { return std::binary_search(latents.begin(), latents.end(), v); });
                if (!here) continue;
                if (contains(used, k)) return std::optional<Number>();
                used.push_back(k);
            }
            std::vector<double> marks;
            for (const auto& mark : own.marks) marks.push_back(mark.real());
            std::sort(marks.begin(), marks.end());
            marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
            std::vector<Cell> cells;
            for (std::size_t k = 0; k <= 2 * marks.size(); ++k) {
                const double low = k / 2 == 0 ? -INFINITY : marks[k / 2 - 1];
                const double high = k / 2 == marks.size() ? INFINITY : marks[k / 2];
                const bool point = k % 2 == 1;  // the mark itself: of counts it has a probability
                auto mass = mass_of(posterior, own.term, own.marks, [&](double x) { return point ? x == high : x > low && x < high; });
                if (!mass) return mass;
                if (!*mass) return std::optional<Number>();
                const double inside = point                                         ? high
                                      : !std::isfinite(low) && !std::isfinite(high) ? 0
                                      : !std::isfinite(low)                         ? high - 1 - std::abs(high)
                                      : !std::isfinite(high)                        ? low + 1 + std::abs(low)
                                                                                    : 0.5 * (low + high);
                cells.push_back({inside, **mass});
            }
            combinations *= cells.size();
            if (combinations > most_cells) return std::optional<Number>();
            lines.emplace_back(key, std::move(cells));
        }
        Number total = 0;
        for (std::size_t c = 0; c < combinations; ++c) {
            std::map<std::string, double> at;
            Number mass = 1;
            std::size_t rest = c;
            for (const auto& [key, cells] : lines) {
                const auto& cell = cells[rest % cells.size()];
                rest /= cells.size();
                at[key] = cell.inside;
                mass = mass * cell.mass;
            }
            if (truth([&](const Term& term) { return at.at(term_key(term)); })) total += mass;
        }
        return std::optional<Number>(total > Number(1) ? Number(1) : total);
    }

    static void collect_marks(const Event& event, VarId of, std::vector<Number>& out) {
        if (event.kind == Event::Kind::atom && event.atom.variable == of)
            for (const auto& value : event.atom.values)
                if (value.number()) out.push_back(*value.number());
        for (const auto& part : event.parts) collect_marks(part, of, out);
    }

    static std::string term_key(const Term& term) {
        return term_text(term, [](VarId v) { return fmt::format("v{}", index(v)); });
    }

    /// An event whose numbers were all observed: true or false by configuration.
    void settled_event(const RealEvent& event) {
        const auto over = discretes_of(event);
        Layered::Table table{slots(over), {}, event.evidence ? Layered::Table::When::always : Layered::Table::When::all};
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
    }

    const Unrolled& problem_;
    const Allowed& allowed_;
    const Run& run_;
    Scale scale_;
    Layered out_;
};

}  // namespace

Weight Weight::of(const Number& number) {
    Weight out;
    out.log = number.sign() > 0 ? number.log() : -INFINITY;
    if (number.is_exact()) out.exact = number.exact();
    return out;
}

const Component* Layered::of(VarId number) const {
    for (const auto& component : components)
        if (std::binary_search(component.numbers.begin(), component.numbers.end(), number)) return &component;
    return nullptr;
}

std::map<VarId, Label> Layered::labels(const Component& component, std::size_t configuration) const {
    std::map<VarId, Label> out;
    for (std::size_t k = component.round.size(); k-- > 0;) {
        const auto& domain = *problem->instances[index(component.round[k])].domain;
        out[component.round[k]] = domain[configuration % domain.size()];
        configuration /= domain.size();
    }
    return out;
}

Term with_labels(const Term& term, const std::map<VarId, Label>& labels) {
    return rewrite(term, [&](const TermNode& leaf) -> Term {
        const auto at = labels.find(leaf.variable);
        return at == labels.end() ? nullptr : leaf_value(leaf, at->second);
    });
}

Result<std::optional<Layered>> layered(const Unrolled& problem, std::span<const Term> wanted, const Allowed& allowed, const Run& run,
                                       Scale scale) {
    return Builder(problem, allowed, run, scale)(wanted);
}

template <Prob P>
Result<Potential<P>> LayeredMeasure<P>::marginal(std::span<const Slot> keep, Side side, Work& work) {
    const Unrolled& problem = *layers_.problem;
    Problem<P> all;
    all.sizes = &problem.sizes;
    all.names = &problem.slot_names;
    all.potentials = weights_;
    for (const auto& table : layers_.tables) {
        using When = Layered::Table::When;
        if ((table.when == When::evidence && side == Side::all) || (table.when == When::all && side == Side::evidence)) continue;
        Potential<P> potential{table.slots, {}};
        for (const auto& weight : table.weights) {
            if constexpr (std::same_as<P, Rational>)
                potential.values.push_back(*weight.exact);
            else
                potential.values.push_back(LogProb::of_log(weight.log));
        }
        all.potentials.push_back(std::move(potential));
    }
    const auto add_events = [&](const std::vector<Event>& events) -> Status {
        for (const auto& event : events) {
            auto table = TRY(table_of(event, problem.net->variables, work.run()));
            all.potentials.push_back(indicator<P>(table));
        }
        return Done{};
    };
    TRY(add_events(problem.discrete_evidence));
    if (side == Side::all) TRY(add_events(problem.discrete_targets));
    return eliminate<P>(std::move(all), keep, work);
}

template class LayeredMeasure<Rational>;
template class LayeredMeasure<LogProb>;

bool holds_with(const Event& event, const Variables& variables, const std::function<double(VarId)>& number,
                const std::function<Label(VarId)>& label) {
    const auto inner = [&](const Event& part) { return holds_with(part, variables, number, label); };
    switch (event.kind) {
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(), inner);
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(), inner);
        case Event::Kind::negation:
            return !inner(event.parts[0]);
        case Event::Kind::atom:
            break;
    }
    const auto& atom = event.atom;
    if (variables[index(atom.variable)].variable.is_discrete()) return holds(atom, label(atom.variable));
    const double x = number(atom.variable);
    const auto value = [&](std::size_t i) { return atom.values[i].number()->real(); };
    switch (atom.compare) {
        case Compare::equal:
            return x == value(0);
        case Compare::not_equal:
            return x != value(0);
        case Compare::less:
            return x < value(0);
        case Compare::less_equal:
            return x <= value(0);
        case Compare::greater:
            return x > value(0);
        case Compare::greater_equal:
            return x >= value(0);
        case Compare::one_of:
            for (std::size_t i = 0; i < atom.values.size(); ++i)
                if (x == value(i)) return true;
            return false;
    }
    return false;
}

}  // namespace credence::rt::continuous
