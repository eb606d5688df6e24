#include "runtime/continuous/exact/exact_query.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/exact/means.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/exact/regions.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/distributions/expectation.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

bool is_number(const Expanded& net, VarId id) { return !net.variables[index(id)].variable.is_discrete(); }

bool exact_parameters(const Distribution& d) {
    for (const auto& p : d.parameters()) {
        if (const auto* n = std::get_if<Number>(&p.value); n && !n->is_exact()) return false;
        if (const auto* list = std::get_if<std::vector<Number>>(&p.value))
            for (const auto& n : *list)
                if (!n.is_exact()) return false;
    }
    return d.name() != "density" && d.name() != "samples";
}

/// Many distributions of counts as one table of their values; null where that would be long, or where they are something else.
DistributionPtr table_of_counts(std::span<const Number> shares, std::span<const DistributionPtr> parts) {
    constexpr std::size_t few = 8;
    constexpr std::size_t most_terms = 5'000'000;
    constexpr double nothing = 1e-19;
    if (parts.size() <= few) return nullptr;
    double mean = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i]->support() != Support::integers) return nullptr;
        const auto own = parts[i]->mean();
        if (!own) return nullptr;
        mean = std::max(mean, std::get<Number>(*own).real());
    }
    std::vector<std::pair<std::int64_t, Number>> masses;
    for (std::int64_t k = 0;; ++k) {
        if (static_cast<std::size_t>(k) * parts.size() > most_terms) return nullptr;
        double mass = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) mass += shares[i].real() * std::exp(parts[i]->log_pdf(Number(Rational(k))));
        if (mass >= nothing) masses.emplace_back(k, Number::real(mass));
        if (mass<nothing&& static_cast<double>(k)> mean) break;
    }
    return masses.empty() ? nullptr : make_count_table(std::move(masses));
}

class ExactQuery {
public:
    ExactQuery(const Unrolled& problem, const Query& query, const Choice& choice, const Run& run)
        : net_(*problem.net), problem_(problem), query_(query), choice_(choice), run_(run) {}

    /// Nothing: no exact engine does it.
    Attempt<Answer> operator()() {
        std::vector<VarId> numbers;
        for (const auto id : query_.targets.free)
            if (is_number(net_, id)) numbers.push_back(id);
        if (numbers.empty()) return over_labels();
        TRY(check_numbers(numbers));
        if (numbers.size() == 1 && net_.is_vector(net_.visible[index(numbers[0])].node)) return over_vector(numbers[0]);
        if (numbers.size() > 1) return jointly(numbers);
        return over_number(numbers[0]);
    }

    /// One answer for a term, as a distribution.
    Attempt<Answer> distribution_of(const Term& term) {
        auto hybrid = TRY(solve_hybrid(problem_, std::span(&term, 1), choice_.allowed, run_));
        auto spread = TRY(spread_of(hybrid, term));
        std::vector<Number> shares;
        std::vector<DistributionPtr> parts;
        bool integrated = false;
        std::map<std::int64_t, Number> masses;  // without numbers in it the term has one value in each configuration
        for (std::size_t c = 0; c < spread.weights.size(); ++c) {
            const Number& weight = spread.weights[c];
            if (weight.is_zero()) continue;
            const Term here = with_labels(term, labels_at(spread, c));
            if (!spread.component) {
                const double value = here->value.real();
                if (value != std::floor(value) || std::abs(value) > 1e15) return not_applicable;
                masses[static_cast<std::int64_t>(value)] += weight;
                continue;
            }
            auto d = distribution_here(spread, c, here);
            if (!d) return not_applicable;
            integrated = integrated || (d->name() == "density" && here->op != TermOp::variable);
            shares.push_back(weight);
            parts.push_back(std::move(d));
        }
        Answer out;
        out.engine = engine_name(integrated ? Engine::quadrature : hybrid.engine);
        if (!masses.empty()) {
            out.exact = std::all_of(masses.begin(), masses.end(), [](const auto& m) { return m.second.is_exact(); });
            out.value = make_count_table({masses.begin(), masses.end()});
            return out;
        }
        if (parts.size() == 1) {
            out.value = parts[0];
        } else if (auto counts = table_of_counts(shares, parts)) {
            out.value = std::move(counts);
            out.exact = false;
            return out;
        } else {
            out.value = TRY(make_mixture(std::move(shares), std::move(parts)));
        }
        out.exact = exact_parameters(*std::get<DistributionPtr>(out.value));
        return out;
    }

