#include "runtime/continuous/ask.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/exact/means.hpp"
#include "runtime/continuous/exact/plane.hpp"
#include "runtime/continuous/exact/quadrature.hpp"
#include "runtime/continuous/exact/regions.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

constexpr const RealEngine* engines[] = {
#define ENGINE(name) &name##_real_engine,
#include "runtime/continuous/engines.def"
#undef ENGINE
};

const RealEngine& engine_of(const Query& query) {
    const auto found =
        std::find_if(std::begin(engines), std::end(engines), [&](const RealEngine* e) { return e->method.name == query.by.name; });
    return found == std::end(engines) ? exact_real_engine : **found;
}

/// The later in the table, the rougher.
std::size_t roughness(std::string_view engine) {
    const auto found = std::find_if(std::begin(engines), std::end(engines), [&](const RealEngine* e) { return e->method.name == engine; });
    return static_cast<std::size_t>(found - std::begin(engines));
}

bool is_number(const Expanded& net, VarId id) { return !net.variables[index(id)].variable.is_discrete(); }

Fault at_query(Fault fault, const Query& query) {
    if (fault.origin == Origin::none) fault.origin = query.origin;
    return fault;
}

Fault cannot(const Query& query) {
    return {.code = "E-ENGINE",
            .message = std::string(engine_of(query).refusal),
            .origin = query.by.origin == Origin::none ? query.origin : query.by.origin,
            .label = "nuts can answer it",
            .hint = "leave `by` out to use the best engine"};
}

bool exact_parameters(const Distribution& d) {
    for (const auto& p : d.parameters()) {
        if (const auto* n = std::get_if<Number>(&p.value); n && !n->is_exact()) return false;
        if (const auto* list = std::get_if<std::vector<Number>>(&p.value))
            for (const auto& n : *list)
                if (!n.is_exact()) return false;
    }
    return d.name() != "density" && d.name() != "samples";
}

class ExactQuery {
public:
    ExactQuery(const Expanded& net, const Unrolled& problem, const Query& query, const Choice& choice, const Run& run)
        : net_(net), problem_(problem), query_(query), choice_(choice), run_(run) {}

