// What a derivation on a net begins with, and which way it takes: the identity, then joint probabilities, the probability of the evidence
// and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

Status NetExplained::write_identity(DerivationWriter& out) const {
    write_cut(out);
    if (!query_.given.soft.empty()) return Done{};
    out.formula(query_text(query_, variables_) + (is_conditional() ? " = P(targets, evidence) / P(evidence)" : " = the sum of all ways"));
    out.note(fmt::format("the products are too many to write out; {} added them up", answer_.engine));
    return Done{};
}

void NetExplained::write_cut(DerivationWriter& out) const {
    if (query_.doing.empty()) return;
    std::string cut;
    for (const auto& doing : query_.doing) cut += (cut.empty() ? "" : ", ") + variables_[index(doing.variable)].variable.name;
    out.note(fmt::format("do cuts the arcs into {}, so its table is not in the product", cut));
}

std::string NetExplained::names_of(std::span<const Slot> slots) const {
    std::string out;
    for (const auto slot : slots) out += (out.empty() ? "" : ", ") + variables_[slot].variable.name;
    return out;
}

Status NetProducts::write_identity(DerivationWriter& out) const {
    const std::string asked = query_text(query_, variables_);
    if (!is_conditional() && query_.doing.empty()) {
        out.formula(asked + " = " + chain_rule());
        return Done{};
    }
    write_cut(out);
    if (is_table_entry()) {
        out.note("the answer is in the table of the node: its parents are known, and nothing below it is");
        return Done{};
    }
    Query evidence;
    evidence.targets = query_.given;
    Query joint;
    joint.targets = query_.targets;
    joint.targets.free.insert(joint.targets.free.end(), query_.given.free.begin(), query_.given.free.end());
    joint.targets.events.insert(joint.targets.events.end(), query_.given.events.begin(), query_.given.events.end());
    if (targets_are_causes()) {
        Query swapped;
        swapped.targets = query_.given;
        swapped.given = query_.targets;
        Query prior;
        prior.targets = query_.targets;
        out.note("Bayes' theorem");
        out.formula(fmt::format("{} = {} * {} / {}", asked, query_text(swapped, variables_), query_text(prior, variables_),
                                query_text(evidence, variables_)));
    } else if (query_.doing.empty()) {
        out.note("the definition of conditional probability");
        out.formula(fmt::format("{} = {} / {}", asked, query_text(joint, variables_), query_text(evidence, variables_)));
    }
    if (query_.doing.empty()) out.formula(query_text(joint, variables_) + " = " + chain_rule());
    return Done{};
}

namespace {

bool is_equality(const Event& event) { return event.kind == Event::Kind::atom && event.atom.compare == Compare::equal; }

}  // namespace

std::string NetProducts::chain_rule() const {
    std::string product;
    std::vector<Slot> hidden;
    for (const auto id : net_.topological_order()) {
        const auto slot = static_cast<Slot>(index(id));
        if (!case_.relevant[slot]) continue;
        std::vector<Slot> parents;
        for (const auto parent : net_.nodes[slot].parents) parents.push_back(static_cast<Slot>(index(parent)));
        product += fmt::format("{}P({}{})", product.empty() ? "" : " * ", variables_[slot].variable.name,
                               parents.empty() ? "" : " | " + names_of(parents));
        if (!is_named(slot)) hidden.push_back(slot);
    }
    // what an event lets vary is summed over too, where the event holds
    for (const auto* clause : {&query_.targets, &query_.given})
        for (const auto& event : conjuncts(clause->events)) {
            if (is_equality(event)) continue;
            for (const auto v : variables_of(event))
                if (!is_free(static_cast<Slot>(index(v)))) hidden.push_back(static_cast<Slot>(index(v)));
        }
    std::string condition = where({&query_.targets, &query_.given});
    if (!condition.empty()) condition = " where " + condition;
    std::sort(hidden.begin(), hidden.end());
    hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
    return hidden.empty() ? product + condition : fmt::format("sum over {}{} of {}", names_of(hidden), condition, product);
}

std::string NetProducts::where(std::initializer_list<const Clause*> clauses) const {
    std::string out;
    for (const auto* clause : clauses)
        for (const auto& event : conjuncts(clause->events))
            if (!is_equality(event)) out += (out.empty() ? "" : " and ") + event_text(event, variables_);
    return out;
}

bool NetProducts::is_free(Slot slot) const {
    const auto& answer = case_.shape.answer;
    return contains(answer, slot);
}

bool NetProducts::is_named(Slot slot) const {
    if (is_free(slot)) return true;
    for (const auto* tables : {&case_.evidence, &case_.target_events})
        for (const auto& t : *tables)
            if (contains(t.variables, slot)) return true;
    return false;
}

std::vector<Slot> NetProducts::asked_slots() const {
    std::vector<Slot> out = case_.shape.targets;
    for (const auto& t : case_.target_events) out.insert(out.end(), t.variables.begin(), t.variables.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool NetProducts::targets_are_causes() const {
    if (!query_.doing.empty() || case_.evidence.empty() || !case_.shape.given.empty()) return false;
    const auto targets = asked_slots();
    for (const auto& t : case_.evidence) {
        for (const auto slot : t.variables) {
            const auto above = ancestors(case_, std::span(&slot, 1));
            for (const auto target : targets)
                if (!above[target] || target == slot) return false;
        }
    }
    return !targets.empty();
}

bool NetProducts::is_table_entry() const {
    const auto targets = asked_slots();
    if (targets.size() != 1 || !query_.doing.empty() || ways_.evidence.size() != 1) return false;
    std::vector<Slot> known = case_.shape.given;
    for (const auto& t : case_.evidence) known.insert(known.end(), t.variables.begin(), t.variables.end());
    for (const auto parent : net_.nodes[targets[0]].parents)
        if (!contains(known, static_cast<Slot>(index(parent)))) return false;
    for (const auto slot : known)
        if (ancestors(case_, std::span(&slot, 1))[targets[0]]) return false;
    return true;
}

namespace {

/// The most probable assignment is explained as the probability of that assignment.
void become_event(Query& query, const Net& net, const Assignment& best, DerivationWriter& out) {
    query.goal = Goal::probability;
    query.targets.free.clear();
    std::string found;
    for (const auto& [v, label] : best.values) {
        if (const auto id = net.find(v.name)) query.targets.events.push_back(event_equal(*id, label, Origin::none));
        found += (found.empty() ? "" : ", ") + v.name + " = " + label.text();
    }
    out.note("the most probable assignment is " + found);
}

}  // namespace

Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run) {
    DerivationWriter out;
    Query asked = query;
    if (const auto* best = std::get_if<Assignment>(&answer.value)) become_event(asked, net, *best, out);
    auto digested = TRY(digest(net, variables, asked, run));
    auto targets = TRY(ways(asked.targets.events, variables, run).or_nothing());
    auto evidence = TRY(ways(asked.given.events, variables, run).or_nothing());
    std::optional<NetWays> listed;
    if (targets && evidence) listed = NetWays{*std::move(targets), *std::move(evidence)};
    const bool twice = digested.shape.answer.size() != digested.shape.targets.size() + digested.shape.given.size();
    const bool simple = digested.simple();
    const NetExplained base(net, variables, std::move(asked), answer, std::move(digested), run);
    if (!simple)
        TRY(write_explanation(NetRowProducts(base, std::move(listed)), out));
    else if (listed && !twice && query.given.soft.empty())
        TRY(write_explanation(NetProducts(base, *std::move(listed)), out));
    else
        TRY(write_explanation(base, out));
    return std::move(out).take();
}

}  // namespace credence::rt
