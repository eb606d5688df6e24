// Engines, training methods and learners: their records as signatures.

#include <algorithm>

#include "lang/builtin/registry.hpp"

namespace credence::lang {

namespace {

using Takes = rt::MethodParameter::Takes;

Type type_of(Takes takes) {
    switch (takes) {
        case Takes::number:
            return Type::number;
        case Takes::word:
            return Type::word;
        case Takes::column:
            return Type::column;
        case Takes::start:
            return Type::start;
    }
    return Type::any;
}

}  // namespace

Builtin signature_of(const rt::MethodInfo& method) {
    Builtin out;
    out.name = method.name;
    out.summary = method.summary;
    out.example = method.example;
    for (const auto& p : method.parameters) {
        Parameter parameter{.name = std::string(p.name), .type = type_of(p.takes), .optional = true, .fallback = p.fallback()};
        parameter.words.assign(p.words.begin(), p.words.end());
        if (p.takes == Takes::number) parameter.range = p.range;
        out.parameters.push_back(std::move(parameter));
    }
    return out;
}

rt::MethodArgument method_argument(const Parameter& parameter, const Value& value, rt::Origin origin) {
    rt::MethodArgument out{parameter.name, {}, origin};
    if (const auto* model = value.get<ModelValue>(); model && parameter.type == Type::start) {
        out.value = model->model;
    } else if (parameter.type == Type::start) {
        std::vector<rt::Number> numbers;
        for (const auto& item : *value.items()) numbers.push_back(*item.get<rt::Number>());
        out.value = std::move(numbers);
    } else if (parameter.type == Type::number) {
        out.value = *value.get<rt::Number>();
    } else {
        out.value = value.as_label()->text();
    }
    return out;
}

void Registry::add_learner(const rt::LearnerInfo& learner) {
    Builtin form = signature_of(learner.call);
    form.subject = learner.subject;
    form.native = [make = learner.make, name = form.name, parameters = form.parameters](CallContext& context,
                                                                                        Arguments arguments) -> rt::Result<Value> {
        rt::MethodCall call{name, {}, rt::Origin::none};
        for (std::size_t i = 0; i < parameters.size(); ++i)
            if (arguments[i]) call.arguments.push_back(method_argument(parameters[i], *arguments[i], context.argument(i)));
        auto made = TRY(make(call));
        return Value(Value::Node(std::make_shared<const LearnerValue>(LearnerValue{std::move(made), {}, {}})));
    };
    add_learner(std::move(form));
    add_loader(std::string(learner.call.name), learner.load);
}

void Registry::add_methods(MethodUse use, std::string_view models, std::span<const rt::MethodInfo> methods) {
    for (const auto& method : methods) {
        auto& forms = (use == MethodUse::training ? training_methods_ : engines_)[std::string(method.name)];
        Builtin form = signature_of(method);
        const auto same = std::find_if(forms.begin(), forms.end(), [&](const MethodForm& f) {
            return f.form.summary == form.summary && signature_text(f.form) == signature_text(form);
        });
        if (same == forms.end())
            forms.push_back({std::move(form), {std::string(models)}});
        else
            same->models.emplace_back(models);
    }
}

std::vector<const Builtin*> Registry::methods_named(MethodUse use, std::string_view name) const {
    std::vector<const Builtin*> out;
    const auto found = methods(use).find(name);
    if (found == methods(use).end()) return out;
    for (const auto& form : found->second) out.push_back(&form.form);
    return out;
}

}  // namespace credence::lang
