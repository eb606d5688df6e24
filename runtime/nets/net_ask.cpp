#include "runtime/nets/net_ask.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/nets/branch_and_bound.hpp"
#include "runtime/nets/net_engine.hpp"
#include "runtime/nets/net_junction.hpp"
#include "runtime/nets/net_measure.hpp"

namespace credence::rt {

namespace {

Result<bool> impossible_rows(const NetCase& c, const Variables& variables, const Query& query, const Run& run) {
    Work work(run, false);
    NetMeasure<LogProb> measure(c, Method::elimination);
    TRY(measure.observe_rows(work));
    const ZeroFault never = [](auto) { return Fault{.code = "E-ZERO", .message = "the evidence has probability zero"}; };
    TRY(apply_soft_evidence<LogProb>(measure, query, variables, never, work));
    const auto total = TRY(measure.marginal({}, Side::evidence, work));
    return total.values[0].is_zero();
}

Result<bool> impossible(const Net& net, const Variables& variables, const Query& query, const Run& run) {
    const auto c = TRY(digest(net, variables, query, run));
    if (!c.simple()) return impossible_rows(c, variables, query, run);
    std::vector<Potential<double>> weights;
    for (const auto& soft : query.given.soft) {
        auto& f = weights.emplace_back(Potential<double>{{static_cast<Slot>(index(soft.variable))}, {}});
        for (const auto& weight : soft.weights) f.values.push_back(weight.sign() > 0 ? 1 : 0);
    }
    return evidence_impossible(c, weights, run);
}

Number count(std::size_t n) { return Rational(static_cast<std::int64_t>(n)); }

Fault at_query(Fault fault, const Query& query) {
    if (fault.origin == Origin::none) fault.origin = query.origin;
    return fault;
}

bool needs_rows(const Variables& variables, const Query& query) {
    for (const auto* clause : {&query.targets, &query.given})
        if (!clause->observations.empty() || !clause->data.empty()) return true;
    return asks_for_next(variables, query);
}

/// "next Flip" is asked for, and Flip is what the answer is over; unless both are.
void name_next_plainly(Answer& answer) {
    constexpr std::string_view next = "next ";
    const auto rename = [&](const auto& known, Variable& v) {
        if (!v.name.starts_with(next)) return;
        std::string plain = v.name.substr(next.size());
        if (!known(plain)) v.name = std::move(plain);
    };
    if (auto* factor = std::get_if<Factor>(&answer.value)) {
        auto over = factor->variables();
        for (auto& v : over) rename([&](const std::string& name) { return factor->find(name).has_value(); }, v);
        *factor = factor->over(std::move(over));
    } else if (auto* best = std::get_if<Assignment>(&answer.value)) {
        const auto known = [&](const std::string& name) {
            return std::any_of(best->values.begin(), best->values.end(), [&](const auto& value) { return value.first.name == name; });
        };
        for (auto& [v, label] : best->values) rename(known, v);
    }
}

template <Prob P>
Result<Answer> eliminated(const NetCase& c, const Variables& variables, const Query& query, Method method, Work& work) {
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(*c.declared, variables, query, configuration, work.run());
    };
    NetMeasure<P> measure(c, method);
    TRY(measure.observe_rows(work));
    auto answer = answer_query<P>(measure, query, variables, zero, work);
    if (!answer) return answer;
    if (method == Method::enumeration)
        answer->counts = {{"terms", count(work.terms)}};
    else if (method == Method::tree)
        answer->counts = {{"cliques", count(measure.cliques())}, {"largest_table", count(work.largest_table)}};
    else
        answer->counts = {{"eliminated", count(work.eliminated)}, {"largest_table", count(work.largest_table)}};
    return answer;
}

Result<Answer> ask_exactly(const NetCase& c, const Variables& variables, const Query& query, const Run& run, Method method) {
    auto answer = in_best_numbers(run, c.exact,
                                  [&]<Prob P>(Work& work) -> Result<Answer> { return eliminated<P>(c, variables, query, method, work); });
    if (!answer) return at_query(std::move(answer).fault(), query);
    if (!c.simple()) name_next_plainly(*answer);
    return answer;
}

std::string_view engine_name(Method method) {
    return method == Method::tree ? "junction_tree" : method == Method::elimination ? "variable_elimination" : "enumeration";
}

/// As `ask_exactly`, with its name.
Result<Answer> ask_named(const NetCase& c, const Variables& variables, const Query& query, const Run& run, Method method) {
    auto answer = ask_exactly(c, variables, query, run, method);
    if (answer) answer->engine = engine_name(method);
    return answer;
}

Result<Answer> ask_trees(const NetCase& c, const Variables& variables, const Query& query, NetMemory& memory, const Run& run,
                         SumBy by = SumBy::any) {
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(*c.declared, variables, query, configuration, run);
    };
    auto answer = answer_on_trees(tree_case(c), query, variables, memory, zero, run, by);
    if (!answer) return at_query(std::move(answer).fault(), query);
    return answer;
}

