#include "lang/syntax/walk.hpp"

namespace credence::lang {

namespace {

using Visit = std::function<bool(const Expr&)>;

void walk(const ExprPtr& expr, const Visit& visit) {
    if (expr) lang::walk(*expr, visit);
}

void walk_items(const std::vector<QueryItem>& items, const Visit& visit) {
    for (const auto& item : items) {
        if (const auto* event = std::get_if<EventItem>(&item.node)) lang::walk(*event->event, visit);
        if (const auto* intervention = std::get_if<DoItem>(&item.node))
            for (const auto& e : intervention->events) lang::walk(*e, visit);
    }
}

struct Parts {
    const Visit& visit;
    void all(const std::vector<ExprPtr>& items) const {
        for (const auto& item : items) walk(item, visit);
    }
    void operator()(const NumberLit&) const {}
    void operator()(const BoolLit&) const {}
    void operator()(const TextLit& t) const {
        for (const auto& part : t.parts)
            if (const auto* e = std::get_if<ExprPtr>(&part)) walk(*e, visit);
    }
    void operator()(const SignLit&) const {}
    void operator()(const NameExpr&) const {}
    void operator()(const HoleLit&) const {}
    void operator()(const ListLit& l) const { all(l.items); }
    void operator()(const Comprehension& c) const {
        walk(c.body, visit);
        walk(c.source, visit);
        walk(c.condition, visit);
    }
    void operator()(const RecordLit& r) const {
        for (const auto& entry : r.entries) {
            walk(entry.computed, visit);
            walk(entry.value, visit);
        }
    }
    void operator()(const SetLit& s) const { all(s.items); }
    void operator()(const InstanceLit& i) const {
        for (const auto& element : i.elements)
            if (const auto* e = std::get_if<ExprPtr>(&element.value)) walk(*e, visit);
    }
    void operator()(const Unary& u) const { walk(u.operand, visit); }
    void operator()(const Binary& b) const {
        walk(b.left, visit);
        walk(b.right, visit);
    }
    void operator()(const Range& r) const {
        walk(r.from, visit);
        walk(r.to, visit);
        walk(r.step, visit);
    }
    void operator()(const If& i) const {
        walk(i.condition, visit);
        walk(i.then_, visit);
        walk(i.else_, visit);
    }
    void operator()(const Lambda& l) const { walk(l.body, visit); }
    void operator()(const Call& c) const {
        walk(c.callee, visit);
        for (const auto& argument : c.arguments) {
            walk(argument.index, visit);
            walk(argument.value, visit);
        }
    }
    void operator()(const Index& i) const {
        walk(i.base, visit);
        all(i.indices);
    }
    void operator()(const Member& m) const { walk(m.base, visit); }
    void operator()(const Pipe& p) const {
        walk(p.left, visit);
        walk(p.right, visit);
    }
    void operator()(const Explain& e) const { walk(e.operand, visit); }
    void operator()(const Train& t) const {
        walk(t.learner, visit);
        walk(t.data, visit);
        walk(t.by, visit);
    }
    void operator()(const Sample& s) const {
        walk(s.count, visit);
        walk(s.source, visit);
        walk(s.by, visit);
    }
    void operator()(const QueryExpr& q) const {
        walk_items(q.targets, visit);
        walk_items(q.second, visit);
        walk(q.expectation, visit);
        walk_items(q.given, visit);
        walk(q.model, visit);
        walk(q.engine, visit);
    }
    void operator()(const GraphLit&) const {}
};

}  // namespace

void walk(const Expr& expr, const Visit& visit) {
    if (visit(expr)) std::visit(Parts{visit}, expr.node);
}

void walk(const EventExpr& event, const Visit& visit) {
    const auto variable = [&](const VariableRef& ref) { walk(ref.index, visit); };
    if (const auto* a = std::get_if<EventAtom>(&event.node)) {
        variable(a->variable);
        walk(a->value, visit);
    }
    if (const auto* n = std::get_if<EventName>(&event.node)) variable(n->variable);
    if (const auto* c = std::get_if<EventCompare>(&event.node)) {
        walk(c->left, visit);
        walk(c->right, visit);
    }
    if (const auto* q = std::get_if<EventQuantity>(&event.node)) walk(q->quantity, visit);
    if (const auto* n = std::get_if<EventNot>(&event.node)) walk(*n->operand, visit);
    if (const auto* a = std::get_if<EventAnd>(&event.node))
        for (const auto& part : a->parts) walk(*part, visit);
    if (const auto* o = std::get_if<EventOr>(&event.node))
        for (const auto& part : o->parts) walk(*part, visit);
}

bool mentions_local(const Expr& expr, std::uint32_t slot) {
    bool out = false;
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameExpr>(&part.node);
        out = out || (name && name->resolved.kind == Resolution::Kind::local && name->resolved.slot == slot);
        if (const auto* lambda = std::get_if<Lambda>(&part.node))  // a function has slots of its own, and copies what it uses
            for (const auto& capture : lambda->frame.captures) out = out || capture.from == slot;
        return !out && !std::holds_alternative<Lambda>(part.node);
    });
    return out;
}

}  // namespace credence::lang
