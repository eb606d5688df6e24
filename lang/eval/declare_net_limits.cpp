// Numbers within limits: `X ~ normal(0, 1) in 0..∞`, and plates whose members are in ascending order.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/distributions/truncated.hpp"

namespace credence::lang {

const Call* NetDeclaration::ordered_call(const Expr& expr) {
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const bool named = callee && callee->resolved.kind == Resolution::Kind::builtin && callee->name == "ordered";
    return named && call->arguments.size() == 1 ? call : nullptr;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_within(const Binary& binary, Span span, TermLowering& lowering, SymbolicFrame& frame) {
    const auto& limits = std::get<Range>(binary.right->node);
    if (limits.step) return self_.fault("E-RANGE", "the limits of a distribution have no step", limits.step->span);
    auto out = drawn(*binary.left, lowering, frame);
    if (!out) return out;
    const auto* family = rt::truncated_family(out->family);
    if (!family)
        return self_.fault("E-TYPE", fmt::format("a {} cannot be truncated", out->family->name), span, {},
                           "limits are for distributions over numbers: X ~ normal(0, 1) in 0..∞");
    for (const Expr* end : {limits.from.get(), limits.to.get()}) {
        auto term = TRY(lowering.number(*end, frame));
        out->parameters.push_back(std::move(term));
        out->spans.push_back(end->span);
    }
    const auto& low = *(out->parameters.end() - 2);
    const auto& high = out->parameters.back();
    if (rt::is_constant(low) && rt::is_constant(high) && !(low->value.real() < high->value.real()))
        return self_.fault("E-PARAMETER", "the upper limit must be above the lower one", binary.right->span);
    out->family = *family;
    return out;
}

Result<NetDeclaration::Drawn> NetDeclaration::drawn_in_order(const Node& node, const Call& call, Span span, TermLowering& lowering,
                                                             SymbolicFrame& frame) {
    const Expr& inside = *call.arguments[0].value;
    auto out = drawn(inside, lowering, frame);
    if (!out) return out;
    const auto* family = rt::ordered_family(out->family);
    if (!family)
        return self_.fault("E-TYPE", fmt::format("the values of a {} cannot be put in order", out->family->name), inside.span, {},
                           "ordered(…) takes a distribution over real numbers, as in ordered(normal(0, 1))");
    const std::size_t self = by_name_.find(node.name)->second;
    const std::vector<std::size_t>* plate = nullptr;
    for (const auto& [name, members] : plates_)
        if (std::find(members.begin(), members.end(), self) != members.end()) plate = &members;
    if (!plate)
        return self_.fault("E-TYPE", fmt::format("{} is one number: only those of a plate have an order", node.name), span, {},
                           "as in for k in 1..3 { mu[k] ~ ordered(normal(0, 1)) }");
    const auto place = static_cast<std::size_t>(std::find(plate->begin(), plate->end(), self) - plate->begin());
    // They are draws of one distribution, sorted; so it has to be the same for all.
    const auto text = [](const rt::Term& term) { return rt::term_text(term, [](rt::VarId v) { return std::to_string(rt::index(v)); }); };
    if (const auto& first = nodes_[plate->front()].drawn; place > 0 && first && first->parameters.size() == out->parameters.size() + 2)
        for (std::size_t k = 0; k < out->parameters.size(); ++k)
            if (text(first->parameters[k]) != text(out->parameters[k]))
                return self_.fault("E-TYPE", "numbers in order are draws of one distribution, and here it differs along the plate",
                                   inside.span, {},
                                   "where they differ, leave ordered(…) out and give the order as evidence: mu[1] < mu[2]");
    const rt::Number none = rt::Number::real(-std::numeric_limits<double>::infinity());
    out->parameters.push_back(place == 0 ? rt::constant_term(none) : rt::variable_term(static_cast<rt::VarId>((*plate)[place - 1])));
    out->parameters.push_back(rt::constant_term(rt::Rational(static_cast<std::int64_t>(plate->size() - place))));
    out->spans.insert(out->spans.end(), 2, span);
    out->family = *family;
    return out;
}

}  // namespace credence::lang