/// A product of entries of all the tables that matter is this long at most; half of it on the way there.
double bits_on_average(const NetCase& c) {
    double total = 0;
    for (std::size_t i = 0; i < c.sizes.size(); ++i) {
        if (!c.relevant[i] || c.done[i] >= 0) continue;
        std::size_t longest = 0;
        for (const auto& value : std::get<std::vector<Rational>>(c.net->nodes[i].table)) longest = std::max(longest, value.bits());
        total += static_cast<double>(longest);
    }
    return total / 2;
}

/// A table that elimination cannot make: trees are planned with more care, and only they say what cannot be done at all.
bool too_large_for_fractions(const Result<Answer>& answer, const Run& run) {
    return !answer && answer.fault().code == "E-COST" && run.numbers == NumberMode::automatic;
}

/// Fractions by `method` while they are affordable; otherwise doubles on a junction tree, all marginals at once. Rows, and the next draw
/// after them, do not belong to the trees that are kept.
template <Method method>
Result<Answer> by_fractions_or_trees(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run) {
    const auto c = TRY(digest(net, variables, query, run));
    if (!c.simple()) return ask_named(c, variables, query, run, method);
    if (c.exact && run.numbers != NumberMode::real) {
        Work work(run, run.numbers == NumberMode::automatic);
        work.expect_bits(bits_on_average(c));
        auto answer = eliminated<Rational>(c, variables, query, method, work);
        if (!work.exceeded() && !too_large_for_fractions(answer, run)) {
            if (!answer) return at_query(std::move(answer).fault(), query);
            answer->engine = engine_name(method);
            return answer;
        }
    }
    return ask_trees(c, variables, query, memory, run);
}

/// The default. The most probable assignment is searched for where that is less work, or where tables would be too large.
Result<Answer> by_best_engine(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run) {
    if (query.goal != Goal::most_probable) return by_fractions_or_trees<Method::elimination>(net, variables, query, memory, run);
    const auto c = TRY(digest(net, variables, query, run));
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(net, variables, query, configuration, run);
    };
    if (c.simple()) {
        auto found = TRY(searched_where_faster(approximate_case(c, query), variables, query, zero, run));
        if (found) return *std::move(found);
    }
    auto answer = by_fractions_or_trees<Method::elimination>(net, variables, query, memory, run);
    if (answer || !c.simple()) return answer;
    return searched_where_too_large(
        std::move(answer), [&] { return approximate_case(c, query); }, variables, query, zero, run);
}

template <Method method>
Result<Answer> by_method(const Net& net, const Variables& variables, const Query& query, NetMemory&, Run& run) {
    const auto c = TRY(digest(net, variables, query, run));
    return ask_named(c, variables, query, run, method);
}

constexpr const NetEngine* engines[] = {
#define ENGINE(name) &name##_net_engine,
#include "runtime/nets/engines.def"
#undef ENGINE
};

}  // namespace

