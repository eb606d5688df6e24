#include "runtime/prob/engine.hpp"
#include "runtime/nets/net_ask.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/nets/net_measure.hpp"

namespace credence::rt {

namespace {

Result<bool> impossible(const Net& net, const Variables& variables, const Query& query, const Run& run) {
    const auto c = digest(net, variables, query, run);
    if (!c) return c.fault();
    return in_best_numbers(run, c->exact, [&]<Prob P>(Work& work) -> Result<bool> {
        NetMeasure<P> measure(*c, Method::elimination);
        for (const auto& soft : query.given.soft) {
            Potential<P> weights{{static_cast<Slot>(index(soft.variable))}, {}};
            for (const auto& weight : soft.weights) weights.values.push_back(prob_of<P>(weight));
            measure.weigh(std::move(weights));
        }
        const auto total = measure.marginal({}, Side::evidence, work);
        if (!total) return total.fault();
        return total->values[0].is_zero();
    });
}

Result<Answer> ask_exactly(const Net& net, const Variables& variables, const Query& query, const Run& run, Method method) {
    const auto c = digest(net, variables, query, run);
    if (!c) return c.fault();
    const ZeroFault zero = [&](std::span<const std::pair<Slot, std::size_t>> configuration) {
        return net_zero_fault(net, variables, query, configuration, run);
    };
    auto answer = in_best_numbers(run, c->exact, [&]<Prob P>(Work& work) -> Result<Answer> {
        NetMeasure<P> measure(*c, method);
        auto result = answer_query<P>(measure, query, variables, zero, work);
        if (!result) return result;
        if (method == Method::enumeration) {
            result->counts = {{"terms", Number(Rational(static_cast<std::int64_t>(work.terms)))}};
        } else {
            result->counts = {{"eliminated", Number(Rational(static_cast<std::int64_t>(work.eliminated)))},
                              {"largest_table", Number(Rational(static_cast<std::int64_t>(work.largest_table)))}};
        }
        return result;
    });
    if (!answer) {
        Fault fault = std::move(answer).fault();
        if (fault.origin == Origin::none) fault.origin = query.origin;
        return fault;
    }
    return answer;
}

Result<Answer> by_elimination(const Net& net, const Variables& variables, const Query& query, Run& run) {
    auto answer = ask_exactly(net, variables, query, run, Method::elimination);
    if (answer) answer->engine = "variable_elimination";
    return answer;
}

Result<Answer> by_enumeration(const Net& net, const Variables& variables, const Query& query, Run& run) {
    auto answer = ask_exactly(net, variables, query, run, Method::enumeration);
    if (answer) answer->engine = "enumeration";
    return answer;
}

// clang-format off
constexpr std::array engines{
    NetEngine{"exact", by_elimination},
    NetEngine{"variable_elimination", by_elimination},
    NetEngine{"enumeration", by_enumeration},
};
// clang-format on

}  // namespace

std::span<const NetEngine> net_engines() { return engines; }

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

Result<Answer> ask_net(const Net& net, const Variables& variables, const Query& query, Run& run) {
    std::vector<std::string_view> names;
    for (const auto& e : engines) names.push_back(e.name);
    if (Status known = check_engine(query, "this net", names); !known) return std::move(known).fault();
    const auto found = std::find_if(engines.begin(), engines.end(), [&](const NetEngine& e) { return e.name == query.by.name; });
    return found->ask(net, variables, query, run);
}

}  // namespace credence::rt