    /// E of a term over the numbers of one component and discrete variables: the mean in each configuration, weighed by its probability.
    Attempt<Answer> mean_by_configuration(const Term& asked) {
        const Term term = with_means_of_leaves(problem_, asked);
        auto hybrid = TRY(solve_hybrid(problem_, std::span(&term, 1), choice_.allowed, run_));
        auto spread = TRY(spread_of(hybrid, term));
        Number sum = 0;
        bool integrated = false;
        for (std::size_t c = 0; c < spread.weights.size(); ++c) {
            const Number& weight = spread.weights[c];
            if (weight.is_zero()) continue;
            const Term here = with_labels(term, labels_at(spread, c));
            std::optional<Number> mean;
            if (is_constant(here)) {
                mean = here->value;
            } else {
                mean = mean_here(spread, c, here, integrated);
            }
            if (!mean) return not_applicable;
            if (!mean->is_exact() && std::isinf(mean->real()))
                return Fault{
                    .code = "E-UNDEFINED", .message = "this expectation does not exist: its integral diverges", .origin = query_.origin};
            sum += weight * *mean;
        }
        if (!sum.is_exact() && !std::isfinite(sum.real())) return not_applicable;
        Answer out;
        out.engine = integrated ? engine_name(Engine::quadrature) : engine_name(hybrid.engine);
        out.exact = sum.is_exact();
        out.value = sum;
        return out;
    }

private:
    /// The configurations of the discrete variables that a term depends on, with their probabilities.
    struct Spread {
        const Component* component = nullptr;  ///< of the term's numbers; null if it has none
        std::vector<VarId> over;               ///< the component's own discrete variables first: they say which posterior it is
        std::size_t rest = 1;                  ///< configurations of the others
        std::vector<Number> weights;
        const Posterior& posterior(std::size_t c) const { return component->posteriors[c / rest]; }
    };

    /// Nothing if the term's numbers are in several components.
    Attempt<Spread> spread_of(const Hybrid& hybrid, const Term& term) const {
        Spread out;
        std::vector<VarId> labels;
        for (const auto v : variables_of(term)) {
            if (problem_.instances[index(v)].discrete()) {
                labels.push_back(v);
                continue;
            }
            const Component* own = hybrid.of(v);
            if (out.component && own != out.component) return not_applicable;
            out.component = own;
        }
        if (out.component) { out.over = out.component->discrete; }
        const std::size_t own = out.over.size();
        for (const auto v : labels)
            if (!contains(out.over, v)) out.over.push_back(v);
        std::vector<Slot> keep;
        for (std::size_t k = 0; k < out.over.size(); ++k) {
            keep.push_back(problem_.slots[index(out.over[k])]);
            if (k >= own) out.rest *= problem_.instances[index(out.over[k])].domain->size();
        }
        out.weights = TRY(marginal(hybrid, keep));
        return out;
    }

    /// Whether the events of a component speak only of the one number that the term is a function of.
    bool restricting_only(const Component& component, const Term& term) const {
        std::optional<VarId> number;
        for (const auto v : variables_of(term)) {
            if (problem_.instances[index(v)].discrete()) continue;
            if (number) return false;
            number = v;
        }
        return std::all_of(component.events.begin(), component.events.end(), [&](std::size_t e) {
            const auto& event = problem_.real_events[e];
            const auto about = variables_of(event.event);
            return event.evidence && std::all_of(about.begin(), about.end(), [&](VarId id) {
                       const Term& own = problem_.of_variable[index(id)];
                       return !is_number(net_, id) || (own->op == TermOp::variable && own->variable == number);
                   });
        });
    }

