// A derivation as a textbook prints it: the identity, the joint probabilities as sums of products of table entries,
// the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explainer.hpp"
#include "runtime/prob/queries/explain_soft.hpp"

namespace credence::rt {

Result<Derivation> NetExplainer::explain() {
    if (const auto* best = std::get_if<Assignment>(&answer_.value)) become_event(*best);
    case_ = TRY(digest(net_, variables_, query_, run_));
    auto targets = TRY(ways(query_.targets.events, variables_, run_).or_nothing());
    auto evidence = TRY(ways(query_.given.events, variables_, run_).or_nothing());
    listed_ = targets && evidence;
    if (listed_) {
        target_ways_ = *std::move(targets);
        evidence_ways_ = *std::move(evidence);
    }
    const bool twice = case_.shape.answer.size() != case_.shape.targets.size() + case_.shape.given.size();
    TRY(!case_.simple() ? write_rows() : !query_.given.soft.empty() ? write_uncertain() : listed_ && !twice ? write() : write_sums());
    return std::move(out_).take();
}

void NetExplainer::become_event(const Assignment& best) {
    query_.goal = Goal::probability;
    query_.targets.free.clear();
    for (const auto& [v, label] : best.values)
        if (const auto id = net_.find(v.name)) query_.targets.events.push_back(event_equal(*id, label, Origin::none));
    std::string found;
    for (const auto& [v, label] : best.values) found += (found.empty() ? "" : ", ") + v.name + " = " + label.text();
    out_.note("the most probable assignment is " + found);
}

bool NetExplainer::has_evidence() const { return !query_.given.events.empty() || !case_.shape.given.empty(); }

Status NetExplainer::write() {
    write_identity();
    const auto all = query_cases(case_.shape, case_.sizes, answer_);
    for (std::size_t g = 0; g < all.givens.size(); ++g) {
        std::vector<Pairs> some;
        for (const auto i : all.shown)
            if (i % all.givens.size() == g) some.push_back(all.target(i));
        if (!some.empty()) TRY(write_given(all.givens[g], some, some.size() == all.targets.size()));
    }
    out_.note_shown(all.shown.size(), all.size());
    return Done{};
}

void NetExplainer::write_identity() {
    const std::string asked = query_text(query_, variables_);
    if (!has_evidence() && query_.doing.empty()) {
        out_.formula(asked + " = " + chain_rule());
        return;
    }
    write_cut();
    if (is_table_entry()) {
        out_.note("the answer stands in the table of the node: its parents are known, and nothing below it is");
        return;
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
        out_.note("Bayes' theorem");
        out_.formula(fmt::format("{} = {} * {} / {}", asked, query_text(swapped, variables_), query_text(prior, variables_),
                                 query_text(evidence, variables_)));
    } else if (query_.doing.empty()) {
        out_.note("the definition of conditional probability");
        out_.formula(fmt::format("{} = {} / {}", asked, query_text(joint, variables_), query_text(evidence, variables_)));
    }
    if (query_.doing.empty()) out_.formula(query_text(joint, variables_) + " = " + chain_rule());
}

void NetExplainer::write_cut() {
    if (query_.doing.empty()) return;
    std::string cut;
    for (const auto& doing : query_.doing) cut += (cut.empty() ? "" : ", ") + variables_[index(doing.variable)].variable.name;
    out_.note(fmt::format("do cuts the arcs into {}, so its table is not in the product", cut));
}

std::string NetExplainer::chain_rule() const {
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
    std::string where;
    for (const auto* clause : {&query_.targets, &query_.given})
        for (const auto& event : conjuncts(clause->events)) {
            if (event.kind == Event::Kind::atom && event.atom.compare == Compare::equal) continue;
            where += (where.empty() ? " where " : " and ") + event_text(event, variables_);
            for (const auto v : variables_of(event))
                if (!is_free(static_cast<Slot>(index(v)))) hidden.push_back(static_cast<Slot>(index(v)));
        }
    std::sort(hidden.begin(), hidden.end());
    hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
    return hidden.empty() ? product + where : fmt::format("sum over {}{} of {}", names_of(hidden), where, product);
}

std::string NetExplainer::names_of(std::span<const Slot> slots) const {
    std::string out;
    for (const auto slot : slots) out += (out.empty() ? "" : ", ") + variables_[slot].variable.name;
    return out;
}

bool NetExplainer::is_free(Slot slot) const {
    const auto& answer = case_.shape.answer;
    return contains(answer, slot);
}

bool NetExplainer::is_named(Slot slot) const {
    if (is_free(slot)) return true;
    for (const auto* tables : {&case_.evidence, &case_.target_events})
        for (const auto& t : *tables)
            if (contains(t.variables, slot)) return true;
    return false;
}

std::vector<Slot> NetExplainer::asked_slots() const {
    std::vector<Slot> out = case_.shape.targets;
    for (const auto& t : case_.target_events) out.insert(out.end(), t.variables.begin(), t.variables.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool NetExplainer::targets_are_causes() const {
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

bool NetExplainer::is_table_entry() const {
    const auto targets = asked_slots();
    if (targets.size() != 1 || !query_.doing.empty() || evidence_ways_.size() != 1) return false;
    std::vector<Slot> known = case_.shape.given;
    for (const auto& t : case_.evidence) known.insert(known.end(), t.variables.begin(), t.variables.end());
    for (const auto parent : net_.nodes[targets[0]].parents)
        if (!contains(known, static_cast<Slot>(index(parent)))) return false;
    for (const auto slot : known)
        if (ancestors(case_, std::span(&slot, 1))[targets[0]]) return false;
    return true;
}

Status NetExplainer::write_sums() {
    write_cut();
    const bool conditional = has_evidence();
    out_.formula(query_text(query_, variables_) + (conditional ? " = P(targets, evidence) / P(evidence)" : " = the sum of all ways"));
    out_.note(fmt::format("the products are too many to write out; {} added them up", answer_.engine));
    const auto all = query_cases(case_.shape, case_.sizes, answer_);
    for (const auto i : all.shown) {
        const Pairs& cell = all.target(i);
        const Pairs& g = all.given(i);
        if (!merged(cell, g)) continue;
        const auto above = TRY(number(side(Side::joint, cell, g)));
        const auto below = TRY(number(side(Side::evidence, cell, g)));
        if (below.is_zero()) continue;
        out_.calculation(asked_text(Side::conditional, cell, g), {conditional ? quotient(above, below) : Parts{above}}, above / below);
    }
    out_.note_shown(all.shown.size(), all.size());
    return Done{};
}

Status NetExplainer::write_uncertain() {
    write_cut();
    const auto ask = [&](const Query& q) { return number(q); };
    return explain_soft(query_, variables_, query_cases(case_.shape, case_.sizes, answer_), ask, out_);
}

Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run) {
    return NetExplainer(net, variables, query, answer, run).explain();
}

}  // namespace credence::rt
