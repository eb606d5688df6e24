// P(data), the parameters integrated out: the probability, or the density, that the evidence has with the data over that without.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/ask.hpp"
#include "runtime/continuous/exact/exact.hpp"
#include "runtime/continuous/sample/bridge.hpp"
#include "runtime/continuous/sample/prior_check.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/prob/models/sampled_column.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::rt::continuous {

namespace {

template <class T>
void append_all(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// `next X = [..]`: more draws, in rows of their own.
DataEvidence more_draws(const Expanded& net, const Observations& list) {
    ColumnBuilder column(net.net.nodes[net.visible[index(list.variable)].node].variable.name);
    std::size_t rows = 0;
    for (std::size_t i = 0; i < list.values.size(); ++i)
        for (std::int64_t k = 0; k < list.count(i); ++k, ++rows) column.add(list.values[i]);
    return {table_of_columns({*std::move(column).finish()}, rows), list.origin};
}

/// The data of the targets put among the evidence.
Query with_data_given(const Expanded& net, const Query& query) {
    Query out = query;
    for (const auto& list : query.targets.observations) {
        if (net.visible[index(list.variable)].next)
            out.given.data.push_back(more_draws(net, list));
        else
            out.given.observations.push_back(list);
    }
    append_all(out.given.data, query.targets.data);
    out.targets.observations.clear();
    out.targets.data.clear();
    return out;
}

/// The net with the labels of each row its own, where it was learned from such rows and nothing is given that they could share.
Expanded of_cases(const Expanded& net, const Query& query) {
    const Clause& given = query.given;
    Expanded out = net;
    out.labels_by_row = !net.net.history.empty() && query.targets.free.empty() && query.targets.events.empty() && given.free.empty() &&
                        given.events.empty() && given.observations.empty() && given.data.empty() && given.soft.empty();
    return out;
}

Fault cannot_integrate(const Query& query) {
    return {.code = "E-ENGINE",
            .message = "this engine does not integrate the parameters out of the probability of these data",
            .origin = query.by.origin == Origin::none ? query.origin : query.by.origin,
            .hint = "nuts does, by bridge sampling, unless the evidence ties numbers together (x + y = 4)"};
}

class DataQuery {
public:
    DataQuery(const Expanded& net, const Query& query, const Choice& choice, Run& run)
        : net_(net), query_(query), choice_(choice), run_(run) {}

    Result<Answer> operator()() {
        TRY(check_lists());
        Query rest = with_data_given(net_, query_);
        const auto& free = query_.given.free;
        rest.given.free.clear();
        Query without = rest;
        without.given.observations = query_.given.observations;
        without.given.data = query_.given.data;
        std::vector<Variable> over;
        std::size_t cases = 1;
        for (const auto id : free) {
            over.push_back(net_.variables[index(id)].variable);
            if (!over.back().is_discrete())
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} is a number, so its values cannot be enumerated", over.back().name),
                             .origin = query_.origin,
                             .hint = fmt::format("give it a value: {} = 0", over.back().name)};
            cases *= over.back().size();
        }
        for (std::size_t c = 0; c < cases; ++c) {
            Query with_here = rest;
            Query without_here = without;
            std::size_t at = c;
            for (std::size_t k = free.size(); k-- > 0; at /= over[k].size()) {
                const Event event = event_equal(free[k], (*over[k].domain)[at % over[k].size()], query_.origin);
                with_here.given.events.push_back(event);
                without_here.given.events.push_back(event);
            }
            TRY(add(with_here, without_here));
        }
        return finish(std::move(over), cases);
    }

    /// The probability of some evidence over that of part of it; not applicable where it would have to be estimated.
    Attempt<Answer> exact_ratio(const Query& with, const Query& without) {
        choice_.draws = false;
        const auto above = evidence_of(with);
        const auto below = evidence_of(without);
        if (!above || !below || below->log == -INFINITY) return not_applicable;
        engine_ = above->engine;
        Value share{.exact = std::nullopt, .log = above->log - below->log, .engine = {}};
        if (above->exact && below->exact) share.exact = *above->exact / *below->exact;
        push(share);
        return finish({}, 1);
    }

    /// Of all that the query gives.
    Result<LogEvidence> of_evidence() {
        const auto value = TRY(evidence_of(query_));
        return LogEvidence{value.log, value.error, value.engine};
    }

private:
    /// What was observed in a list is asked for again: which of them?
    Status check_lists() const {
        for (const auto& list : query_.targets.observations) {
            const auto& name = net_.variables[index(list.variable)].variable.name;
            bool twice = false;
            for (const auto& given : query_.given.observations) twice = twice || given.variable == list.variable;
            for (const auto& data : query_.given.data) twice = twice || data.table->find(name);
            if (twice)
                return Fault{.code = "E-QUERY",
                             .message = fmt::format("{} was observed many times: which one is asked for?", name),
                             .origin = list.origin,
                             .hint = fmt::format("write next {} for more draws", name)};
        }
        return Done{};
    }

