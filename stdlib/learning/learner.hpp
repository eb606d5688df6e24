#pragma once
// What the subjects that bind learners share.

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::std_ {

/// What the function of a learner's builtin returns; Registry::add_learner puts name and parameters to it.
inline lang::Value learner_value(rt::LearnerPtr learner) {
    return lang::Value(lang::Value::Node(std::make_shared<const lang::LearnerValue>(lang::LearnerValue{std::move(learner), {}, {}})));
}

/// The model as the class whose member is asked for (members are registered by kind, so this only fails for kinds with several classes).
template <class T>
rt::Result<const T*> model_as(const lang::ModelValue& m, std::string_view member) {
    if (const auto* out = dynamic_cast<const T*>(m.model.get())) return out;
    return rt::Fault{.code = "E-MEMBER", .message = fmt::format("this {} has no {}", m.model->kind(), member)};
}

inline lang::Value number_value(double x) { return lang::Value(rt::Number::real(x)); }

inline lang::Value numbers_value(std::span<const double> xs) {
    lang::List out;
    for (const double x : xs) out.push_back(number_value(x));
    return lang::Value::list(std::move(out));
}

/// `scale: standard`, `scale: range`: numeric columns brought to a common size before a learner sees them.
inline lang::ParameterDoc scale_parameter() { return {"scale", "none", {"none", "standard", "range"}}; }
inline std::optional<rt::Scaling> scaling_of(const std::optional<lang::Choice>& scale) {
    if (!scale || scale->text == "none") return std::nullopt;
    return scale->text == "standard" ? rt::Scaling::standard : rt::Scaling::range;
}

/// The rows that `predict` and members such as `.neighbors(x)` take: an instance in the order of the features (`?`: missing), a record by
/// column (missing ones left out), or a table; as a table aligned to the schema. Labels that training never saw are an E-LABEL fault, in a
/// table they count as missing cells, with a note.
rt::Result<rt::TablePtr> rows_for(lang::CallContext& context, const rt::Schema& schema, const lang::Value& value, rt::Origin origin);

}  // namespace credence::std_
