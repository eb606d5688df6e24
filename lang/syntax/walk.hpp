#pragma once
// Visits the parts of a tree: for passes that look for something rather than compute.

#include <functional>

#include "lang/syntax/ast.hpp"

namespace credence::lang {

/// Calls `visit` on the expression and, while it returns true, on everything inside it, queries and events included.
void walk(const Expr& expr, const std::function<bool(const Expr&)>& visit);
void walk(const EventExpr& event, const std::function<bool(const Expr&)>& visit);

/// Whether a word of the expression is the local in that slot.
bool mentions_local(const Expr& expr, std::uint32_t slot);

}  // namespace credence::lang
