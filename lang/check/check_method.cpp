// What follows `by`, before the run: engines and training methods with their arguments.

#include <algorithm>

#include <fmt/format.h>

#include "lang/check/arguments.hpp"
#include "lang/check/checker.hpp"
#include "lang/world/messages.hpp"

namespace credence::lang {

void Checker::check_method(Expr& by, MethodUse use, const ModelShape* shape) {
    auto* call = std::get_if<Call>(&by.node);
    Expr& named = call ? *call->callee : by;
    auto* name = std::get_if<NameExpr>(&named.node);
    if (!name) return report(not_a_method(use), by.span);
    name->resolved = {Resolution::Kind::option, 0};
    const auto forms = method_forms(*name, named.span, use, shape);
    if (call && !forms.empty()) return check_method_arguments(*call, by.span, forms);
    for (std::size_t i = 0; call && i < call->arguments.size(); ++i) resolve_quietly(*call->arguments[i].value);
}

/// Those the model has; where only the run will know the model, those of all models. Empty, with a report, if there are none.
std::vector<Builtin> Checker::method_forms(const NameExpr& name, Span span, MethodUse use, const ModelShape* shape) {
    std::vector<Builtin> out;
    const auto* known = shape ? &(use == MethodUse::training ? shape->training_methods : shape->engines) : nullptr;
    if (known && !known->empty()) {
        if (const auto* method = rt::find_method(*known, name.name))
            out.push_back(signature_of(*method));
        else
            report(no_such_method(use, world_.registry, shape->kind, *known, name.name), span);
        return out;
    }
    for (const Builtin* form : world_.registry.methods_named(use, name.name)) out.push_back(*form);
    // What a learner made answers by the learner's name as well.
    const Overloads* learner = use == MethodUse::answering ? world_.registry.find(name.name) : nullptr;
    if (out.empty() && !(learner && learner->forms[0].learner)) report(no_such_method(use, world_.registry, name.name), span);
    return out;
}

void Checker::check_method_arguments(Call& call, Span span, const std::vector<Builtin>& forms) {
    auto [fitting, mismatch] = fitting_forms(forms, call, 0);
    if (fitting.empty()) {
        const Argument* culprit = mismatch->culprit ? &call.arguments[*mismatch->culprit] : nullptr;
        report(mismatch->fault, !culprit ? span : culprit->name ? culprit->name->span : culprit->value->span);
        for (const auto& form : forms) fitting.push_back(&form);
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        std::vector<const Parameter*> parameters;
        for (const Builtin* form : fitting)
            if (const auto* p = parameter_of(*form, call.arguments[i], i)) parameters.push_back(p);
        Expr& value = *call.arguments[i].value;
        resolve_argument(call.arguments[i], parameters, call);
        const auto literal = literal_value(value);
        if (parameters.empty() || !check_literal(forms[0].name, value, parameters) || !literal) continue;
        std::optional<rt::Fault> refused;
        for (const Parameter* p : parameters) {
            refused = refusal(*literal, *p);
            if (!refused) break;
        }
        if (!refused) continue;
        refused->message = fmt::format("{}: {}", forms[0].name, refused->message);
        report(*refused, value.span);
    }
}

/// Of a declared model, or of a net with its arguments.
const ModelShape* Checker::trained_shape(const Expr& learner) const {
    if (const Symbol* net = called_net(learner)) return &*net->shape;
    const auto* name = std::get_if<NameExpr>(&learner.node);
    if (!name || (name->resolved.kind != Resolution::Kind::model && name->resolved.kind != Resolution::Kind::global)) return nullptr;
    const Symbol* symbol =
        name->resolved.kind == Resolution::Kind::model ? scope_.find_kind(name->name, Symbol::Kind::model) : scope_.find(name->name);
    return symbol && symbol->shape ? &*symbol->shape : nullptr;
}

}  // namespace credence::lang
