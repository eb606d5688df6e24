#include "lang/syntax/ast.hpp"

#include <utility>

namespace credence::lang {

Expr::Expr(Node n, Span s) : node(std::move(n)), span(s) {}
Expr::Expr(Expr&&) noexcept = default;
Expr& Expr::operator=(Expr&&) noexcept = default;
Expr::~Expr() = default;

Statement::Statement(Node n, Span s) : node(std::move(n)), span(s) {}
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

}  // namespace credence::lang
