// mixture NAME { weight: distribution … }: numbers, or ? in their place.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/evaluator.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/declared/mixture.hpp"

namespace credence::lang {

namespace {

bool is_open(const Expr& expr) { return std::holds_alternative<HoleLit>(expr.node); }

/// Over what a part is, as far as parts of one mixture must agree.
enum class Over { labels, counts, densities, vectors };
Over over_of(const rt::MixturePart& part) {
    if (part.shares_hole) return Over::labels;
    switch (part.given ? part.given->support() : part.family->support) {
        case rt::Support::labels:
            return Over::labels;
        case rt::Support::integers:
            return Over::counts;
        case rt::Support::reals:
            return Over::densities;
        case rt::Support::vectors:
            return Over::vectors;
    }
    return Over::vectors;
}

constexpr std::string_view over_text(Over over) {
    switch (over) {
        case Over::labels:
            return "labels";
        case Over::counts:
            return "whole numbers";
        case Over::densities:
            return "real numbers";
        case Over::vectors:
            return "lists of numbers";
    }
    return {};
}

}  // namespace

/// normal(?, 1): the family's parameters in their order, by position or by name.
Result<rt::MixturePart> Evaluator::part_with_holes(const Call& call, Span span, Frame& frame) {
    const auto* name = std::get_if<NameExpr>(&call.callee->node);
    rt::MixturePart part;
    if (name && name->name == "categorical" && call.arguments.size() == 1 && is_open(*call.arguments[0].value)) {
        part.shares_hole = true;
        return part;
    }
    part.family = name ? rt::find_family(name->name) : nullptr;
    const bool vectors = part.family && part.family->vector;
    if (part.family && !part.family->is_learnable()) part.family = nullptr;
    if (!part.family) {
        std::string known;
        for (const auto* family : rt::all_families())
            if (family->is_learnable()) known += (known.empty() ? "" : ", ") + std::string(family->name);
        return fault("E-HOLE", fmt::format("the parameters of {} cannot be learned", name ? "'" + name->name + "'" : "this"), span,
                     fmt::format("? is allowed in {}, and in categorical(?)", known),
                     vectors ? "gaussian_mixture(k: 2) learns mixtures of normals over several columns" : "");
    }
    const auto names = part.family->names();
    std::vector<const Argument*> given(names.size(), nullptr);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        std::size_t at = i;
        if (argument.name) at = static_cast<std::size_t>(std::find(names.begin(), names.end(), argument.name->text) - names.begin());
        if (at >= names.size()) {
            std::vector<std::string> known(names.begin(), names.end());
            const auto near = argument.name ? rt::nearest(argument.name->text, known) : std::nullopt;
            return fault("E-PARAMETER",
                         argument.name ? fmt::format("{} has no parameter '{}'", part.family->name, argument.name->text)
                                       : fmt::format("{} takes {} parameters", part.family->name, names.size()),
                         argument.value->span, fmt::format("its parameters are {}", rt::joined(known, ", ")),
                         near ? fmt::format("did you mean '{}'?", *near) : "");
        }
        if (given[at]) return fault("E-PARAMETER", fmt::format("{} is given twice", names[at]), argument.value->span);
        given[at] = &argument;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!given[i]) {
            if (!part.family->parameters[i].fallback)
                return fault("E-PARAMETER", fmt::format("{} needs its {}", part.family->name, names[i]), span, {},
                             fmt::format("a number, or ? to learn it"));
            part.parameters.emplace_back(*part.family->parameters[i].fallback);
            continue;
        }
        const Expr& value = *given[i]->value;
        if (is_open(value)) {
            if (!part.family->parameters[i].learnable())
                return fault("E-HOLE", fmt::format("the {} of a {} cannot be learned", names[i], part.family->name), value.span,
                             "give it as a number");
            part.parameters.emplace_back();
            continue;
        }
        auto known = TRY(number(value, frame));
        part.parameters.emplace_back(std::move(known));
    }
    if (Status fine = rt::check_part(part); !fine) return at(std::move(fine).fault(), span);
    return part;
}