    /// A term's distribution in one configuration, given the evidence; null if no engine has it.
    DistributionPtr distribution_here(const Spread& spread, std::size_t c, const Term& here) const {
        const auto labels = labels_at(spread, c);
        const Subproblem subproblem = subproblem_of(problem_, *spread.component, labels);
        const Term condition = condition_of(problem_, *spread.component, subproblem, labels, false);
        const auto& posterior = spread.posterior(c);
        if (!condition->has_variables) {
            if (auto known = marginal_of(posterior, here)) return known;
        } else if (subproblem.conditions.empty() && here->op == TermOp::variable && restricting_only(*spread.component, here)) {
            return given_events(spread, c, marginal_of(posterior, here));
        }
        if (!choice_.allowed.quadrature) return nullptr;
        const std::vector<Term> terms{condition, here};
        const auto on = on_axes(subproblem, posterior, terms, run_);
        return on ? distribution_on(*on, on->terms[1], on->terms[0]) : nullptr;
    }

    /// Its mean likewise: of a sum, the sum of the means.
    std::optional<Number> mean_here(const Spread& spread, std::size_t c, const Term& here, bool& integrated) const {
        const auto labels = labels_at(spread, c);
        const Subproblem subproblem = subproblem_of(problem_, *spread.component, labels);
        const Term condition = condition_of(problem_, *spread.component, subproblem, labels, false);
        if (!condition->has_variables)
            if (auto mean = mean_given(spread.posterior(c), here, integrated)) return mean;
        if (const auto linear = as_linear(here); linear && linear->coefficients.size() > 1) {
            Number sum = linear->constant;
            for (const auto& [v, coefficient] : linear->coefficients) {
                const auto one = mean_here(spread, c, variable_term(v), integrated);
                if (!one) return std::nullopt;
                sum += coefficient * *one;
            }
            return sum;
        }
        if (!condition->has_variables && here->op == TermOp::multiply && are_independent(subproblem, here->parts[0], here->parts[1])) {
            const auto first = mean_here(spread, c, here->parts[0], integrated);
            const auto second = first ? mean_here(spread, c, here->parts[1], integrated) : std::nullopt;
            if (second) return *first * *second;
        }
        if (!choice_.allowed.quadrature) return std::nullopt;
        integrated = true;
        if (const auto from = variables_of(here);
            subproblem.conditions.empty() && from.size() == 1 && restricting_only(*spread.component, variable_term(from[0]))) {
            const auto d = given_events(spread, c, marginal_of(spread.posterior(c), variable_term(from[0])));
            if (!d) return std::nullopt;
            return Number::real(expected_value(*d, [&](double x) { return evaluate(here, [x](const TermNode&) { return x; }); }));
        }
        const std::vector<Term> terms{condition, here};
        const auto on = on_axes(subproblem, spread.posterior(c), terms, run_);
        if (!on) return mean_of_sum(spread, c, here, integrated);
        const double total = mass_on(*on, on->terms[0]).real();
        if (!(total > 0)) return std::nullopt;
        return Number::real(integral_on(*on, on->terms[1], on->terms[0]) / total);
    }

    /// E(a + b) as E(a) + E(b), where the whole depends on too many numbers.
    std::optional<Number> mean_of_sum(const Spread& spread, std::size_t c, const Term& here, bool& integrated) const {
        const bool scaled = here->op == TermOp::multiply && (is_constant(here->parts[0]) || is_constant(here->parts[1]));
        if (here->op != TermOp::add && here->op != TermOp::subtract && here->op != TermOp::negate && !scaled) return std::nullopt;
        std::vector<Number> means;
        for (const auto& part : here->parts) {
            const auto mean = is_constant(part) ? std::optional(part->value) : mean_here(spread, c, part, integrated);
            if (!mean) return std::nullopt;
            means.push_back(*mean);
        }
        return number_value(here->op, means[0], means.size() > 1 ? means[1] : Number(0));
    }

