#pragma once
// Faults that several places raise: before the run and during it they read the same.

#include <span>
#include <string>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/value/value.hpp"
#include "runtime/core/result.hpp"

namespace credence::lang {

/// A hint where a known word is near, else nothing.
std::string did_you_mean(std::string_view found, std::span<const std::string> known);
/// "a, b, c, …": cut after a dozen.
std::string listed(std::span<const std::string> words);
std::vector<std::string> label_texts(const rt::Domain& domain);

rt::Fault no_such_label(std::string_view variable, std::span<const std::string> labels, std::string_view found);
rt::Fault no_such_label(const rt::Variable& variable, const rt::Label& label);
rt::Fault no_such_key(const Record& record, std::string_view key);
/// R[9], or R alone, where the variables are R[1] to R[4]; nothing if there is no such plate.
std::optional<rt::Fault> no_such_plate_member(std::span<const std::string> variables, std::string_view found);
rt::Fault no_such_variable(std::string_view model, std::span<const std::string> variables, std::string_view found);
/// `what`: "a net", "table".
rt::Fault no_such_member(std::string_view what, std::span<const std::string> known, std::string_view found);
/// `by` before something that is not a name.
rt::Fault not_a_method(MethodUse use);
/// `by` before a name that models of this kind do not have.
rt::Fault no_such_method(MethodUse use, const Registry& registry, std::string_view kind, std::span<const rt::MethodInfo> known,
                         std::string_view found);
/// And before one that no model has.
rt::Fault no_such_method(MethodUse use, const Registry& registry, std::string_view found);
/// What is wrong with `set name value`, if anything.
std::optional<rt::Fault> setting_fault(std::string_view name, const rt::Number& value);
/// What `set lines all` and `set lines auto` mean.
std::optional<std::size_t> lines_named(std::string_view word);
/// A learner that was called with its table: `rest`, its other arguments as written.
rt::Fault table_goes_behind_on(std::string_view learner, std::span<const std::string> rest, std::string_view table);
/// Which function is meant by count("a b") and length([1, 2]); else nothing.
std::string other_function(std::string_view called, Type found);
/// do(X) without a value, where only one value can be asked for at a time.
rt::Fault open_doing_fault(std::string_view variable);

}  // namespace credence::lang
