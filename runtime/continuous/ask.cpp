#include "runtime/continuous/ask.hpp"

#include <algorithm>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/exact/chains.hpp"
#include "runtime/continuous/exact/exact_query.hpp"
#include "runtime/continuous/sample/prior_check.hpp"
#include "runtime/continuous/unroll/counts.hpp"
#include "runtime/continuous/unroll/several_numbers.hpp"

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

Fault at_query(Fault fault, const Query& query) {
    if (fault.origin == Origin::none) fault.origin = query.origin;
    return fault;
}

Answer with_notes(Answer answer, const Unrolled& problem) {
    answer.notes.insert(answer.notes.end(), problem.notes.begin(), problem.notes.end());
    return answer;
}

Fault cannot(const Query& query) {
    return {.code = "E-ENGINE",
            .message = std::string(engine_of(query).refusal),
            .origin = query.by.origin == Origin::none ? query.origin : query.by.origin,
            .label = "nuts can answer it",
            .hint = "leave `by` out to use the best engine"};
}

/// Where an exact engine would have to list too many configurations, draws may still do: there labels are summed out one by one.
bool goes_on_by_draws(const Fault& fault, const Choice& choice) { return fault.code == "E-COST" && choice.draws; }

}  // namespace

const RealEngine exact_real_engine{.method = exact_engine, .refusal = "no exact engine answers this query"};

std::size_t roughness(std::string_view engine) {
    const auto found = std::find_if(std::begin(engines), std::end(engines), [&](const RealEngine* e) { return e->method.name == engine; });
    return static_cast<std::size_t>(found - std::begin(engines));
}

Choice choice_of(const Query& query, const Run& run) {
    const RealEngine& engine = engine_of(query);
    Choice out{.allowed = engine.allowed,
               .exact = engine.exact,
               .draws = engine.sampler || !query.by.is_chosen(),
               .peak = engine.peak,
               .sampler = {}};
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
    if (auto answer = ask_by_chains({net, net.variables}, query, run); answer.is_applicable()) {
        if (answer.failed()) return at_query(answer.reason(), query);
        return *std::move(answer);
    }
    auto problem = prepare(net, query, run);
    if (!problem) return at_query(std::move(problem).fault(), query);
    if (Status possible = check_probabilities(*problem, run); !possible) return at_query(std::move(possible).fault(), query);
    if (choice.peak) {
        auto answer = ask_by_map(*problem, query, run);
        if (!answer) return at_query(std::move(answer).fault(), query);
        return with_notes(*std::move(answer), *problem);
    }
    if (choice.exact) {
        auto answer = exact_answer(*problem, query, choice, run);
        if (answer.failed() && !goes_on_by_draws(answer.reason(), choice)) return at_query(answer.reason(), query);
        if (answer) return with_notes(*std::move(answer), *problem);
        if (asks_for_values(query, net)) {
            auto values = ask_for_values(net, query, choice, run);
            if (values.failed()) return at_query(values.reason(), query);
            if (values) return with_notes(*std::move(values), *problem);
        }
        if (!choice.draws) return cannot(query);
    }
    auto answer = ask_by_draws(*problem, query, choice.sampler, run);
    if (!answer) return at_query(std::move(answer).fault(), query);
    return with_notes(*std::move(answer), *problem);
}

Result<Answer> ask_expectation(const Expanded& net, const Term& term, const Query& query, Run& run) {
    const Choice choice = choice_of(query, run);
    if (const auto vector = several_numbers_in(net, term))
        return several_numbers(net.variables[index(*vector)].variable.name, query.origin);
    if (auto answer = expectation_by_chains({net, net.variables}, term, query, run); answer.is_applicable()) {
        if (answer.failed()) return at_query(answer.reason(), query);
        return *std::move(answer);
    }
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
    if (Status possible = check_probabilities(*problem, run); !possible) return at_query(std::move(possible).fault(), query);
    if (choice.peak) {
        auto answer = expectation_by_map(*problem, terms[0], query, run);
        if (!answer) return at_query(std::move(answer).fault(), query);
        return with_notes(*std::move(answer), *problem);
    }
    if (choice.exact) {
        auto answer = exact_expectation(*problem, terms[0], query, choice, run);
        if (answer.failed() && !goes_on_by_draws(answer.reason(), choice)) return at_query(answer.reason(), query);
        if (answer) return with_notes(*std::move(answer), *problem);
    }
    if (!choice.draws) return cannot(query);
    auto answer = expectation_by_draws(*problem, terms[0], query, choice.sampler, run);
    if (!answer) return at_query(std::move(answer).fault(), query);
    return with_notes(*std::move(answer), *problem);
}

}  // namespace credence::rt::continuous
