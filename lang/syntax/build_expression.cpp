// Expressions: from operators to the postfix forms and literals with parts.

#include "lang/syntax/build.hpp"

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

ExprPtr joined(Expr::Node node, Span left, Span right) { return std::make_unique<Expr>(Expr{std::move(node), join(left, right), false}); }

}  // namespace

void pipe(Frame& f) {
    if (f.size() == 1) return;
    auto left = f.take<ExprPtr>();
    while (!f.done()) {
        auto right = f.take<ExprPtr>();
        const Span a = left->span, b = right->span;
        left = joined(Pipe{std::move(left), std::move(right)}, a, b);
        f.deepen();
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
        f.deepen();
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
        f.deepen();
    }
    f.push(std::move(base));
}

void argument(Frame& f) {
    Argument node;
    if (f.is<Word>()) node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push(std::move(node));
}

void call(Frame& f) {
    auto arguments = f.take_all<Argument>();
    bool named = false;
    for (const auto& a : arguments) {
        if (named && !a.name) {
            f.builder().report("E-SYNTAX", "an argument without a name after one with a name", a.value->span, "put it before the named ones");
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
    Comprehension node;
    node.body = std::move(items.front());
    node.variable = f.take<Word>();
    node.source = f.take<ExprPtr>();
    if (!f.done()) node.condition = f.take<ExprPtr>();
    f.push_expr(std::move(node));
}

void entry(Frame& f) {
    RecordEntry node;
    node.key = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push(std::move(node));
}

void entries(Frame& f) { f.push(Entries{f.take_all<RecordEntry>()}); }
void record(Frame& f) { f.push_expr(RecordLit{f.take<Entries>().entries}); }
void set(Frame& f) { f.push_expr(SetLit{f.take_all<ExprPtr>()}); }

void instance_element(Frame& f) {
    InstanceElement node{.value = AnyValue{}, .span = f.span()};
    if (!f.done()) node.value = f.take<ExprPtr>();
    else if (f.token().kind == Tok::nothing) node.value = NoValue{};
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
    ClauseKind kind{};
    switch (f.token().kind) {
        case Tok::in: kind = ClauseKind::in; break;
        case Tok::by: kind = ClauseKind::by; break;
        case Tok::step: kind = ClauseKind::step; break;
        case Tok::from: kind = ClauseKind::from; break;
        case Tok::within: kind = ClauseKind::within; break;
        default: kind = ClauseKind::prior; break;
    }
    f.push(Clause{kind, f.take<ExprPtr>()});
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

}  // namespace credence::lang::build
