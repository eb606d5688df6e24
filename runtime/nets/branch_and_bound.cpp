#include "runtime/nets/branch_and_bound.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_engine.hpp"
#include "runtime/nets/search/best_first.hpp"
#include "runtime/nets/search/presolve.hpp"

namespace credence::rt {

namespace {

struct BranchOptions {
    std::size_t nodes = 10'000'000;
    double gap = 0;
};

constexpr MethodRecord branch_and_bound_method("branch_and_bound",
                                               {option<BranchOptions, &BranchOptions::nodes>("nodes", {.least = 1, .most = 1e12}),
                                                option<BranchOptions, &BranchOptions::gap>("gap", {.least = 0, .most = 1e6})},
                                               "Searches for the most probable assignment, with a bound that proves it. It needs no large "
                                               "tables. The search stops after so many nodes, "
                                               "or when the logarithm of the probability is within the gap of the bound.",
                                               "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
                                               "expect argmax P(*) by branch_and_bound == {Rain: false, Wet: false}");

/// The measure as tables over all slots, with the events of the target.
CostNet network(const ApproximateCase& c) {
    Sizes sizes = c.sizes;
    for (Slot slot = 0; slot < sizes.size(); ++slot)
        if (!c.active[slot]) sizes[slot] = 1;
    std::vector<PlainTable> events;
    for (const auto& t : c.target_events)
        events.push_back(restricted(
            t.variables, [&](std::size_t i) { return t.truth[i] ? 1.0 : 0.0; }, c.fixed, c.sizes));
    std::vector<WeightTable> tables;
    for (const auto& t : c.tables) tables.push_back({t.variables, t.values});
    for (const auto& t : events) tables.push_back({t.variables, t.values});
    return cost_net(sizes, tables);
}

/// The fault for impossible evidence; if finding the part to blame costs too much, the message is general.
Fault impossible_evidence(const ZeroFault& zero, const Query& query) {
    Fault fault = zero({});
    if (fault.code != "E-COST") return fault;
    return {.code = "E-ZERO", .message = "the evidence has probability zero", .origin = query.origin};
}

Fault not_found(const SearchResult& found, const Query& query) {
    return {.code = "E-COST",
            .message = fmt::format("branch and bound has found no possible assignment in {} nodes", found.nodes),
            .origin = query.origin,
            .hint = "let it search on: by branch_and_bound(nodes: …)"};
}

Assignment assignment_of(const ApproximateCase& c, const Variables& variables, std::span<const std::uint32_t> values) {
    Assignment out;
    for (const auto slot : c.shape.targets) {
        const auto& v = variables[slot].variable;
        const auto at = c.fixed[slot] >= 0 ? static_cast<std::size_t>(c.fixed[slot]) : values[slot];
        out.values.emplace_back(v, (*v.domain)[at]);
    }
    return out;
}

Result<Answer> ask_by_search(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    if (auto fault = beyond_search(c, query)) return *std::move(fault);
    const BranchOptions options =
        query.by.name == branch_and_bound_method.info().name ? branch_and_bound_method.options(query.by) : BranchOptions{};
    const std::function<bool()> stopped = [&run] { return run.stopped(); };
    const Presolved presolved(network(c), {}, stopped);
    const CostNet& net = presolved.net();
    const SearchResult found =
        best_first_search(net, {.nodes = options.nodes, .gap = options.gap, .stopped = stopped, .progress = run.progress});
    if (run.stopped()) return stopped_fault();
    if (!found.found && !found.proved) return not_found(found, query);
    if (!found.found) return impossible_evidence(zero, query);

    const double log_weight = net.log_weight(found.cost);
    const double log_bound = net.log_weight(found.lower);
    Answer answer;
    Assignment best = assignment_of(c, variables, presolved.restored(found.values));
    best.probability = Number::real(std::exp(log_weight));  // together with the evidence, whose own probability may be out of reach
    answer.value = std::move(best);
    answer.exact = false;
    answer.engine = branch_and_bound_method.info().name;
    answer.counts = {{"proved", count_of(found.proved ? 1 : 0)}, {"log_weight", Number::real(log_weight)},
                     {"log_bound", Number::real(log_bound)},     {"nodes", count_of(found.nodes)},
                     {"backtracks", count_of(found.backtracks)}, {"searched_variables", count_of(net.sizes.size())}};
    if (!found.proved)
        answer.notes.push_back(fmt::format(
            "not proved: the logarithm of the weight of this assignment is {:.6g}, and after {} nodes the bound for all is {:.6g}",
            log_weight, found.nodes, log_bound));
    return answer;
}

}  // namespace

std::optional<Fault> beyond_search(const ApproximateCase& c, const Query& query) {
    const auto fault = [&](std::string message, std::string hint) {
        return Fault{.code = "E-ENGINE", .message = std::move(message), .origin = query.origin, .hint = std::move(hint)};
    };
    if (query.goal != Goal::most_probable)
        return fault("branch_and_bound finds the most probable assignment of all variables, no other probabilities",
                     "argmax P(* | …) by branch_and_bound");
    if (!c.shape.given.empty()) return fault("branch_and_bound takes values as evidence, not whole variables", "");
    for (const auto& soft : query.given.soft)
        if (soft.kind == SoftEvidence::Kind::jeffrey)
            return fault(fmt::format("branch_and_bound cannot give {} a new distribution", c.names[index(soft.variable)]),
                         "it does take weights: likelihood {…}");
    for (Slot slot = 0; slot < c.sizes.size(); ++slot)
        if (c.active[slot] && !contains(c.shape.targets, slot))
            return fault(fmt::format("branch_and_bound sums nothing out, and {} is not among the variables asked for", c.names[slot]),
                         "argmax P(* | …) asks for all of them");
    return std::nullopt;
}

Result<Answer> searched_where_too_large(Result<Answer> answer, const std::function<ApproximateCase()>& make_case,
                                        const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    if (answer || answer.fault().code != "E-COST" || query.goal != Goal::most_probable) return answer;
    const ApproximateCase c = make_case();
    if (beyond_search(c, query)) return answer;
    return ask_by_search(c, variables, query, zero, run);
}

const NetEngine branch_and_bound_net_engine{.method = branch_and_bound_method.info(), .ask_tables = ask_by_search};

}  // namespace credence::rt