Result<rt::MixturePart> Evaluator::mixture_part(const Expr& expr, Frame& frame) {
    if (is_open(expr))
        return fault("E-HOLE", "a component needs a distribution family", expr.span, "which distribution?",
                     "name it and leave its numbers open: normal(?, ?)");
    const auto* call = std::get_if<Call>(&expr.node);
    const bool open =
        call && std::any_of(call->arguments.begin(), call->arguments.end(), [](const Argument& a) { return is_open(*a.value); });
    if (open) return part_with_holes(*call, expr.span, frame);
    auto value = TRY(eval(expr, frame));
    rt::MixturePart part;
    if (const auto* d = value.get<rt::DistributionPtr>()) {
        part.given = *d;
        return part;
    }
    const auto* record = value.get<RecordPtr>();
    if (!record)
        return fault("E-TYPE", fmt::format("a component is a distribution, not {}", value.kind()), expr.span, {},
                     "as in 1/2: normal(0, 1)");
    std::vector<std::pair<rt::Label, rt::Number>> shares;
    for (const auto& [key, entry] : (*record)->entries) {
        const auto* p = entry.get<rt::Number>();
        if (!p) return fault("E-TYPE", fmt::format("the probability of {} is a number, not {}", key, entry.kind()), expr.span);
        shares.emplace_back(rt::Label::of_text(key), *p);
    }
    auto made = rt::make_categorical(std::move(shares));
    if (!made) return at(std::move(made).fault(), expr.span);
    part.given = *std::move(made);
    return part;
}

Result<Value> Evaluator::declare_model(const MixtureStmt& statement) {
    rt::Mixture mixture;
    mixture.name = statement.name.text;
    Frame frame;
    if (statement.components.empty())
        return fault("E-EMPTY", fmt::format("{} has no components", mixture.name), statement.name.span, {},
                     "mixture M { 1/2: normal(0, 1), 1/2: normal(5, 1) }");
    rt::Number given = 0;
    bool open = false;
    for (const auto& component : statement.components) {
        if (is_open(*component.weight)) {
            open = true;
            mixture.weights.emplace_back();
        } else {
            auto weight = TRY(number(*component.weight, frame));
            if (weight.sign() < 0)
                return fault("E-NEGATIVE", fmt::format("the weight of a component is {}, below 0", show_number(weight, show_)),
                             component.weight->span);
            given += weight;
            mixture.weights.emplace_back(std::move(weight));
        }
        auto part = TRY(mixture_part(*component.distribution, frame));
        mixture.parts.push_back(std::move(part));
        const Over first = over_of(mixture.parts.front());
        const Over now = over_of(mixture.parts.back());
        if (now == Over::vectors)
            return fault("E-TYPE", "the x of a mixture is one number or label, not a list", component.distribution->span, {},
                         "gaussian_mixture(k: 2) learns mixtures of normals over several columns");
        if (now != first)
            return fault("E-TYPE",
                         fmt::format("the components of {} are over different kinds of values: {}, and {}", mixture.name, over_text(first),
                                     over_text(now)),
                         component.distribution->span, fmt::format("this one is over {}", over_text(now)),
                         "all components must give labels, or all counts, or all real numbers");
    }
    const bool fine = open ? given <= rt::Number(1) : rt::sums_to_one(given);
    if (!fine)
        return fault("E-SUM", fmt::format("the weights of {} do not sum to 1", mixture.name), statement.name.span,
                     fmt::format("their sum is {}", show_number(given, show_)));
    auto model = rt::make_mixture_model(std::move(mixture));
    if (!model) return at(std::move(model).fault(), statement.name.span);
    return Value(Value::Node(ModelValue{*std::move(model), statement.name.text}));
}

}  // namespace credence::lang
