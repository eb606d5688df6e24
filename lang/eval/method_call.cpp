// What follows `by`: an engine of a query, a method of training.

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/world/messages.hpp"

namespace credence::lang {

Result<rt::MethodCall> Evaluator::method_call(const Expr& by, MethodUse use, const rt::Model& model, Frame& frame) {
    const auto* call = std::get_if<Call>(&by.node);
    const Expr& named = call ? *call->callee : by;
    const auto* word = std::get_if<NameExpr>(&named.node);
    if (!word) return at(not_a_method(use), by.span);
    rt::MethodCall out{word->name, {}, origin(by.span)};
    const auto known = use == MethodUse::training ? model.training_methods() : model.engines();
    if (known.empty()) return out;  // the model's own message says what it can do
    const rt::MethodInfo* method = rt::find_method(known, word->name);
    if (!method) return at(no_such_method(use, world_.registry, model.kind(), known, word->name), named.span);
    if (!call) return out;

    const Builtin form = signature_of(*method);
    auto passed = TRY(pass(call->arguments, frame, nullptr, {}));
    const auto matched = match_arguments(form, passed.values.size() - passed.names.size(), passed.names);
    if (const auto* mismatch = std::get_if<Mismatch>(&matched))
        return at(mismatch->fault, mismatch->culprit ? passed.spans[*mismatch->culprit] : by.span);
    const auto& argument_of = std::get<Matching>(matched).argument_of;
    for (std::size_t i = 0; i < form.parameters.size(); ++i) {
        if (!argument_of[i]) continue;
        const std::size_t k = *argument_of[i];
        if (auto refused = refusal(passed.values[k], form.parameters[i])) {
            refused->message = fmt::format("{}: {}", form.name, refused->message);
            return at(*std::move(refused), passed.spans[k]);
        }
        out.arguments.push_back(method_argument(form.parameters[i], passed.values[k], origin(passed.spans[k])));
    }
    return out;
}

Result<rt::EngineChoice> Evaluator::engine_of(const QueryExpr& query, const rt::Model& model, Frame& frame) {
    rt::EngineChoice out;
    if (!query.engine) return out;
    static_cast<rt::MethodCall&>(out) = TRY(method_call(*query.engine, MethodUse::answering, model, frame));
    return out;
}

}  // namespace credence::lang