    /// A number's distribution given the events about it; as it is if there are none.
    DistributionPtr given_events(const Spread& spread, std::size_t configuration, DistributionPtr whole) const {
        if (!whole || spread.component->events.empty()) return whole;
        const auto here = labels_at(spread, configuration);
        const auto label = [&](VarId id) {
            const VarId v = problem_.of_variable[index(id)]->variable;
            const auto& value = problem_.instances[index(v)].value;
            return value ? std::get<Label>(*value) : here.at(v);
        };
        std::vector<Number> marks;
        std::vector<const Event*> events;
        const std::function<void(const Event&)> collect = [&](const Event& event) {
            if (event.kind == Event::Kind::atom && is_number(net_, event.atom.variable))
                for (const auto& value : event.atom.values) marks.push_back(*value.number());
            for (const auto& part : event.parts) collect(part);
        };
        for (const auto e : spread.component->events) {
            events.push_back(&problem_.real_events[e].event);
            collect(*events.back());
        }
        return make_restricted(std::move(whole), std::move(marks), [&](double x) {
            return std::all_of(events.begin(), events.end(), [&](const Event* e) {
                return holds_with(
                    *e, net_.variables, [x](VarId) { return x; }, label);
            });
        });
    }

    std::map<VarId, Label> labels_at(const Spread& spread, std::size_t configuration) const {
        std::map<VarId, Label> out;
        for (std::size_t k = spread.over.size(); k-- > 0;) {
            const auto& domain = *problem_.instances[index(spread.over[k])].domain;
            out[spread.over[k]] = domain[configuration % domain.size()];
            configuration /= domain.size();
        }
        return out;
    }

    Status check_numbers(const std::vector<VarId>& numbers) const {
        const auto& first = net_.variables[index(numbers[0])].variable.name;
        if (numbers.size() != query_.targets.free.size() || !query_.targets.events.empty() || !query_.given.free.empty())
            return Fault{
                .code = "E-QUERY",
                .message = fmt::format("{} is a number: its answer is a distribution, not a table over other variables too", first),
                .origin = query_.origin,
                .hint = fmt::format("ask for {} alone, or for an event such as {} > 0", first, first)};
        for (const auto id : numbers) {
            const Term& term = problem_.of_variable[index(id)];
            const bool vector = net_.is_vector(net_.visible[index(id)].node);
            const bool known =
                !vector && (is_constant(term) || (term->op == TermOp::variable && problem_.instances[index(term->variable)].value));
            if (known)
                return Fault{
                    .code = "E-QUERY",
                    .message = fmt::format("{} was observed: there is nothing uncertain about it", net_.variables[index(id)].variable.name),
                    .origin = query_.origin};
        }
        return Done{};
    }

    ZeroFault zero_fault_here() const {
        return [this](std::span<const std::pair<Slot, std::size_t>> configuration) {
            Clause given = query_.given;
            for (const auto& [slot, value] : configuration)
                given.events.push_back(event_equal(static_cast<VarId>(slot), (*net_.variables[slot].variable.domain)[value], Origin::none));
            return zero_fault(items_of(given, net_.variables), query_.origin, [&](const Clause& subset) -> Result<bool> {
                Query part;
                part.given = subset;
                part.doing = query_.doing;
                auto problem = prepare(net_, part, run_);
                if (!problem) return problem.fault().code == "E-ZERO" ? Result<bool>(true) : Result<bool>(std::move(problem).fault());
                auto hybrid = TRY(solve_hybrid(*problem, {}, Allowed{}, run_).or_nothing());
                if (!hybrid) return false;
                Work work(run_, false);
                HybridMeasure<LogProb> measure(*hybrid);
                auto total = TRY(measure.marginal({}, Side::evidence, work));
                return total.values[0].is_zero();
            });
        };
    }

    /// Shares of the configurations of some slots under the evidence; they sum to 1.
    Result<std::vector<Number>> marginal(const Hybrid& hybrid, const std::vector<Slot>& keep) const {
        return in_best_numbers(run_, hybrid.exact, [&]<Prob P>(Work& work) -> Result<std::vector<Number>> {
            HybridMeasure<P> measure(hybrid);
            const ZeroFault zero = zero_fault_here();
            TRY(apply_soft_evidence<P>(measure, query_, net_.variables, zero, work));
            auto table = TRY(measure.marginal(keep, Side::evidence, work));
            Total<P> total;
            for (const auto& value : table.values) total.add(value);
            if (total.get().is_zero()) return zero({});
            std::vector<Number> out;
            for (auto value : table.values) out.push_back(to_number(P(value / total.get())));
            return out;
        });
    }

