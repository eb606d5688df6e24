// x |> f(a): f(x, a); and preparations in front of a learner, which together are a learner: impute() |> scale() |> svm().

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "runtime/prob/learning/preparation.hpp"

namespace credence::lang {

namespace {

rt::PreparationPtr preparation_in(const LearnerValue& learner) { return std::dynamic_pointer_cast<const rt::Preparation>(learner.learner); }

/// The learner, or the preparation, that is right of a pipe, behind what is left of it.
LearnerValuePtr piped_behind(const LearnerValue& left, LearnerValue right) {
    std::vector<LearnerValuePtr> steps = left.before;
    LearnerValue last = left;
    last.before.clear();
    steps.push_back(std::make_shared<const LearnerValue>(std::move(last)));
    steps.insert(steps.end(), right.before.begin(), right.before.end());
    right.before = std::move(steps);
    if (!preparation_in(right)) return prepared_learner(std::move(right));
    return std::make_shared<const LearnerValue>(std::move(right));
}

}  // namespace

Result<Value> Evaluator::eval_pipe(const Pipe& p, Span span, Frame& frame) {
    auto left = TRY(eval(*p.left, frame));
    const auto* call = std::get_if<Call>(&p.right->node);
    const auto* name = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const bool builtin = name && name->resolved.kind == Resolution::Kind::builtin;
    const Overloads* overloads = builtin ? world_.registry.find(name->name) : nullptr;
    const bool learner = overloads && overloads->forms[0].learner;
    const bool preparation =
        overloads && std::any_of(overloads->forms.begin(), overloads->forms.end(), [](const Builtin& b) { return b.preparation; });

    if (makes_preparation(left)) left = TRY(this->call(left, {}));
    const auto* given = left.get<LearnerValuePtr>();
    if (!given || !preparation_in(**given)) {
        if (learner)
            return fault("E-TYPE", fmt::format("a learner comes after preparations, not after {}", left.kind()), p.left->span,
                         fmt::format("this is {}", left.kind()),
                         left.is<rt::TablePtr>() ? fmt::format("train {}() on t", name->name) : fmt::format("scale() |> {}()", name->name));
        if (call) return eval_call(*call, span, frame, &left, p.left->span);
        auto function = TRY(eval(*p.right, frame));
        return apply(function, {{std::move(left)}, {}, {p.left->span}}, span);
    }
    if (call && !learner && !preparation) return eval_call(*call, span, frame, &left, p.left->span);
    auto right = call ? TRY(eval_call(*call, p.right->span, frame, nullptr, {})) : TRY(eval(*p.right, frame));
    if (makes_learner(right) || makes_preparation(right)) right = TRY(this->call(right, {}));
    if (const auto* behind = right.get<LearnerValuePtr>()) {
        if (!(*behind)->before.empty() && !preparation_in(**behind))
            return fault("E-TYPE", "this learner has preparations already", p.right->span, {},
                         "write them in one line, the first one first");
        return Value(Value::Node(piped_behind(**given, **behind)));
    }
    if (const auto* model = right.get<ModelValue>())
        return fault("E-TYPE", fmt::format("a learner comes after preparations, and {} is a model", model->name), p.right->span);
    return apply(right, {{std::move(left)}, {}, {p.left->span}}, span);
}

}  // namespace credence::lang
