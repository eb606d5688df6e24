// What can be computed before the run: expressions whose names have values already, and that draw nothing.

#include <algorithm>

#include "lang/eval/declare_net.hpp"
#include "lang/syntax/walk.hpp"

namespace credence::lang {

namespace {

/// The expressions that the value of a declaration needs; those of a net it looks at one by one.
struct NeededExpressions : IgnoredParts {
    std::vector<const Expr*> found = {};

    void add(const ExprPtr& expr) {
        if (expr) found.push_back(expr.get());
    }
    void operator()(const HypothesesStmt& statement) {
        for (const auto& h : statement.hypotheses) {
            add(h.prior);
            add(h.outcome);
        }
        for (const auto& p : statement.parameters) add(p.range);
        add(statement.prior);
        add(statement.outcome_value);
    }
    template <DeclaredByParts S>
    void operator()(const S& statement) {
        S::parts(statement, *this);
    }
    template <class Other>
    void operator()(const Other&) {}

    void number(const ExprPtr& e) { add(e); }
    void distribution(const ExprPtr& e) { add(e); }
    void outcome(const ExprPtr& e) { add(e); }
};

bool can_be_worked_out(const Expr& expr, const World& world) {
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

}  // namespace

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

bool is_evaluable(const Statement& statement, const World& world) {
    NeededExpressions needed;
    std::visit(needed, statement.node);
    return std::all_of(needed.found.begin(), needed.found.end(), [&](const Expr* e) { return can_be_worked_out(*e, world); });
}

}  // namespace credence::lang