    Attempt<Answer> over_labels() {
        for (const auto id : query_.given.free)
            if (is_number(net_, id))
                return Fault{
                    .code = "E-QUERY",
                    .message = fmt::format("{} is a number, so its values cannot be enumerated", net_.variables[index(id)].variable.name),
                    .origin = query_.origin,
                    .hint = fmt::format("give it a value: {} = 0", net_.variables[index(id)].variable.name)};
        auto hybrid = TRY(solve_hybrid(problem_, {}, choice_.allowed, run_));
        auto answer = TRY(in_best_numbers(run_, hybrid.exact, [&]<Prob P>(Work& work) -> Result<Answer> {
            HybridMeasure<P> measure(hybrid);
            auto out = answer_query<P>(measure, query_, net_.variables, zero_fault_here(), work);
            if (out && work.eliminated > 0) out->counts = {{"eliminated", Number(Rational(static_cast<std::int64_t>(work.eliminated)))}};
            return out;
        }));
        answer.engine = engine_name(hybrid.engine);
        return answer;
    }

    Attempt<Answer> over_number(VarId id) { return distribution_of(problem_.of_variable[index(id)]); }

    Attempt<Answer> over_vector(VarId id) {
        const auto node = net_.visible[index(id)].node;
        std::vector<Term> sticks;
        for (const auto stick : net_.parts[node])
            for (std::size_t i = 0; i < problem_.instances.size(); ++i)
                if (problem_.instances[i].node == index(stick)) sticks.push_back(variable_term(static_cast<VarId>(i)));
        auto hybrid = TRY(solve_hybrid(problem_, sticks, choice_.allowed, run_).or_nothing());
        const auto& name = net_.variables[index(id)].variable.name;
        const Family family = net_.node(node).family;
        const Fault no_joint{.code = "E-QUERY",
                             .message = fmt::format("{} is no longer {} given this evidence", name, family->name),
                             .origin = query_.origin,
                             .hint = fmt::format("ask for one component at a time: {}[1]", name)};
        if (!hybrid) return no_joint;
        std::vector<std::pair<Number, Number>> beta;
        for (const auto& stick : sticks) {
            const Component* component = hybrid->of(stick->variable);
            if (!component || !component->discrete.empty() || !component->events.empty()) return no_joint;
            const auto d = marginal_of(component->posteriors[0], stick);
            if (!d || d->name() != "beta") return no_joint;
            const auto p = d->parameters();
            beta.emplace_back(std::get<Number>(p[0].value), std::get<Number>(p[1].value));
        }
        const auto parameters = family->vector->from_sticks(beta);
        if (!parameters) return no_joint;
        auto made = TRY(make_distribution(family, *parameters));
        Answer out;
        out.engine = engine_name(hybrid->engine);
        out.exact = exact_parameters(*made);
        out.value = std::move(made);
        return out;
    }

