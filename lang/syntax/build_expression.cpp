// Expressions: operators, postfix forms, literals with parts, queries and the events in them.

#include <algorithm>

#include "lang/syntax/build.hpp"
#include "runtime/core/lookup.hpp"

namespace credence::lang::build {

void explain(Frame& f) { f.push_expr(Explain{f.take<ExprPtr>()}); }

void if_(Frame& f) {
    If node;
    node.condition = f.take<ExprPtr>();
    node.then_ = f.take<ExprPtr>();
    node.else_ = f.take<ExprPtr>();
    f.push_expr(std::move(node));
}

void lambda(Frame& f) {
    Lambda node;
    node.parenthesised = f.token().kind == Tok::left_paren;
    node.params = f.take_all<Word>();
    node.body = f.take<ExprPtr>();
    f.push_expr(std::move(node));
}

namespace {

ExprPtr joined(Expr::Node node, Span left, Span right) { return std::make_unique<Expr>(std::move(node), join(left, right)); }

}  // namespace

void pipe(Frame& f) {
    if (f.size() == 1) return;
    auto left = f.take<ExprPtr>();
    while (!f.done()) {
        auto right = f.take<ExprPtr>();
        const Span a = left->span, b = right->span;
        left = joined(Pipe{std::move(left), std::move(right)}, a, b);
        if (!f.deepen()) break;
    }
    f.push(std::move(left));
}

/// operand, operator, operand, … of one level, to the left.
void fold(Frame& f) {
    if (f.size() == 1) return;
    auto left = f.take<ExprPtr>();
    while (!f.done()) {
        const auto op = f.take<Operator>();
        auto right = f.take<ExprPtr>();
        const Span a = left->span, b = right->span;
        left = joined(Binary{op.op, std::move(left), std::move(right), op.span}, a, b);
        if (!f.deepen()) break;
    }
    f.push(std::move(left));
}

void not_(Frame& f) { f.push_expr(Unary{UnaryOp::not_, f.take<ExprPtr>()}); }
void negation(Frame& f) { f.push_expr(Unary{UnaryOp::negate, f.take<ExprPtr>()}); }
void extremum(Frame& f) {
    const auto op = f.token().kind == Tok::argmax ? UnaryOp::argmax : UnaryOp::argmin;
    f.push_expr(Unary{op, f.take<ExprPtr>()});
}

void range(Frame& f) {
    if (f.size() == 1) return;
    Range node;
    node.from = f.take<ExprPtr>();
    node.to = f.take<ExprPtr>();
    node.step = f.take(ClauseKind::step);
    f.push_expr(std::move(node));
}

void postfix(Frame& f) {
    if (f.size() == 1) return;
    auto base = f.take<ExprPtr>();
    while (!f.done()) {
        auto suffix = f.take<Suffix>();
        const Span start = base->span;
        Expr::Node node;
        if (auto* arguments = std::get_if<std::vector<Argument>>(&suffix.node)) {
            node = Call{std::move(base), std::move(*arguments)};
        } else if (auto* indices = std::get_if<std::vector<ExprPtr>>(&suffix.node)) {
            node = Index{std::move(base), std::move(*indices)};
        } else {
            node = Member{std::move(base), std::get<Word>(std::move(suffix.node))};
        }
        base = joined(std::move(node), start, suffix.span);
        if (!f.deepen()) break;
    }
    f.push(std::move(base));
}

void argument(Frame& f) {
    Argument node;
    if (f.is<Word>()) node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    if (!f.done()) node.index = std::exchange(node.value, f.take<ExprPtr>());
    f.push(std::move(node));
}

void call(Frame& f) {
    auto arguments = f.take_all<Argument>();
    bool named = false;
    for (const auto& a : arguments) {
        if (named && !a.name) {
            f.builder().report("E-SYNTAX", "a positional argument after a named one", a.value->span, "put it before the named ones");
            break;
        }
        named = a.name.has_value();
    }
    f.push(Suffix{std::move(arguments), f.span()});
}

void index(Frame& f) { f.push(Suffix{f.take_all<ExprPtr>(), f.span()}); }
void member(Frame& f) { f.push(Suffix{f.take<Word>(), f.span()}); }

void list(Frame& f) {
    auto items = f.take_all<ExprPtr>();
    if (!f.is<Word>()) return f.push_expr(ListLit{std::move(items)});
    std::vector<Comprehension> levels;
    while (f.is<Word>()) {
        Comprehension node;
        node.variable = f.take<Word>();
        node.source = f.take<ExprPtr>();
        if (f.is<ExprPtr>()) node.condition = f.take<ExprPtr>();
        levels.push_back(std::move(node));
    }
    ExprPtr body = std::move(items.front());
    for (std::size_t i = levels.size(); i-- > 0;) {
        levels[i].flatten = i + 1 < levels.size();
        levels[i].body = std::move(body);
        body = std::make_unique<Expr>(std::move(levels[i]), f.span());
    }
    f.push(std::move(body));
}

void entry(Frame& f) {
    RecordEntry node;
    if (f.is<ExprPtr>())
        node.computed = f.take<ExprPtr>();
    else
        node.key = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push(std::move(node));
}

void entries(Frame& f) { f.push(Entries{f.take_all<RecordEntry>()}); }
void record(Frame& f) { f.push_expr(RecordLit{f.take<Entries>().entries}); }
void set(Frame& f) { f.push_expr(SetLit{f.take_all<ExprPtr>()}); }

void instance_element(Frame& f) {
    InstanceElement node{.value = AnyValue{}, .span = f.span()};
    if (!f.done())
        node.value = f.take<ExprPtr>();
    else if (f.token().kind == Tok::nothing)
        node.value = NoValue{};
    f.push(std::move(node));
}

void instance(Frame& f) { f.push_expr(InstanceLit{f.take_all<InstanceElement>()}); }

void paren(Frame& f) {
    auto inner = f.take<ExprPtr>();
    inner->parenthesised = true;
    inner->span = f.span();
    f.push(std::move(inner));
}

void clause(Frame& f) {
    static constexpr std::pair<Tok, ClauseKind> kinds[] = {{Tok::in, ClauseKind::in},
                                                           {Tok::by, ClauseKind::by},
                                                           {Tok::step, ClauseKind::step},
                                                           {Tok::from, ClauseKind::from},
                                                           {Tok::within, ClauseKind::within}};
    f.push(Clause{rt::value_for(f.token().kind, kinds, ClauseKind::prior), f.take<ExprPtr>()});
}

void train(Frame& f) {
    Train node;
    node.learner = f.take<ExprPtr>();
    node.data = f.take<ExprPtr>();
    node.by = f.take(ClauseKind::by);
    f.push_expr(std::move(node));
}

void sample(Frame& f) {
    Sample node;
    if (f.is<ExprPtr>()) node.count = f.take<ExprPtr>();
    node.source = f.take(ClauseKind::from);
    node.by = f.take(ClauseKind::by);
    f.push_expr(std::move(node));
}

// --- queries --------------------------------------------------------------------------------------------------------

namespace {

EventPtr event_of(decltype(EventExpr::node) node, Span span) { return std::make_unique<EventExpr>(EventExpr{std::move(node), span}); }

}  // namespace

/// Z[i, j] of plates in plates: the text "i, j" distinguishes its variables.
ExprPtr joined_index(std::vector<ExprPtr> indices) {
    if (indices.size() == 1) return std::move(indices[0]);
    const Span span{indices.front()->span.begin, indices.back()->span.end};
    TextLit joined;
    for (auto& index : indices) {
        if (!joined.parts.empty()) joined.parts.emplace_back(", ");
        joined.parts.emplace_back(std::move(index));
    }
    return std::make_unique<Expr>(std::move(joined), span);
}

void variable(Frame& f) {
    VariableRef node;
    node.name = f.take<Word>();
    if (auto indices = f.take_all<ExprPtr>(); !indices.empty()) node.index = joined_index(std::move(indices));
    node.span = f.span();
    f.push(std::move(node));
}

void event_op(Frame& f) {
    static constexpr std::pair<Tok, EventOp> operators[] = {
        {Tok::not_equal, EventOp::not_equal},         {Tok::less, EventOp::less},
        {Tok::less_equal, EventOp::less_equal},       {Tok::greater, EventOp::greater},
        {Tok::greater_equal, EventOp::greater_equal}, {Tok::in, EventOp::in},
        {Tok::tilde, EventOp::distributed},           {Tok::likelihood, EventOp::likelihood}};
    f.push(rt::value_for(f.token().kind, operators, EventOp::equal));
}

namespace {

/// X or Q[i] by itself, which may be a variable; nothing of any other expression.
std::optional<VariableRef> as_variable(Expr& expr) {
    if (expr.parenthesised) return std::nullopt;
    auto* index = std::get_if<Index>(&expr.node);
    auto* name = std::get_if<NameExpr>(index ? &index->base->node : &expr.node);
    if (!name) return std::nullopt;
    if (index &&
        std::any_of(index->indices.begin(), index->indices.end(), [](const ExprPtr& i) { return std::holds_alternative<Range>(i->node); }))
        return std::nullopt;  // a part of a plate
    VariableRef out;
    out.name = {name->name, index ? index->base->span : expr.span};
    out.span = expr.span;
    if (index) out.index = joined_index(std::move(index->indices));
    return out;
}

}  // namespace

void event_atom(Frame& f) {
    auto left = f.take<ExprPtr>();
    auto variable = as_variable(*left);
    if (f.done()) {
        if (variable) return f.push(event_of(EventName{*std::move(variable)}, f.span()));
        return f.push(event_of(EventQuantity{std::move(left)}, f.span()));
    }
    const auto op = f.take<EventOp>();
    auto right = f.take<ExprPtr>();
    if (variable) return f.push(event_of(EventAtom{*std::move(variable), op, std::move(right)}, f.span()));
    f.push(event_of(EventCompare{std::move(left), op, std::move(right)}, f.span()));
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
void event_item(Frame& f) {
    EventItem node{f.token().kind == Tok::next, f.take<EventPtr>()};
    if (f.is<Word>()) node.as = f.take<Word>();
    f.push(QueryItem{std::move(node), f.span()});
}

void query(Frame& f) {
    QueryExpr node;
    static constexpr std::pair<char, QueryHead> heads[] = {
        {'E', QueryHead::E}, {'H', QueryHead::H}, {'I', QueryHead::I}, {'L', QueryHead::L}};
    node.head = rt::value_for(f.text(f.token()).front(), heads, QueryHead::P);
    if (node.head == QueryHead::E && f.is<QueryItem>()) {
        node.head = QueryHead::P;  // an event counts as 1 or 0, so its mean is its probability
    } else if (node.head == QueryHead::E) {
        node.next = f.take(Mark::next);
        node.expectation = f.take<ExprPtr>();
    }
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
