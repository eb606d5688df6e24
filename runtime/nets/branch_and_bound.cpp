#include "runtime/nets/branch_and_bound.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_engine.hpp"
#include "runtime/nets/search/best_first.hpp"
#include "runtime/nets/search/marginal_map.hpp"
#include "runtime/nets/search/presolve.hpp"
#include "runtime/nets/triangulate.hpp"

namespace credence::rt {

namespace {

struct BranchOptions {
    std::size_t nodes = 10'000'000;
    double gap = 0;
};

constexpr MethodRecord branch_and_bound_method(
    "branch_and_bound",
    {option<BranchOptions, &BranchOptions::nodes>("nodes", {.least = 1, .most = 1e12}),
     option<BranchOptions, &BranchOptions::gap>("gap", {.least = 0, .most = 1e6})},
    "Searches for the most probable assignment, with a bound that proves it. Over all variables it "
    "needs no large tables. Over some of them, the others are summed out, and tables are as large "
    "as for a marginal. The search stops after `nodes` nodes, or when the logarithm of the probability is within `gap` of the bound.",
    "net Lawn { Rain : 0.2; Wet | Rain : { true: 0.9, false: 0.1 } }\n"
    "expect argmax P(*) by branch_and_bound == {Rain: false, Wet: false}");

/// The measure as tables over all slots, with the events of the target.
struct WeightedCase {
    explicit WeightedCase(const ApproximateCase& c) : sizes(c.sizes) {
        for (Slot slot = 0; slot < sizes.size(); ++slot)
            if (!c.active[slot]) sizes[slot] = 1;
        for (const auto& t : c.target_events)
            events.push_back(restricted(
                t.variables, [&](std::size_t i) { return t.truth[i] ? 1.0 : 0.0; }, c.fixed, c.sizes));
        for (const auto& t : c.tables) tables.push_back({t.variables, t.values});
        for (const auto& t : events) tables.push_back({t.variables, t.values});
    }
    Sizes sizes;
    std::vector<PlainTable> events;
    std::vector<WeightTable> tables;
};

CostNet network(const ApproximateCase& c) {
    const WeightedCase weighted(c);
    return cost_net(weighted.sizes, weighted.tables);
}

/// Whether open variables are not asked for, and have to be summed out.
bool sums_out(const ApproximateCase& c) {
    for (Slot slot = 0; slot < c.sizes.size(); ++slot)
        if (c.active[slot] && !contains(c.shape.targets, slot)) return true;
    return false;
}

/// The fault for impossible evidence; if finding the part to blame costs too much, the message is general.
Fault impossible_evidence(const ZeroFault& zero, const Query& query) {
    Fault fault = zero({});
    if (fault.code != "E-COST") return fault;
    return {.code = "E-ZERO", .message = "the evidence has probability zero", .origin = query.origin};
}

Fault not_found(std::size_t nodes, const Query& query) {
    return {.code = "E-COST",
            .message = fmt::format("branch and bound has found no possible assignment in {} nodes", nodes),
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

Answer reported(Assignment best, bool proved, double log_weight, double log_bound, std::size_t nodes) {
    Answer answer;
    best.probability = Number::real(std::exp(log_weight));  // together with the evidence, whose own probability may be out of reach
    answer.value = std::move(best);
    answer.exact = false;
    answer.engine = branch_and_bound_method.info().name;
    answer.counts = {{"proved", count_of(proved ? 1 : 0)},
                     {"log_weight", Number::real(log_weight)},
                     {"log_bound", Number::real(log_bound)},
                     {"nodes", count_of(nodes)}};
    if (!proved)
        answer.notes.push_back(fmt::format(
            "not proved: the logarithm of the weight of this assignment is {:.6g}, and after {} nodes the bound for all is {:.6g}",
            log_weight, nodes, log_bound));
    return answer;
}

/// A search and the network it was made on.
struct Searched {
    Searched(const ApproximateCase& c, SearchLimits limits, Run& run)
        : stopped([&run] { return run.stopped(); }), presolved(network(c), {}, stopped) {
        limits.stopped = stopped;
        limits.progress = run.progress;
        found = best_first_search(presolved.net(), limits);
    }
    std::function<bool()> stopped;
    Presolved presolved;
    SearchResult found;
};

Result<Answer> answer_of(const Searched& searched, const ApproximateCase& c, const Variables& variables, const Query& query,
                         const ZeroFault& zero, Run& run) {
    const auto& [stopped, presolved, found] = searched;
    const CostNet& net = presolved.net();
    if (run.stopped()) return stopped_fault();
    if (!found.found && !found.proved) return not_found(found.nodes, query);
    if (!found.found) return impossible_evidence(zero, query);

    Answer answer = reported(assignment_of(c, variables, presolved.restored(found.values)), found.proved, net.log_weight(found.cost),
                             net.log_weight(found.lower), found.nodes);
    answer.counts.emplace_back("backtracks", count_of(found.backtracks));
    answer.counts.emplace_back("searched_variables", count_of(net.sizes.size()));
    return answer;
}

/// Where other variables are summed out.
Result<Answer> ask_marginal_map(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero,
                                MapLimits limits, Run& run) {
    limits.largest = static_cast<double>(run.limits.table_entries);
    limits.stopped = [&run] { return run.stopped(); };
    limits.progress = run.progress;
    std::vector<char> maximised(c.sizes.size(), 0);
    for (const auto slot : c.shape.targets) maximised[slot] = 1;
    const WeightedCase weighted(c);
    const MapResult found = marginal_map(weighted.sizes, weighted.tables, maximised, limits);
    if (run.stopped()) return stopped_fault();
    if (found.too_large)
        return Fault{.code = "E-COST",
                     .message = "branch and bound cannot sum out the other variables: their tables are too large",
                     .origin = query.origin,
                     .hint = "ask for all variables (argmax P(* | …)), or sample, as in by gibbs(100000)"};
    if (!found.found && !found.proved) return not_found(found.nodes, query);
    if (!found.found) return impossible_evidence(zero, query);
    Answer answer = reported(assignment_of(c, variables, found.values), found.proved, found.log_weight, found.log_bound, found.nodes);
    answer.counts.emplace_back("searched_variables", count_of(found.branched));
    return answer;
}

Result<Answer> ask_by_search(const ApproximateCase& c, const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    if (auto fault = beyond_search(c, query)) return *std::move(fault);
    const BranchOptions options =
        query.by.name == branch_and_bound_method.info().name ? branch_and_bound_method.options(query.by) : BranchOptions{};
    if (sums_out(c)) return ask_marginal_map(c, variables, query, zero, {.nodes = options.nodes, .gap = options.gap}, run);
    return answer_of(Searched(c, {.nodes = options.nodes, .gap = options.gap}, run), c, variables, query, zero, run);
}

/// Entries of all tables that elimination would make, as the first rules for an order have it.
double elimination_entries(const ApproximateCase& c) {
    std::vector<std::vector<Slot>> scopes;
    for (const auto& t : c.tables) scopes.push_back(t.variables);
    for (const auto& t : c.target_events) scopes.push_back(t.variables);
    return estimate_triangulation(scopes, c.sizes).entries;
}

}  // namespace

std::optional<Fault> beyond_search(const ApproximateCase& c, const Query& query) {
    const auto fault = [&](std::string message, std::string hint) {
        return Fault{.code = "E-ENGINE", .message = std::move(message), .origin = query.origin, .hint = std::move(hint)};
    };
    if (query.goal != Goal::most_probable)
        return fault("branch_and_bound finds the most probable assignment, no other probabilities", "argmax P(* | …) by branch_and_bound");
    if (!c.shape.given.empty()) return fault("branch_and_bound takes values as evidence, not whole variables", "");
    for (const auto& soft : query.given.soft)
        if (soft.kind == SoftEvidence::Kind::jeffrey)
            return fault(fmt::format("branch_and_bound cannot give {} a new distribution", c.names[index(soft.variable)]),
                         "it does take weights: likelihood {…}");
    return std::nullopt;
}

Result<std::optional<Answer>> searched_where_faster(const ApproximateCase& c, const Variables& variables, const Query& query,
                                                    const ZeroFault& zero, Run& run) {
    constexpr double small = 5000;     // entries: fractions take a few milliseconds, and say what is as probable
    constexpr double hopeless = 1e12;  // no other order makes that small
    constexpr double share = 2;        // of the entries: a unit of effort takes less time than an entry
    const std::optional<Answer> none;
    if (query.goal != Goal::most_probable || query.by.is_chosen() || run.numbers == NumberMode::exact || beyond_search(c, query) ||
        sums_out(c))
        return none;
    const double entries = elimination_entries(c);
    if (entries < small) return none;
    SearchLimits limits{.nodes = BranchOptions{}.nodes};
    if (entries < hopeless) limits.effort = static_cast<std::size_t>(share * entries);
    const Searched searched(c, limits, run);
    if (searched.found.stopped && !run.stopped()) return none;
    if (searched.found.proved && !searched.found.found) return none;  // elimination finds the evidence to blame
    return std::optional<Answer>(TRY(answer_of(searched, c, variables, query, zero, run)));
}

Result<Answer> searched_where_too_large(Result<Answer> answer, const std::function<ApproximateCase()>& make_case,
                                        const Variables& variables, const Query& query, const ZeroFault& zero, Run& run) {
    if (answer || answer.fault().code != "E-COST" || query.goal != Goal::most_probable) return answer;
    const ApproximateCase c = make_case();
    if (beyond_search(c, query)) return answer;
    if (!sums_out(c)) return ask_by_search(c, variables, query, zero, run);
    constexpr double most_effort = 1e10;  // entries: half a minute or so
    auto found = ask_marginal_map(c, variables, query, zero, {.nodes = BranchOptions{}.nodes, .effort = most_effort}, run);
    if (!found && found.fault().code == "E-COST") return answer;
    return found;
}

const NetEngine branch_and_bound_net_engine{.method = branch_and_bound_method.info(), .ask_tables = ask_by_search};

}  // namespace credence::rt