    /// Exact where it is a fraction; else its logarithm.
    struct Value {
        std::optional<Rational> exact;
        double log = 0;
        std::string engine;
        double error = 0;  ///< standard error of the logarithm
    };

    /// The probability or density of the evidence of a query.
    Result<Value> evidence_of(const Query& query) {
        Query bare;
        bare.given = query.given;
        bare.doing = query.doing;
        bare.origin = query.origin;
        auto problem = prepare(net_, bare, run_);
        if (!problem && problem.fault().code == "E-ZERO") return Value{Rational(0), -INFINITY, "exact"};
        if (!problem) return std::move(problem).fault();
        TRY(check_probabilities(*problem, run_));
        std::optional<Hybrid> hybrid;
        if (choice_.exact) hybrid = TRY(solved(*problem));
        if (!hybrid) return by_bridge(*problem, bare);
        return in_best_numbers(run_, hybrid->exact, [&]<Prob P>(Work& work) -> Result<Value> {
            HybridMeasure<P> measure(*hybrid);
            auto total = TRY(measure.marginal({}, Side::evidence, work));
            Value out;
            out.engine = engine_name(hybrid->engine);
            if constexpr (std::same_as<P, Rational>) {
                out.exact = total.values[0];
                out.log = total.values[0].is_zero() ? -INFINITY : Number(total.values[0]).log();
            } else {
                out.log = total.values[0].log();
            }
            if (problem->log_orders > 0) {
                out.exact.reset();
                out.log -= problem->log_orders;
            }
            return out;
        });
    }

    /// Nothing where draws have to do.
    Result<std::optional<Hybrid>> solved(const Unrolled& problem) {
        auto hybrid = solve_hybrid(problem, {}, choice_.allowed, run_, Scale::kept);
        if (hybrid.failed() && hybrid.reason().code == "E-COST" && choice_.draws) return std::optional<Hybrid>();
        return std::move(hybrid).or_nothing();
    }

    Result<Value> by_bridge(const Unrolled& problem, const Query& query) {
        const bool tied = std::any_of(problem.instances.begin(), problem.instances.end(), [](const Instance& i) { return i.tied; });
        if (!choice_.draws || choice_.sampler.sampler != Sampler::nuts || tied) return cannot_integrate(query_);
        const auto estimate = TRY(bridge_sampling(problem, query, choice_.sampler, run_));
        return Value{std::nullopt, estimate.log, "bridge_sampling", estimate.error};
    }

    Status add(const Query& with, const Query& without) {
        auto above = TRY(evidence_of(with));
        auto below = TRY(evidence_of(without));
        if (below.log == -INFINITY) {  // let the engine name the contradiction
            Query asked = without;
            asked.targets = {};
            TRY(ask(net_, asked, run_));
            return Fault{.code = "E-ZERO", .message = "the evidence has probability zero", .origin = query_.origin};
        }
        engine_ = above.engine;
        Value share = {above.exact && below.exact ? std::optional(*above.exact / *below.exact) : std::nullopt,
                       above.log - below.log,
                       {},
                       std::hypot(above.error, below.error)};
        const auto& targets = query_.targets;
        if (targets.free.empty() && targets.events.empty()) {
            push(share);
            return Done{};
        }
        if (share.log == -INFINITY) return zeros();
        auto others = TRY(ask(net_, with, run_));
        if (const auto* number = std::get_if<Number>(&others.value)) {
            push(share, *number);
        } else if (const auto* factor = std::get_if<Factor>(&others.value)) {
            inner_ = factor->variables();
            for (std::size_t i = 0; i < factor->size(); ++i) push(share, factor->at(i));
        } else {
            return Fault{.code = "E-QUERY",
                         .message = "with data as evidence, a query can only ask for events and variables with labels",
                         .origin = query_.origin,
                         .hint = "put the data after the bar"};
        }
        return Done{};
    }

    Status zeros() {
        inner_.clear();
        std::size_t size = 1;
        for (const auto id : query_.targets.free) {
            inner_.push_back(net_.variables[index(id)].variable);
            if (!inner_.back().is_discrete()) return cannot_integrate(query_);
            size *= inner_.back().size();
        }
        for (std::size_t i = 0; i < size; ++i) push({Rational(0), -INFINITY, {}});
        return Done{};
    }

    void push(const Value& share, const Number& times = Number(1)) {
        Value out = share;
        out.exact = share.exact && times.is_exact() ? std::optional(*share.exact * times.exact()) : std::nullopt;
        out.log = times.is_zero() ? -INFINITY : share.log + times.log();
        values_.push_back(std::move(out));
    }

