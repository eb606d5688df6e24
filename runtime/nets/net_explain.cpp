// A derivation as a textbook prints it: the identity, the joint probabilities as sums of products of table entries,
// the probability of the evidence, and their quotients.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_explain_rows.hpp"
#include "runtime/nets/net_explainer.hpp"
#include "runtime/prob/queries/explain_soft.hpp"

namespace credence::rt {

Result<Derivation> NetExplainer::explain() {
    if (const auto* best = std::get_if<Assignment>(&answer_.value)) become_event(*best);
    case_ = TRY(digest(net_, variables_, query_, run_));
    if (!case_.simple()) return explain_rows(net_, variables_, query_, answer_, case_, run_);
    auto targets = TRY(ways(query_.targets.events, variables_, run_).or_nothing());
    auto evidence = TRY(ways(query_.given.events, variables_, run_).or_nothing());
    const bool twice = case_.shape.answer.size() != case_.shape.targets.size() + case_.shape.given.size();
    const bool listed = targets && evidence && !twice;
    if (listed) {
        target_ways_ = *std::move(targets);
        evidence_ways_ = *std::move(evidence);
    }
    TRY(!query_.given.soft.empty() ? write_uncertain() : listed ? write() : write_sums());
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
    const Cases all = cases();
    for (std::size_t g = 0; g < all.givens.size(); ++g) {
        std::vector<Pairs> some;
        for (std::size_t x = 0; x < all.cells.size(); ++x)
            if (std::binary_search(all.shown.begin(), all.shown.end(), x * all.givens.size() + g)) some.push_back(all.cells[x]);
        if (some.empty()) continue;
        if (auto status = write_given(all.givens[g], some, some.size() == all.cells.size()); !status) return status;
    }
    note_cases_left_out(all);
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
    out_.note(fmt::format("do cuts the arcs into {}: its table leaves the product", cut));
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

bool NetExplainer::targets_are_causes() const {
    if (!query_.doing.empty() || case_.evidence.empty() || !case_.shape.given.empty()) return false;
    std::vector<Slot> targets = case_.shape.targets;
    for (const auto& t : case_.target_events) targets.insert(targets.end(), t.variables.begin(), t.variables.end());
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
    std::vector<Slot> targets = case_.shape.targets;
    for (const auto& t : case_.target_events) targets.insert(targets.end(), t.variables.begin(), t.variables.end());
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    if (targets.size() != 1 || !query_.doing.empty() || evidence_ways_.size() != 1) return false;
    std::vector<Slot> known = case_.shape.given;
    for (const auto& t : case_.evidence) known.insert(known.end(), t.variables.begin(), t.variables.end());
    for (const auto parent : net_.nodes[targets[0]].parents)
        if (!contains(known, static_cast<Slot>(index(parent)))) return false;
    for (const auto slot : known)
        if (ancestors(case_, std::span(&slot, 1))[targets[0]]) return false;
    return true;
}

NetExplainer::Cases NetExplainer::cases() const {
    Cases out{configurations(case_.shape.targets, case_.sizes), configurations(case_.shape.given, case_.sizes), {}};
    std::vector<double> weights(out.cells.size() * out.givens.size(), 1);
    if (const auto* factor = std::get_if<Factor>(&answer_.value); factor != nullptr && factor->size() == weights.size())
        weights = factor->doubles();
    out.shown = shown_cases(weights);
    return out;
}

void NetExplainer::note_cases_left_out(const Cases& cases) {
    const std::size_t all = cases.cells.size() * cases.givens.size();
    if (cases.shown.size() < all) out_.note(fmt::format("{} of {} cases are shown, the most probable", cases.shown.size(), all));
}

Status NetExplainer::for_shown_cases(const std::function<Status(const Pairs& cell, const Pairs& given)>& tell) {
    const Cases all = cases();
    for (const auto i : all.shown) {
        const Pairs& cell = all.cells[i / all.givens.size()];
        const Pairs& given = all.givens[i % all.givens.size()];
        if (!merged(cell, given)) continue;
        if (auto status = tell(cell, given); !status) return status;
    }
    note_cases_left_out(all);
    return Done{};
}

Status NetExplainer::write_sums() {
    write_cut();
    const bool conditional = has_evidence();
    out_.formula(query_text(query_, variables_) + (conditional ? " = P(targets, evidence) / P(evidence)" : " = the sum of all ways"));
    out_.note(fmt::format("the products are too many to write out; {} added them up", answer_.engine));
    return for_shown_cases([&](const Pairs& cell, const Pairs& g) -> Status {
        Clause all = query_.targets;
        all.events.insert(all.events.end(), query_.given.events.begin(), query_.given.events.end());
        const auto above = TRY(added_up(std::move(all), {}, *merged(cell, g), {}));
        const auto below = TRY(added_up(query_.given, {}, g, {}));
        if (below.is_zero()) return Done{};
        out_.heading(asked_text(Side::conditional, cell, g));
        out_.begin(conditional ? quotient(above, below) : Parts{above});
        out_.result(above / below);
        return Done{};
    });
}

Status NetExplainer::write_uncertain() {
    write_cut();
    const Cases all = cases();
    std::vector<SoftCase> shown;
    for (const auto i : all.shown) {
        const Pairs& cell = all.cells[i / all.givens.size()];
        const Pairs& given = all.givens[i % all.givens.size()];
        if (merged(cell, given)) shown.push_back({cell, given});
    }
    const auto ask = [&](const Query& q) -> Result<Number> {
        auto answer = TRY(ask_net(net_, variables_, q, run_));
        return std::get<Number>(answer.value);
    };
    if (auto status = explain_soft(query_, variables_, shown, ask, out_); !status) return status;
    note_cases_left_out(all);
    return Done{};
}

Result<Derivation> explain_net(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run) {
    return NetExplainer(net, variables, query, answer, run).explain();
}

}  // namespace credence::rt
