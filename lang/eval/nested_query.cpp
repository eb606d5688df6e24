#include "lang/eval/nested_query.hpp"

#include <algorithm>
#include <set>

#include "lang/syntax/walk.hpp"

namespace credence::lang {

namespace {

using Slots = std::set<std::uint32_t>;

bool is_around(const Resolution& meaning, const Slots& own, const std::function<bool(std::uint32_t)>& is_such) {
    return meaning.kind == Resolution::Kind::local && !own.contains(meaning.slot) && is_such(meaning.slot);
}

/// Of the words left of `=` and of those that stand alone.
bool speaks_of(const EventExpr& event, const Slots& own, const std::function<bool(std::uint32_t)>& is_such) {
    const auto part = [&](const EventPtr& e) { return speaks_of(*e, own, is_such); };
    if (const auto* a = std::get_if<EventAtom>(&event.node)) return is_around(a->variable.resolved, own, is_such);
    if (const auto* n = std::get_if<EventName>(&event.node)) return is_around(n->variable.resolved, own, is_such);
    if (const auto* n = std::get_if<EventNot>(&event.node)) return part(n->operand);
    if (const auto* a = std::get_if<EventAnd>(&event.node)) return std::any_of(a->parts.begin(), a->parts.end(), part);
    if (const auto* o = std::get_if<EventOr>(&event.node)) return std::any_of(o->parts.begin(), o->parts.end(), part);
    return false;
}

bool names_speak_of(const QueryExpr& query, const Slots& own, const std::function<bool(std::uint32_t)>& is_such) {
    for (const auto* items : {&query.targets, &query.second, &query.given})
        for (const auto& item : *items) {
            if (const auto* event = std::get_if<EventItem>(&item.node); event && speaks_of(*event->event, own, is_such)) return true;
            if (const auto* intervention = std::get_if<DoItem>(&item.node))
                for (const auto& e : intervention->events)
                    if (speaks_of(*e, own, is_such)) return true;
        }
    return false;
}

void walk_query(const QueryExpr& query, const std::function<bool(const Expr&)>& visit) {
    for (const auto* items : {&query.targets, &query.second, &query.given})
        for (const auto& item : *items) {
            if (const auto* event = std::get_if<EventItem>(&item.node)) walk(*event->event, visit);
            if (const auto* intervention = std::get_if<DoItem>(&item.node))
                for (const auto& e : intervention->events) walk(*e, visit);
        }
    for (const auto* expr : {&query.expectation, &query.model, &query.engine})
        if (*expr) walk(**expr, visit);
}

}  // namespace

bool speaks_of(const QueryExpr& query, const std::function<bool(std::uint32_t)>& is_such) {
    Slots own;
    std::vector<const QueryExpr*> queries{&query};
    walk_query(query, [&](const Expr& part) {
        if (const auto* inner = std::get_if<QueryExpr>(&part.node)) queries.push_back(inner);
        if (const auto* c = std::get_if<Comprehension>(&part.node)) own.insert(c->slot);
        return !std::holds_alternative<Lambda>(part.node);
    });
    for (const auto* one : queries)
        for (const auto& bound : one->bound) own.insert(bound.slot);
    bool out = std::any_of(queries.begin(), queries.end(), [&](const QueryExpr* one) { return names_speak_of(*one, own, is_such); });
    for (const auto* one : queries)
        for (const auto& bound : one->bound) out = out || is_around(bound.otherwise, own, is_such);
    walk_query(query, [&](const Expr& part) {
        if (const auto* name = std::get_if<NameExpr>(&part.node)) out = out || is_around(name->resolved, own, is_such);
        if (const auto* lambda = std::get_if<Lambda>(&part.node))  // it has slots of its own, and copies what it uses
            for (const auto& capture : lambda->frame.captures) out = out || (!own.contains(capture.from) && is_such(capture.from));
        return !out && !std::holds_alternative<Lambda>(part.node);
    });
    return out;
}

AskedOnce::AskedOnce(Evaluator& evaluator, const QueryExpr& expectation) : evaluator_(evaluator) {
    const auto differs = [&](std::uint32_t slot) {
        return std::any_of(expectation.bound.begin(), expectation.bound.end(), [&](const auto& bound) { return bound.slot == slot; });
    };
    auto& known = evaluator_.asked_once_;
    walk(*expectation.expectation, [&](const Expr& part) {
        const auto* inner = std::get_if<QueryExpr>(&part.node);
        if (inner && !speaks_of(*inner, differs)) {
            const auto found = known.find(inner);
            before_.emplace(inner, found == known.end() ? std::nullopt : std::optional(found->second));
            known[inner] = std::nullopt;
        }
        return !inner && !std::holds_alternative<Lambda>(part.node) && !std::holds_alternative<Comprehension>(part.node);
    });
}

AskedOnce::~AskedOnce() {
    for (const auto& [query, value] : before_) {
        if (value)
            evaluator_.asked_once_[query] = *value;
        else
            evaluator_.asked_once_.erase(query);
    }
}

}  // namespace credence::lang
