#pragma once
// What can be said about an argument from its syntax alone, before the run.

#include "lang/builtin/signature.hpp"
#include "lang/syntax/ast.hpp"

namespace credence::lang {

/// What a literal is, as far as its form shows; nothing for everything computed.
std::optional<Type> literal_type(const Expr& expr);
/// The number of a literal, with its sign.
std::optional<Value> literal_value(const Expr& expr);
bool fits(Type found, Type wanted);

/// The parameter an argument goes to: by name, else by position (a rest parameter takes all that follow).
const Parameter* parameter_of(const Builtin& form, const Argument& argument, std::size_t position);

}  // namespace credence::lang