    Attempt<Answer> jointly(const std::vector<VarId>& numbers) {
        std::vector<Term> terms;
        std::vector<std::string> names;
        for (const auto id : numbers) {
            terms.push_back(problem_.of_variable[index(id)]);
            names.push_back(net_.variables[index(id)].variable.name);
        }
        std::vector<Term> wanted = terms;
        Term together = terms[0];  // so that independent ones are solved in one component
        for (std::size_t i = 1; i < terms.size(); ++i) together = make_term(TermOp::add, {together, terms[i]});
        wanted.push_back(together);
        auto hybrid = TRY(solve_hybrid(problem_, wanted, choice_.allowed, run_).or_nothing());
        const Fault no_joint{
            .code = "E-QUERY",
            .message = fmt::format("{} are several numbers, and not jointly normal given this evidence", joined(names, ", ")),
            .origin = query_.origin,
            .hint = "ask for one at a time, for an event of them, or for an expectation: E(X * Y | …)"};
        const auto refused = [&]() -> Attempt<Answer> {  // draws know them together
            if (choice_.draws) return not_applicable;
            return no_joint;
        };
        if (!hybrid) return refused();
        std::vector<LinearTerm> linear;
        const JointNormal* joint = nullptr;
        for (const auto& term : terms) {
            auto l = as_linear(term);
            if (!l || l->coefficients.empty()) return refused();
            const Component* component = hybrid->of(l->coefficients[0].first);
            if (!component || !component->discrete.empty() || !component->events.empty()) return refused();
            for (const auto& normal : component->posteriors[0].normals)
                if (std::binary_search(normal.variables().begin(), normal.variables().end(), l->coefficients[0].first)) {
                    if (joint && joint != &normal) return refused();
                    joint = &normal;
                }
            linear.push_back(*std::move(l));
        }
        // A label in a term, as in z + R, makes a mixture of it.
        if (!joint || !std::all_of(linear.begin(), linear.end(), [&](const LinearTerm& l) { return joint->knows(l); })) return refused();
        std::vector<Number> mean;
        std::vector<std::vector<Number>> covariance;
        for (const auto& a : linear) {
            mean.push_back(joint->mean(a));
            covariance.emplace_back();
            for (const auto& b : linear) covariance.back().push_back(joint->covariance(a, b));
        }
        auto made = TRY(make_multinormal(std::move(mean), std::move(covariance)));
        Answer out;
        out.engine = engine_name(hybrid->engine);
        out.exact = joint->is_exact();
        out.value = with_names(std::move(made), std::move(names));
        return out;
    }

    const Expanded& net_;
    const Unrolled& problem_;
    const Query& query_;
    const Choice& choice_;
    const Run& run_;
};

/// Whether the evidence says more of the numbers than densities do.
bool has_conditions(const Unrolled& problem) {
    return std::any_of(problem.real_events.begin(), problem.real_events.end(), [](const RealEvent& e) { return e.evidence; }) ||
           std::any_of(problem.instances.begin(), problem.instances.end(), [](const Instance& i) {
               return i.value && i.family == Family::bernoulli && i.parameters.size() == 1 && is_truth(i.parameters[0]);
           });
}

}  // namespace

Attempt<Answer> exact_answer(const Unrolled& problem, const Query& query, const Choice& choice, const Run& run) {
    return ExactQuery(problem, query, choice, run)();
}

Attempt<Answer> exact_expectation(const Unrolled& problem, const Term& term, const Query& query, const Choice& choice, const Run& run) {
    ExactQuery exact(problem, query, choice, run);
    if (const auto linear = as_linear(term)) {
        Number sum = linear->constant;
        Answer out;
        out.engine = "conjugate";
        std::size_t rank = 0;
        const bool conditioned = has_conditions(problem);
        for (const auto& [v, coefficient] : linear->coefficients) {
            if (problem.instances[index(v)].discrete()) return exact.mean_by_configuration(term);
            // The mean of a mixture over a rule's points would not tell that there is none.
            const bool by_formula = with_means_of_leaves(problem, variable_term(v))->op != TermOp::variable;
            auto one = conditioned || by_formula ? exact.mean_by_configuration(variable_term(v)) : Attempt<Answer>(not_applicable);
            if (conditioned || one.is_applicable()) {
                if (!one) return one;
                sum += coefficient * std::get<Number>(one->value);
                out.engine = one->engine;
                rank = roughness("");
                continue;
            }
            auto drawn = TRY(exact.distribution_of(variable_term(v)));
            auto mean = TRY(std::get<DistributionPtr>(drawn.value)->mean());
            sum += coefficient * std::get<Number>(mean);
            const std::size_t own = roughness(drawn.engine);
            if (own >= rank) {
                rank = own;
                out.engine = drawn.engine;
            }
        }
        out.exact = sum.is_exact();
        out.value = sum;
        return out;
    }
    return exact.mean_by_configuration(term);
}

}  // namespace credence::rt::continuous