const NetEngine exact_net_engine{.method = exact_engine, .ask = by_best_engine, .exact = true};
const NetEngine enumeration_net_engine{.method = enumeration_engine, .ask = by_method<Method::enumeration>, .exact = true};
const NetEngine variable_elimination_net_engine{
    .method = {"variable_elimination",
               {},
               "Sums out the variables one by one, in an order that keeps the tables small.",
               "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Wet = true) by variable_elimination == 0.26"},
    .ask = by_method<Method::elimination>,
    .exact = true};
const NetEngine junction_tree_net_engine{
    .method = {"junction_tree",
               {},
               "Passes messages in a tree of cliques. Several queries with the same evidence share the work.",
               "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\nexpect P(Wet = true) by junction_tree == 0.26"},
    .ask = by_fractions_or_trees<Method::tree>,
    .exact = true};

const NetEngine arithmetic_circuit_net_engine{
    .method =
        {"arithmetic_circuit",
         {},
         "Compiles the model under its evidence into sums and products, value by value. Zeros and independent parts keep it small where "
         "cliques are large.",
         "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
         "expect P(Wet = true) by arithmetic_circuit == 0.26 within 1e-12"},
    .sum_by = SumBy::circuit};
const NetEngine cutset_conditioning_net_engine{
    .method = {"cutset_conditioning",
               {},
               "Passes messages in a tree of cliques for each case of a few variables, chosen so that the cliques become small enough.",
               "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
               "expect P(Wet = true) by cutset_conditioning == 0.26 within 1e-12"},
    .sum_by = SumBy::conditioning};

const NetEngine* find_net_engine(std::string_view name) {
    const auto found = std::find_if(std::begin(engines), std::end(engines), [&](const NetEngine* e) { return e->method.name == name; });
    return found == std::end(engines) ? nullptr : *found;
}

std::vector<MethodInfo> net_engine_methods() {
    std::vector<MethodInfo> out;
    for (const auto* e : engines) out.push_back(e->method);
    return out;
}

std::vector<MethodInfo> markov_engine_methods() {
    std::vector<MethodInfo> out;
    for (const auto* e : engines)
        if (e->exact || e->ask_tables || e->sum_by) out.push_back(e->method);
    return out;
}

Fault net_zero_fault(const Net& net, const Variables& variables, const Query& query,
                     std::span<const std::pair<Slot, std::size_t>> configuration, const Run& run) {
    Clause given = query.given;
    for (const auto& [slot, value] : configuration)
        given.events.push_back(event_equal(static_cast<VarId>(slot), (*variables[slot].variable.domain)[value], Origin::none));
    return zero_fault(items_of(given, variables), query.origin, [&](const Clause& subset) {
        Query part;
        part.given = subset;
        part.doing = query.doing;
        return impossible(net, variables, part, run);
    });
}

Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, NetMemory& memory, Run& run) {
    const NetEngine* engine = find_net_engine(query.by.name);
    if (!engine)
        return Fault{.code = "E-ENGINE", .message = fmt::format("this net cannot answer by {}", query.by.name), .origin = query.origin};
    if (!engine->exact && needs_rows(variables, query)) {
        std::vector<std::string_view> exact;
        for (const auto* e : engines)
            if (e->exact) exact.push_back(e->method.name);
        return Fault{.code = "E-ENGINE",
                     .message = fmt::format("{} takes single values as evidence, not lists, counts, tables or next draws", query.by.name),
                     .origin = query.by.origin,
                     .label = fmt::format("these take them: {}", joined(exact, ", "))};
    }
    if (engine->ask) return engine->ask(net, variables, query, memory, run);
    const auto c = TRY(digest(net, variables, query, run));
    if (engine->sum_by) return ask_trees(c, variables, query, memory, run, *engine->sum_by);
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(net, variables, query, configuration, run);
    };
    return engine->ask_tables(approximate_case(c, query), variables, query, zero, run);
}

Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, Run& run) {
    NetMemory memory(net);
    return ask_net(net, variables, query, memory, run);
}

}  // namespace credence::rt
