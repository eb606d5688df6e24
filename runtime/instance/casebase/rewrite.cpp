#include "runtime/instance/casebase/rewrite.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/declared/cases.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_graphs = 500;
constexpr std::size_t unbound = static_cast<std::size_t>(-1);

/// One place where a rule's left side is found: its quantities and influences in the graph.
struct Place {
    std::vector<std::size_t> quantity;
    std::vector<std::size_t> influence;
};

void find_places(const FunctionGraph& graph, const FunctionGraph& pattern, Place& at, std::vector<Place>& out) {
    const std::size_t next = at.influence.size();
    if (next == pattern.influences.size()) {
        out.push_back(at);
        return;
    }
    const auto& wanted = pattern.influences[next];
    const auto fits = [&](std::size_t p, std::size_t q) {
        if (at.quantity[p] != unbound) return at.quantity[p] == q;
        if (contains(at.quantity, q)) return false;
        const auto& kind = pattern.quantities[p].kind;
        return kind.empty() || graph.quantities[q].kind.empty() || graph.quantities[q].kind == kind;
    };
    for (std::size_t i = 0; i < graph.influences.size(); ++i) {
        const auto& arc = graph.influences[i];
        if (arc.sign != wanted.sign || contains(at.influence, i)) continue;
        if (!fits(wanted.from, arc.from)) continue;
        const auto before = at.quantity;
        at.quantity[wanted.from] = arc.from;
        if (fits(wanted.to, arc.to)) {
            at.quantity[wanted.to] = arc.to;
            at.influence.push_back(i);
            find_places(graph, pattern, at, out);
            at.influence.pop_back();
        }
        at.quantity = before;
    }
}

std::string fresh_name(const FunctionGraph& graph, const std::string& wish) {
    const auto known = [&](const std::string& name) {
        return std::any_of(graph.quantities.begin(), graph.quantities.end(), [&](const auto& q) { return q.name == name; });
    };
    if (!known(wish)) return wish;
    std::size_t n = 2;
    while (known(wish + std::to_string(n))) ++n;
    return wish + std::to_string(n);
}

std::string arcs_text(const FunctionGraph& graph, const std::vector<FunctionGraph::Influence>& arcs) {
    std::string out;
    for (const auto& a : arcs) out += (out.empty() ? "" : "; ") + arc_text(graph, a);
    return out;
}

Elaboration applied(const Elaboration& before, const RewriteRule& rule, const Place& at) {
    Elaboration out;
    out.graph.quantities = before.graph.quantities;
    std::vector<FunctionGraph::Influence> removed;
    std::vector<std::size_t> origin;
    for (std::size_t i = 0; i < before.graph.influences.size(); ++i) {
        if (!contains(at.influence, i)) {
            out.graph.influences.push_back(before.graph.influences[i]);
            out.origins.push_back(before.origins[i]);
            continue;
        }
        removed.push_back(before.graph.influences[i]);
        origin.insert(origin.end(), before.origins[i].begin(), before.origins[i].end());
    }
    std::sort(origin.begin(), origin.end());
    origin.erase(std::unique(origin.begin(), origin.end()), origin.end());
    std::vector<std::size_t> place_of;
    for (const auto& q : rule.to.quantities) {
        std::size_t place = unbound;
        for (std::size_t p = 0; p < rule.from.quantities.size(); ++p)
            if (rule.from.quantities[p].name == q.name) place = at.quantity[p];
        if (place == unbound) {
            place = out.graph.quantities.size();
            out.graph.quantities.push_back({fresh_name(out.graph, q.name), q.kind});
        }
        place_of.push_back(place);
    }
    std::vector<FunctionGraph::Influence> added;
    for (const auto& a : rule.to.influences) added.push_back({place_of[a.from], place_of[a.to], a.sign});
    for (const auto& a : added) {
        out.graph.influences.push_back(a);
        out.origins.push_back(origin);
    }
    out.steps = before.steps;
    out.steps.push_back(fmt::format("{} into {}", arcs_text(before.graph, removed), arcs_text(out.graph, added)));
    return out;
}

/// The graph as a set of influences by name: two orders of the same applications are one graph.
std::string identity(const FunctionGraph& graph) {
    std::vector<std::string> texts;
    for (const auto& a : graph.influences) texts.push_back(arc_text(graph, a));
    std::sort(texts.begin(), texts.end());
    std::string out;
    for (const auto& t : texts) out += t + ";";
    return out;
}

}  // namespace

Result<std::vector<Elaboration>> elaborations(const FunctionGraph& goal, const std::vector<RewriteRule>& rules, std::size_t steps,
                                              Run& run) {
    Elaboration first;
    first.graph = goal;
    for (std::size_t i = 0; i < goal.influences.size(); ++i) first.origins.push_back({i});
    std::vector<Elaboration> out{std::move(first)};
    std::set<std::string> seen{identity(goal)};
    std::size_t begin = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t end = out.size();
        for (std::size_t i = begin; i < end; ++i)
            for (const auto& rule : rules) {
                if (run.stopped()) return stopped_fault();
                std::vector<Place> places;
                Place at;
                at.quantity.assign(rule.from.quantities.size(), unbound);
                find_places(out[i].graph, rule.from, at, places);
                for (const auto& place : places) {
                    Elaboration next = applied(out[i], rule, place);
                    if (!seen.insert(identity(next.graph)).second) continue;
                    if (out.size() == most_graphs)
                        return Fault{.code = "E-COST",
                                     .message = fmt::format("the rules turn this goal into more than {} graphs", most_graphs),
                                     .hint = "fewer steps, or rules that name kinds"};
                    out.push_back(std::move(next));
                }
            }
        begin = end;
    }
    return out;
}

std::vector<RewriteRule> chain_rules() {
    std::vector<RewriteRule> out;
    for (const int first : {1, -1})
        for (const int second : {1, -1})
            out.push_back(
                {{{{"A", ""}, {"B", ""}}, {{0, 1, first * second}}}, {{{"A", ""}, {"x", ""}, {"B", ""}}, {{0, 1, first}, {1, 2, second}}}});
    return out;
}

}  // namespace credence::rt
