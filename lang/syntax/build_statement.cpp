// Statements, without the declarations.

#include "lang/syntax/build.hpp"

namespace credence::lang::build {

void let(Frame& f) {
    LetStmt node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push_statement(std::move(node));
}

void where_binding(Frame& f) {
    WhereBinding node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push(std::move(node));
}

void fn(Frame& f) {
    FnStmt node;
    node.name = f.take<Word>();
    node.params = f.take_all<Word>();
    node.body = f.take<ExprPtr>();
    node.where = f.take_all<WhereBinding>();
    f.push_statement(std::move(node));
}

void set_statement(Frame& f) {
    SetStmt node;
    node.name = f.take<Word>();
    node.value = f.take<ExprPtr>();
    f.push_statement(std::move(node));
}

void import(Frame& f) {
    ImportStmt node;
    auto path = f.take<Word>();
    node.path = std::move(path.text);
    node.path_span = path.span;
    if (f.is<Word>()) node.as = f.take<Word>();
    f.push_statement(std::move(node));
}

void expect_error(Frame& f) {
    ExpectErrorStmt node;
    if (f.is<Word>()) node.text = f.take<Word>().text;
    node.statement = f.take<StatementPtr>();
    f.push_statement(std::move(node));
}

void expect(Frame& f) {
    ExpectStmt node;
    node.condition = f.take<ExprPtr>();
    node.within = f.take(ClauseKind::within);
    if (f.is<Word>()) node.from = f.take<Word>().text;
    f.push_statement(std::move(node));
}

void expression(Frame& f) { f.push_statement(ExprStmt{f.take<ExprPtr>()}); }

}  // namespace credence::lang::build
