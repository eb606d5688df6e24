// Queries and the events in them.

#include "lang/syntax/build.hpp"

namespace credence::lang::build {

namespace {

EventPtr event_of(decltype(EventExpr::node) node, Span span) { return std::make_unique<EventExpr>(EventExpr{std::move(node), span}); }

}  // namespace

void variable(Frame& f) {
    VariableRef node;
    node.name = f.take<Word>();
    if (!f.done()) node.index = f.take<ExprPtr>();
    node.span = f.span();
    f.push(std::move(node));
}

void event_op(Frame& f) {
    EventOp op{};
    switch (f.token().kind) {
        case Tok::not_equal: op = EventOp::not_equal; break;
        case Tok::less: op = EventOp::less; break;
        case Tok::less_equal: op = EventOp::less_equal; break;
        case Tok::greater: op = EventOp::greater; break;
        case Tok::greater_equal: op = EventOp::greater_equal; break;
        case Tok::in: op = EventOp::in; break;
        case Tok::tilde: op = EventOp::distributed; break;
        case Tok::likelihood: op = EventOp::likelihood; break;
        default: op = EventOp::equal; break;
    }
    f.push(op);
}

void event_atom(Frame& f) {
    auto variable = f.take<VariableRef>();
    if (f.done()) return f.push(event_of(EventName{std::move(variable)}, f.span()));
    const auto op = f.take<EventOp>();
    f.push(event_of(EventAtom{std::move(variable), op, f.take<ExprPtr>()}, f.span()));
}

void event_not(Frame& f) { f.push(event_of(EventNot{f.take<EventPtr>()}, f.span())); }
void event_and(Frame& f) {
    if (f.size() > 1) f.push(event_of(EventAnd{f.take_all<EventPtr>()}, f.span()));
}
void event(Frame& f) {
    if (f.size() > 1) f.push(event_of(EventOr{f.take_all<EventPtr>()}, f.span()));
}
void event_paren(Frame& f) {
    auto inner = f.take<EventPtr>();
    inner->span = f.span();
    f.push(std::move(inner));
}

void star_item(Frame& f) { f.push(QueryItem{StarItem{}, f.span()}); }
void do_item(Frame& f) { f.push(QueryItem{DoItem{f.take_all<EventPtr>()}, f.span()}); }
void event_item(Frame& f) { f.push(QueryItem{EventItem{f.token().kind == Tok::next, f.take<EventPtr>()}, f.span()}); }

void query(Frame& f) {
    QueryExpr node;
    switch (f.text(f.token()).front()) {
        case 'E': node.head = QueryHead::E; break;
        case 'H': node.head = QueryHead::H; break;
        case 'I': node.head = QueryHead::I; break;
        case 'L': node.head = QueryHead::L; break;
        default: node.head = QueryHead::P; break;
    }
    if (node.head == QueryHead::E) node.expectation = f.take<ExprPtr>();
    node.targets = f.take_all<QueryItem>();
    std::size_t sides = 1;
    for (; f.take(Mark::semicolon); ++sides) {
        auto side = f.take_all<QueryItem>();
        node.second.insert(node.second.end(), std::make_move_iterator(side.begin()), std::make_move_iterator(side.end()));
    }
    if (node.head == QueryHead::I && sides != 2) {
        f.builder().report("E-SYNTAX", "I has two sides", f.span(), "write I(X; Y) or I(X; Y | Z)");
    } else if (node.head != QueryHead::I && sides != 1) {
        f.builder().report("E-SYNTAX", "only I takes a ;", f.span(), "separate variables and events with commas");
    }
    if (f.take(Mark::bar)) node.given = f.take_all<QueryItem>();
    node.model = f.take(ClauseKind::in);
    node.engine = f.take(ClauseKind::by);
    f.push_expr(std::move(node));
}

}  // namespace credence::lang::build
