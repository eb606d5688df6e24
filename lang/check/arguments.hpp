#pragma once
// What can be said about an argument from its syntax alone, before the run.

#include <span>

#include "lang/builtin/signature.hpp"
#include "lang/syntax/ast.hpp"

namespace credence::lang {

/// What a literal is, as far as its form shows; nothing for everything computed.
std::optional<Type> literal_type(const Expr& expr);
/// The number of a literal, with its sign.
std::optional<Value> literal_value(const Expr& expr);
bool fits(Type found, Type wanted);
/// Where a bare word is a variable or a column.
bool names_variable(Type type);

/// The forms that such a call fits; if there are none, why the first does not. `piped`: how many arguments stand before the call.
struct FittingForms {
    std::vector<const Builtin*> forms;
    std::optional<Mismatch> mismatch;
};
FittingForms fitting_forms(std::span<const Builtin> forms, const Call& call, std::size_t piped);

/// The parameter an argument goes to: by name, else by position (a rest parameter takes all that follow).
const Parameter* parameter_of(const Builtin& form, const Argument& argument, std::size_t position);

}  // namespace credence::lang
