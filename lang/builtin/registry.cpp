#include "lang/builtin/registry.hpp"

#include <algorithm>

#include "lang/builtin/bind.hpp"
#include "lang/value/function.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/preparation.hpp"

namespace credence::lang {

bool makes_learner(const Value& value) {
    const auto* function = value.get<FunctionPtr>();
    const auto* builtin = function ? std::get_if<const Overloads*>(&(*function)->node) : nullptr;
    return builtin && !(*builtin)->forms.empty() && (*builtin)->forms[0].learner;
}

bool makes_preparation(const Value& value) {
    const auto* function = value.get<FunctionPtr>();
    const auto* builtin = function ? std::get_if<const Overloads*>(&(*function)->node) : nullptr;
    return builtin && std::any_of((*builtin)->forms.begin(), (*builtin)->forms.end(), [](const Builtin& b) { return b.preparation; });
}

LearnerValuePtr prepared_learner(LearnerValue learner) {
    std::vector<rt::PreparationPtr> steps;
    for (const auto& step : learner.before) steps.push_back(std::dynamic_pointer_cast<const rt::Preparation>(step->learner));
    if (!steps.empty()) learner.learner = rt::prepared_by(std::move(steps), std::move(learner.learner));
    return std::make_shared<const LearnerValue>(std::move(learner));
}

bool Registry::has_prelude(std::string_view name) const {
    return std::any_of(preludes_.begin(), preludes_.end(), [&](const Prelude& prelude) { return prelude.name == name; });
}

const FileFormat* Registry::format_of(std::string_view ending) const {
    for (const auto& format : formats_)
        if (rt::contains(format.endings, ending)) return &format;
    return nullptr;
}

std::string Registry::endings(const std::function<bool(const FileFormat&)>& wanted) const {
    std::vector<std::string> out;
    for (const auto& format : formats_)
        if (wanted(format)) out.insert(out.end(), format.endings.begin(), format.endings.end());
    return rt::joined(out, ", ");
}

void Registry::add(Builtin builtin) {
    auto& overloads = builtins_[builtin.name];
    overloads.name = builtin.name;
    overloads.forms.push_back(std::move(builtin));
}

namespace {

/// The learner that a builtin made, with the call: its name and the arguments given.
LearnerValue with_call(const Value& made, const std::string& name, std::span<const Parameter> parameters, Arguments arguments) {
    LearnerValue out = **made.get<LearnerValuePtr>();
    out.name = name;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (arguments[i]) out.parameters.emplace_back(parameters[i].name, *arguments[i]);
    return out;
}

}  // namespace

void Registry::add_preparation(Builtin builtin) {
    builtin.preparation = true;
    builtin.native = [make = std::move(builtin.native), name = builtin.name, parameters = builtin.parameters](
                         CallContext& context, Arguments arguments) -> rt::Result<Value> {
        auto made = make(context, arguments);
        if (!made) return made;
        return Value(Value::Node(std::make_shared<const LearnerValue>(with_call(*made, name, parameters, arguments))));
    };
    add(std::move(builtin));
}

void Registry::add_learner(Builtin builtin) {
    builtin.learner = true;
    const std::size_t own = builtin.parameters.size();
    builtin.parameters.push_back({.name = "counts", .type = Type::column, .optional = true, .fallback = "none"});
    builtin.native = [make = std::move(builtin.native), name = builtin.name, parameters = builtin.parameters, own](
                         CallContext& context, Arguments arguments) -> rt::Result<Value> {
        auto made = make(context, arguments.first(own));
        if (!made) return made;
        LearnerValue out = with_call(*made, name, parameters, arguments);
        if (arguments[own]) out.learner = rt::weighted_by(std::move(out.learner), arguments[own]->as_label()->text());
        return Value(Value::Node(std::make_shared<const LearnerValue>(std::move(out))));
    };
    add(std::move(builtin));
}

void Registry::add_member(std::string kind, Builtin member) {
    auto key = std::make_pair(std::move(kind), member.name);
    members_.insert_or_assign(std::move(key), std::move(member));
}

const Overloads* Registry::find(std::string_view name) const {
    const auto found = builtins_.find(name);
    return found == builtins_.end() ? nullptr : &found->second;
}

const Builtin* Registry::find_member(std::string_view kind, std::string_view name) const {
    const auto found = members_.find({std::string(kind), std::string(name)});
    return found == members_.end() ? nullptr : &found->second;
}

std::vector<const Builtin*> Registry::members_named(std::string_view name) const {
    std::vector<const Builtin*> out;
    for (const auto& [key, member] : members_)
        if (key.second == name) out.push_back(&member);
    return out;
}

std::vector<std::string> Registry::member_names(std::string_view kind) const {
    std::vector<std::string> out;
    for (const auto& [key, member] : members_)
        if (key.first == kind) out.push_back(key.second);
    return out;
}

}  // namespace credence::lang
