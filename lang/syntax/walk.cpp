#include "lang/syntax/walk.hpp"

namespace credence::lang {

namespace {

using Visit = std::function<bool(const Expr&)>;

/// The parts of an expression, one after the other: pointers (null: left out), lists of them, lists of what has them.
struct Parts {
    const Visit& visit;

    template <class... Part>
    void walk_all(const Part&... parts) const {
        (walk_part(parts), ...);
    }
    void walk_part(const ExprPtr& part) const {
        if (part) walk(*part, visit);
    }
    void walk_part(const std::vector<ExprPtr>& items) const {
        for (const auto& item : items) walk_part(item);
    }
    void walk_part(const std::vector<QueryItem>& items) const {
        for (const auto& item : items) {
            if (const auto* event = std::get_if<EventItem>(&item.node)) walk(*event->event, visit);
            if (const auto* intervention = std::get_if<DoItem>(&item.node))
                for (const auto& e : intervention->events) walk(*e, visit);
        }
    }

    void operator()(const NumberLit&) const {}
    void operator()(const BoolLit&) const {}
    void operator()(const SignLit&) const {}
    void operator()(const NameExpr&) const {}
    void operator()(const HoleLit&) const {}
    void operator()(const GraphLit&) const {}
    void operator()(const TextLit& t) const {
        for (const auto& part : t.parts)
            if (const auto* e = std::get_if<ExprPtr>(&part)) walk_part(*e);
    }
    void operator()(const ListLit& l) const { walk_all(l.items); }
    void operator()(const Comprehension& c) const { walk_all(c.body, c.source, c.condition); }
    void operator()(const RecordLit& r) const {
        for (const auto& entry : r.entries) walk_all(entry.computed, entry.value);
    }
    void operator()(const SetLit& s) const { walk_all(s.items); }
    void operator()(const InstanceLit& i) const {
        for (const auto& element : i.elements)
            if (const auto* e = std::get_if<ExprPtr>(&element.value)) walk_part(*e);
    }
    void operator()(const Unary& u) const { walk_all(u.operand); }
    void operator()(const Binary& b) const { walk_all(b.left, b.right); }
    void operator()(const Range& r) const { walk_all(r.from, r.to, r.step); }
    void operator()(const If& i) const { walk_all(i.condition, i.then_, i.else_); }
    void operator()(const Lambda& l) const { walk_all(l.body); }
    void operator()(const Call& c) const {
        walk_all(c.callee);
        for (const auto& argument : c.arguments) walk_all(argument.index, argument.value);
    }
    void operator()(const Index& i) const { walk_all(i.base, i.indices); }
    void operator()(const Member& m) const { walk_all(m.base); }
    void operator()(const Pipe& p) const { walk_all(p.left, p.right); }
    void operator()(const Explain& e) const { walk_all(e.operand); }
    void operator()(const Train& t) const { walk_all(t.learner, t.data, t.by); }
    void operator()(const Sample& s) const { walk_all(s.count, s.source, s.by); }
    void operator()(const QueryExpr& q) const { walk_all(q.targets, q.second, q.expectation, q.given, q.model, q.engine); }
};

}  // namespace

void walk(const Expr& expr, const Visit& visit) {
    if (visit(expr)) std::visit(Parts{visit}, expr.node);
}

void walk(const EventExpr& event, const Visit& visit) {
    const Parts parts{visit};
    if (const auto* a = std::get_if<EventAtom>(&event.node)) parts.walk_all(a->variable.index, a->value);
    if (const auto* n = std::get_if<EventName>(&event.node)) parts.walk_all(n->variable.index);
    if (const auto* c = std::get_if<EventCompare>(&event.node)) parts.walk_all(c->left, c->right);
    if (const auto* q = std::get_if<EventQuantity>(&event.node)) parts.walk_all(q->quantity);
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
