// What can be computed before the run: expressions whose names have values already, and that draw nothing.

#include <algorithm>

#include "lang/eval/declare_net.hpp"
#include "lang/syntax/walk.hpp"

namespace credence::lang {

bool names_have_values(const Expr& expr, const World& world) {
    bool out = true;
    walk(expr, [&](const Expr& part) {
        if (std::holds_alternative<Sample>(part.node) || std::holds_alternative<Train>(part.node) ||
            std::holds_alternative<QueryExpr>(part.node))
            out = false;
        if (const auto* name = std::get_if<NameExpr>(&part.node)) {
            const auto kind = name->resolved.kind;
            const bool global = kind == Resolution::Kind::global || kind == Resolution::Kind::model;
            if (global && (name->resolved.slot >= world.globals.size() || !world.globals[name->resolved.slot])) out = false;
            if (kind == Resolution::Kind::builtin && name->name == "load") out = false;
        }
        return out;
    });
    return out;
}

bool is_evaluable(const Expr& expr, const World& world) {
    bool out = names_have_values(expr, world);
    if (!out) return false;
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameExpr>(&part.node);
        if (name && name->resolved.kind == Resolution::Kind::unresolved && name->name != "noisy_or" && name->name != "noisy_max")
            out = false;
        return out;
    });
    return out;
}

bool is_evaluable(const HypothesesStmt& statement, const World& world) {
    for (const auto& h : statement.hypotheses)
        if ((h.prior && !is_evaluable(*h.prior, world)) || !is_evaluable(*h.outcome, world)) return false;
    for (const auto& p : statement.parameters)
        if (!is_evaluable(*p.range, world)) return false;
    if (statement.prior && !is_evaluable(*statement.prior, world)) return false;
    return !statement.outcome_value || is_evaluable(*statement.outcome_value, world);
}

bool is_evaluable(const CasesStmt& statement, const World& world) {
    for (const auto& one : statement.cases)
        for (const auto& attribute : one.attributes)
            if (!is_evaluable(*attribute.value, world)) return false;
    return true;
}

}  // namespace credence::lang
