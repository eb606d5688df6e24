#include "runtime/continuous/exact/ties.hpp"

#include <algorithm>

namespace credence::rt::continuous {

std::optional<Number> solved_for_argument(Term& term, Number value) {
    while (true) {
        const auto constant = [&](const Term& t) { return constant_term(t->value); };
        TermOp undo = TermOp::constant;
        switch (term->op) {
            case TermOp::negate:
                undo = TermOp::negate;
                break;
            case TermOp::exp:
                if (value.sign() <= 0) return std::nullopt;
                undo = TermOp::ln;
                break;
            case TermOp::ln:
                undo = TermOp::exp;
                break;
            case TermOp::sqrt:
                if (value.sign() < 0) return std::nullopt;
                value = value * value;
                term = term->parts[0];
                continue;
            case TermOp::divide:
                if (!is_constant(term->parts[0]) || is_constant(term->parts[1]) || value.is_zero()) return value;
                value = make_term(TermOp::divide, {constant(term->parts[0]), constant_term(value)})->value;
                term = term->parts[1];
                continue;
            default:
                return value;
        }
        value = make_term(undo, {constant_term(value)})->value;
        term = term->parts[0];
    }
}

std::optional<Number> coefficient_of(const Term& term, VarId v) {
    const auto inside = variables_of(term);
    if (!std::binary_search(inside.begin(), inside.end(), v)) return Number(0);
    if (term->op == TermOp::variable) return Number(1);
    const auto part = [&](std::size_t k) { return coefficient_of(term->parts[k], v); };
    if (term->op == TermOp::negate) {
        const auto own = part(0);
        return own ? std::optional(-*own) : std::nullopt;
    }
    if (term->op == TermOp::add || term->op == TermOp::subtract || term->op == TermOp::choose) {
        const std::size_t first = term->op == TermOp::choose ? 1 : 0;
        const auto a = part(first);
        const auto b = part(first + 1);
        if (!a || !b) return std::nullopt;
        if (term->op == TermOp::add) return *a + *b;
        if (term->op == TermOp::subtract) return *a - *b;
        const auto condition = variables_of(term->parts[0]);
        return *a == *b && !std::binary_search(condition.begin(), condition.end(), v) ? a : std::nullopt;
    }
    if (term->op == TermOp::multiply || term->op == TermOp::divide) {
        const std::size_t known = term->op == TermOp::multiply && is_constant(term->parts[0]) ? 0 : 1;
        if (!is_constant(term->parts[known])) return std::nullopt;
        const auto own = part(1 - known);
        if (!own || term->parts[known]->value.is_zero()) return std::nullopt;
        return term->op == TermOp::multiply ? *own * term->parts[known]->value : *own / term->parts[known]->value;
    }
    return std::nullopt;
}

}  // namespace credence::rt::continuous