    Result<Answer> finish(std::vector<Variable> over, std::size_t cases) {
        Answer out;
        out.engine = engine_;
        double error = 0;
        for (const auto& value : values_)
            if (value.error > 0) error = std::max(error, std::exp(value.log) * value.error);
        if (error > 0) out.standard_error = Number::real(error);
        out.exact = std::all_of(values_.begin(), values_.end(), [](const Value& v) { return v.exact.has_value(); });
        if (over.empty() && inner_.empty()) {
            out.value = out.exact ? Number(*values_[0].exact) : Number::real(std::exp(values_[0].log));
            if (std::get<Number>(out.value).is_zero() && values_[0].log > -INFINITY) out.log = values_[0].log;
            return out;
        }
        // targets first, then what is free in the evidence
        std::vector<Variable> variables = inner_;
        append_all(variables, over);
        const std::size_t inner = values_.size() / cases;
        std::vector<Rational> fractions;
        Factor::Real logs;
        for (std::size_t i = 0; i < inner; ++i)
            for (std::size_t c = 0; c < cases; ++c) {
                const Value& value = values_[c * inner + i];
                if (out.exact) fractions.push_back(*value.exact);
                logs.push_back(value.log);
            }
        out.value = out.exact ? Factor(std::move(variables), std::move(fractions)) : Factor::of_logs(std::move(variables), std::move(logs));
        return out;
    }

    const Expanded& net_;
    const Query& query_;
    Choice choice_;
    Run& run_;
    std::string engine_;
    std::vector<Variable> inner_;  // free targets, where there are any
    std::vector<Value> values_;    // by configuration of what is free in the evidence, then of the targets
};

}  // namespace

bool asks_for_values(const Query& query, const Expanded& net) {
    const auto is_value = [&](const Event& event) {
        return event.kind == Event::Kind::atom && event.atom.compare == Compare::equal &&
               net.variables[index(event.atom.variable)].variable.is_discrete();
    };
    const auto events = conjuncts(query.targets.events);
    return query.targets.free.empty() && query.given.free.empty() && query.given.soft.empty() && !events.empty() &&
           std::all_of(events.begin(), events.end(), is_value);
}

Attempt<Answer> ask_for_values(const Expanded& net, const Query& query, const Choice& choice, Run& run) {
    Query with = query;
    append_all(with.given.events, query.targets.events);
    with.targets.events.clear();
    Query without = with;
    without.given.events = query.given.events;
    return DataQuery(net, query, choice, run).exact_ratio(with, without);
}

bool asks_for_data(const Query& query) { return !query.targets.observations.empty() || !query.targets.data.empty(); }

Result<Answer> ask_for_data(const Expanded& net, const Query& query, const Choice& choice, Run& run) {
    if (!choice.exact && !choice.draws) return cannot_integrate(query);
    const Expanded cases = of_cases(net, query);
    auto answer = DataQuery(cases, query, choice, run)();
    if (answer) return answer;
    Fault fault = std::move(answer).fault();
    if (fault.origin == Origin::none) fault.origin = query.origin;
    return fault;
}

Result<LogEvidence> log_evidence(const Expanded& net, const Query& query, Run& run) {
    return DataQuery(net, query, choice_of(query, run), run).of_evidence();
}

Result<Derivation> explain_data(const Expanded& net, const Query& query, const Answer& answer, const Choice& choice, Run& run) {
    DerivationWriter out;
    out.formula(query_text(query, net.variables) + " = the integral of P(data | parameters) over the prior");
    Query given = with_data_given(net, query);
    given.targets = {};
    given.given.free.clear();
    const Expanded cases = of_cases(net, query);
    auto problem = TRY(prepare(cases, given, run));
    std::optional<Hybrid> hybrid;
    if (choice.exact) hybrid = TRY(solve_hybrid(problem, {}, choice.allowed, run, Scale::kept).or_nothing());
    if (!hybrid)
        out.note(
            "No engine integrates the numbers out: bridge sampling estimates the integral from draws of the posterior, half of which "
            "fix a normal distribution to compare them with.");
    if (hybrid)
        for (const auto& component : hybrid->components)
            if (component.discrete.empty())
                for (const auto& line : component.posteriors[0].story) out.note(line);
    if (!query.given.observations.empty() || !query.given.data.empty() || !query.given.events.empty())
        out.note("over the probability of the evidence alone:");
    if (const auto* number = std::get_if<Number>(&answer.value)) {
        out.begin({*number});
        out.result(*number);
    }
    return std::move(out).take();
}

}  // namespace credence::rt::continuous