    /// Nothing: no exact engine does it.
    Result<std::optional<Answer>> operator()() {
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
    Result<std::optional<Answer>> distribution_of(const Term& term) {
        auto layers = TRY(layered(problem_, std::span(&term, 1), choice_.allowed, run_));
        if (!layers) return std::optional<Answer>();
        auto spread = TRY(spread_of(*layers, term));
        if (!spread) return std::optional<Answer>();
        std::vector<Number> shares;
        std::vector<DistributionPtr> parts;
        bool integrated = false;
        std::map<std::int64_t, Number> masses;  // without numbers in it the term has one value in each configuration
        for (std::size_t c = 0; c < spread->weights.size(); ++c) {
            const Number& weight = spread->weights[c];
            if (weight.is_zero()) continue;
            const Term here = with_labels(term, labels_at(*spread, c));
            if (!spread->component) {
                const double value = here->value.real();
                if (value != std::floor(value) || std::abs(value) > 1e15) return std::optional<Answer>();
                masses[static_cast<std::int64_t>(value)] += weight;
                continue;
            }
            auto d = distribution_here(*spread, c, here);
            if (!d) return std::optional<Answer>();
            integrated = integrated || (d->name() == "density" && here->op != TermOp::variable);
            shares.push_back(weight);
            parts.push_back(std::move(d));
        }
        Answer out;
        out.engine = engine_name(integrated ? Engine::quadrature : layers->engine);
        if (!masses.empty()) {
            out.exact = std::all_of(masses.begin(), masses.end(), [](const auto& m) { return m.second.is_exact(); });
            out.value = make_count_table({masses.begin(), masses.end()});
            return std::optional<Answer>(std::move(out));
        }
        if (parts.size() == 1) {
            out.value = parts[0];
        } else {
            out.value = TRY(make_mixture(std::move(shares), std::move(parts)));
        }
        out.exact = exact_parameters(*std::get<DistributionPtr>(out.value));
        return std::optional<Answer>(std::move(out));
    }

    /// E of a term over the numbers of one component and discrete variables: the mean in each configuration, weighed by its probability.
    Result<std::optional<Answer>> mean_by_configuration(const Term& asked) {
        const Term term = with_means_of_leaves(problem_, asked);
        auto layers = TRY(layered(problem_, std::span(&term, 1), choice_.allowed, run_));
        if (!layers) return std::optional<Answer>();
        auto spread = TRY(spread_of(*layers, term));
        if (!spread) return std::optional<Answer>();
        Number sum = 0;
        bool integrated = false;
        for (std::size_t c = 0; c < spread->weights.size(); ++c) {
            const Number& weight = spread->weights[c];
            if (weight.is_zero()) continue;
            const Term here = with_labels(term, labels_at(*spread, c));
            std::optional<Number> mean;
            if (is_constant(here)) {
                mean = here->value;
            } else {
                mean = mean_here(*spread, c, here, integrated);
            }
            if (!mean) return std::optional<Answer>();
            if (!mean->is_exact() && std::isinf(mean->real()))
                return Fault{
                    .code = "E-UNDEFINED", .message = "this expectation does not exist: its integral diverges", .origin = query_.origin};
            sum += weight * *mean;
        }
        if (!sum.is_exact() && !std::isfinite(sum.real())) return std::optional<Answer>();
        Answer out;
        out.engine = integrated ? engine_name(Engine::quadrature) : engine_name(layers->engine);
        out.exact = sum.is_exact();
        out.value = sum;
        return std::optional<Answer>(std::move(out));
    }

private:
    /// The configurations of the discrete variables that a term hangs on, with their probabilities.
    struct Spread {
        const Component* component = nullptr;  ///< of the term's numbers; null where it has none
        std::vector<VarId> over;               ///< the component's own discrete variables first: they say which posterior it is
        std::size_t rest = 1;                  ///< configurations of the others
        std::vector<Number> weights;
        const Posterior& posterior(std::size_t c) const { return component->posteriors[c / rest]; }
    };

    /// Nothing where the term's numbers are in several components.
    Result<std::optional<Spread>> spread_of(const Layered& layers, const Term& term) const {
        Spread out;
        std::vector<VarId> labels;
        for (const auto v : variables_of(term)) {
            if (problem_.instances[index(v)].discrete()) {
                labels.push_back(v);
                continue;
            }
            const Component* own = layers.of(v);
            if (out.component && own != out.component) return std::optional<Spread>();
            out.component = own;
        }
        if (out.component) { out.over = out.component->round; }
        const std::size_t own = out.over.size();
        for (const auto v : labels)
            if (!contains(out.over, v)) out.over.push_back(v);
        std::vector<Slot> keep;
        for (std::size_t k = 0; k < out.over.size(); ++k) {
            keep.push_back(problem_.slots[index(out.over[k])]);
            if (k >= own) out.rest *= problem_.instances[index(out.over[k])].domain->size();
        }
        out.weights = TRY(marginal(layers, keep));
        return std::optional<Spread>(std::move(out));
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

    /// A term's distribution in one configuration, given the evidence; null where no engine has it.
    DistributionPtr distribution_here(const Spread& spread, std::size_t c, const Term& here) const {
        const auto labels = labels_at(spread, c);
        const Part part = part_of(problem_, *spread.component, labels);
        const Term condition = condition_of(problem_, *spread.component, part, labels, false);
        const auto& posterior = spread.posterior(c);
        if (!condition->has_variables) {
            if (auto known = marginal_of(posterior, here)) return known;
        } else if (part.conditions.empty() && here->op == TermOp::variable && restricting_only(*spread.component, here)) {
            return given_events(spread, c, marginal_of(posterior, here));
        }
        if (!choice_.allowed.quadrature) return nullptr;
        const std::vector<Term> terms{condition, here};
        const auto on = on_axes(part, posterior, terms, run_);
        return on ? distribution_on(*on, on->terms[1], on->terms[0]) : nullptr;
    }

    /// Its mean likewise: of a sum, the sum of the means.
    std::optional<Number> mean_here(const Spread& spread, std::size_t c, const Term& here, bool& integrated) const {
        const auto labels = labels_at(spread, c);
        const Part part = part_of(problem_, *spread.component, labels);
        const Term condition = condition_of(problem_, *spread.component, part, labels, false);
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
        if (!condition->has_variables && here->op == TermOp::multiply && are_independent(part, here->parts[0], here->parts[1])) {
            const auto first = mean_here(spread, c, here->parts[0], integrated);
            const auto second = first ? mean_here(spread, c, here->parts[1], integrated) : std::nullopt;
            if (second) return *first * *second;
        }
        if (!choice_.allowed.quadrature) return std::nullopt;
        integrated = true;
        if (const auto from = variables_of(here);
            part.conditions.empty() && from.size() == 1 && restricting_only(*spread.component, variable_term(from[0]))) {
            const auto d = given_events(spread, c, marginal_of(spread.posterior(c), variable_term(from[0])));
            if (!d) return std::nullopt;
            return Number::real(expected_value(*d, [&](double x) { return evaluate(here, [x](const TermNode&) { return x; }); }));
        }
        const std::vector<Term> terms{condition, here};
        const auto on = on_axes(part, spread.posterior(c), terms, run_);
        if (!on) return mean_of_sum(spread, c, here, integrated);
        const double total = mass_on(*on, on->terms[0]).real();
        if (!(total > 0)) return std::nullopt;
        return Number::real(integral_on(*on, on->terms[1], on->terms[0]) / total);
    }

    /// E(a + b) as E(a) + E(b), where the whole hangs on too many numbers.
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

    /// A number's distribution given the events about it; as it is where there are none.
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
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} was observed, so its value is known", net_.variables[index(id)].variable.name),
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
                auto layers = TRY(layered(*problem, {}, Allowed{}, run_));
                if (!layers) return false;
                Work work(run_, false);
                LayeredMeasure<LogProb> measure(*layers);
                auto total = TRY(measure.marginal({}, Side::evidence, work));
                return total.values[0].is_zero();
            });
        };
    }

    /// Shares of the configurations of some slots under the evidence; they sum to 1.
    Result<std::vector<Number>> marginal(const Layered& layers, const std::vector<Slot>& keep) const {
        return in_best_numbers(run_, layers.exact, [&]<Prob P>(Work& work) -> Result<std::vector<Number>> {
            LayeredMeasure<P> measure(layers);
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

    Result<std::optional<Answer>> over_labels() {
        for (const auto id : query_.given.free)
            if (is_number(net_, id))
                return Fault{
                    .code = "E-QUERY",
                    .message = fmt::format("{} is a number, so its values cannot be enumerated", net_.variables[index(id)].variable.name),
                    .origin = query_.origin,
                    .hint = fmt::format("give it a value: {} = 0", net_.variables[index(id)].variable.name)};
        auto layers = TRY(layered(problem_, {}, choice_.allowed, run_));
        if (!layers) return std::optional<Answer>();
        auto answer = TRY(in_best_numbers(run_, layers->exact, [&]<Prob P>(Work& work) -> Result<Answer> {
            LayeredMeasure<P> measure(*layers);
            auto out = answer_query<P>(measure, query_, net_.variables, zero_fault_here(), work);
            if (out && work.eliminated > 0) out->counts = {{"eliminated", Number(Rational(static_cast<std::int64_t>(work.eliminated)))}};
            return out;
        }));
        answer.engine = engine_name(layers->engine);
        return std::optional<Answer>(std::move(answer));
    }

    Result<std::optional<Answer>> over_number(VarId id) { return distribution_of(problem_.of_variable[index(id)]); }

    Result<std::optional<Answer>> over_vector(VarId id) {
        const auto node = net_.visible[index(id)].node;
        std::vector<Term> sticks;
        for (const auto stick : net_.parts[node])
            for (std::size_t i = 0; i < problem_.instances.size(); ++i)
                if (problem_.instances[i].node == index(stick)) sticks.push_back(variable_term(static_cast<VarId>(i)));
        auto layers = TRY(layered(problem_, sticks, choice_.allowed, run_));
        const auto& name = net_.variables[index(id)].variable.name;
        const Fault apart{.code = "E-QUERY",
                          .message = fmt::format("{} is no longer dirichlet given this evidence", name),
                          .origin = query_.origin,
                          .hint = fmt::format("ask for one component at a time: {}[1]", name)};
        if (!layers) return apart;
        std::vector<std::pair<Number, Number>> beta;
        for (const auto& stick : sticks) {
            const Component* component = layers->of(stick->variable);
            if (!component || !component->round.empty() || !component->events.empty()) return apart;
            const auto d = marginal_of(component->posteriors[0], stick);
            if (!d || d->name() != "beta") return apart;
            const auto p = d->parameters();
            beta.emplace_back(std::get<Number>(p[0].value), std::get<Number>(p[1].value));
        }
        std::vector<Number> concentration;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            concentration.push_back(beta[i].first);
            if (i + 1 < beta.size() && !(beta[i].second == beta[i + 1].first + beta[i + 1].second)) return apart;
        }
        concentration.push_back(beta.back().second);
        auto made = TRY(make_dirichlet(std::move(concentration)));
        Answer out;
        out.engine = engine_name(layers->engine);
        out.exact = exact_parameters(*made);
        out.value = std::move(made);
        return std::optional<Answer>(std::move(out));
    }

    Result<std::optional<Answer>> jointly(const std::vector<VarId>& numbers) {
        std::vector<Term> terms;
        std::string list;
        for (const auto id : numbers) {
            terms.push_back(problem_.of_variable[index(id)]);
            list += (list.empty() ? "" : ", ") + net_.variables[index(id)].variable.name;
        }
        std::vector<Term> wanted = terms;
        Term together = terms[0];  // so that independent ones are solved in one component
        for (std::size_t i = 1; i < terms.size(); ++i) together = make_term(TermOp::add, {together, terms[i]});
        wanted.push_back(together);
        auto layers = TRY(layered(problem_, wanted, choice_.allowed, run_));
        const Fault apart{.code = "E-QUERY",
                          .message = fmt::format("{} are several numbers, and not jointly normal given this evidence", list),
                          .origin = query_.origin,
                          .hint = "ask for one at a time, for an event of them, or for an expectation: E(X * Y | …)"};
        if (!layers) return apart;
        std::vector<LinearTerm> linear;
        const JointNormal* joint = nullptr;
        for (const auto& term : terms) {
            auto l = as_linear(term);
            if (!l || l->coefficients.empty()) return apart;
            const Component* component = layers->of(l->coefficients[0].first);
            if (!component || !component->round.empty() || !component->events.empty()) return apart;
            for (const auto& normal : component->posteriors[0].normals)
                if (std::binary_search(normal.variables().begin(), normal.variables().end(), l->coefficients[0].first)) {
                    if (joint && joint != &normal) return apart;
                    joint = &normal;
                }
            linear.push_back(*std::move(l));
        }
        if (!joint) return apart;
        std::vector<Number> mean;
        std::vector<std::vector<Number>> covariance;
        for (const auto& a : linear) {
            mean.push_back(joint->mean(a));
            covariance.emplace_back();
            for (const auto& b : linear) covariance.back().push_back(joint->covariance(a, b));
        }
        auto made = TRY(make_multinormal(std::move(mean), std::move(covariance)));
        Answer out;
        out.engine = engine_name(layers->engine);
        out.exact = joint->is_exact();
        out.value = std::move(made);
        return std::optional<Answer>(std::move(out));
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

/// The mean of a term: of a sum by the means of its numbers, wherever they are; otherwise within one component.
Result<std::optional<Answer>> exact_expectation(const Expanded& net, const Unrolled& problem, const Term& term, const Query& query,
                                                const Choice& choice, const Run& run) {
    ExactQuery exact(net, problem, query, choice, run);
    if (const auto linear = as_linear(term)) {
        Number sum = linear->constant;
        Answer out;
        out.engine = "conjugate";
        std::size_t rank = 0;
        const bool conditioned = has_conditions(problem);
        for (const auto& [v, coefficient] : linear->coefficients) {
            if (problem.instances[index(v)].discrete()) return exact.mean_by_configuration(term);
            if (conditioned) {
                auto one = exact.mean_by_configuration(variable_term(v));
                if (!one || !*one) return one;
                sum += coefficient * std::get<Number>((*one)->value);
                out.engine = (*one)->engine;
                rank = std::size(engines);
                continue;
            }
            auto one = exact.distribution_of(variable_term(v));
            if (!one) return one;
            if (!*one) return std::optional<Answer>();
            auto mean = TRY(std::get<DistributionPtr>((*one)->value)->mean());
            sum += coefficient * std::get<Number>(mean);
            const std::size_t own = roughness((*one)->engine);
            if (own >= rank) {
                rank = own;
                out.engine = (*one)->engine;
            }
        }
        out.exact = sum.is_exact();
        out.value = sum;
        return std::optional<Answer>(std::move(out));
    }
    return exact.mean_by_configuration(term);
}

}  // namespace

const RealEngine exact_real_engine{.method = exact_engine, .refusal = "no exact engine answers this query"};

Choice choice_of(const Query& query, const Run& run) {
    const RealEngine& engine = engine_of(query);
    Choice out{.allowed = engine.allowed, .exact = engine.exact, .draws = engine.sampler || !query.by.is_chosen(), .sampler = {}};
    if (engine.sampler) out.sampler = engine.sampler(query.by);
    if (run.numbers == NumberMode::real) out.allowed.exact_bits = 0;
    return out;
}

std::vector<MethodInfo> engine_methods() {
    std::vector<MethodInfo> out;
    for (const auto* e : engines) out.push_back(e->method);
    return out;
}

Result<Answer> ask(const Expanded& net, const Query& query, Run& run) {
    const Choice choice = choice_of(query, run);
    if (asks_for_data(query)) return ask_for_data(net, query, choice, run);
    auto problem = prepare(net, query, run);
    if (!problem) return at_query(std::move(problem).fault(), query);
    if (choice.exact) {
        auto answer = ExactQuery(net, *problem, query, choice, run)();
        if (!answer) return at_query(std::move(answer).fault(), query);
        if (*answer) return **std::move(answer);
        if (!choice.draws) return cannot(query);
    }
    auto answer = ask_by_draws(*problem, query, choice.sampler, run);
    if (!answer) return at_query(std::move(answer).fault(), query);
    return answer;
}

Result<Answer> ask_expectation(const Expanded& net, const Term& term, const Query& query, Run& run) {
    const Choice choice = choice_of(query, run);
    std::vector<Term> terms{term};
    auto problem = prepare(net, query, run, &terms);
    if (!problem) return at_query(std::move(problem).fault(), query);
    if (is_constant(terms[0])) {
        Answer out;
        out.engine = engine_name(Engine::none);
        out.value = terms[0]->value;
        out.exact = terms[0]->value.is_exact();
        return out;
    }
    if (choice.exact) {
        auto answer = exact_expectation(net, *problem, terms[0], query, choice, run);
        if (!answer) return at_query(std::move(answer).fault(), query);
        if (*answer) return **std::move(answer);
    }
    if (!choice.draws) return cannot(query);
    auto answer = expectation_by_draws(*problem, terms[0], query, choice.sampler, run);
    if (!answer) return at_query(std::move(answer).fault(), query);
    return answer;
}

}  // namespace credence::rt::continuous
