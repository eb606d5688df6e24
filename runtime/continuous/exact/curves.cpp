#include "runtime/continuous/exact/curves.hpp"

#include <algorithm>

#include "runtime/continuous/exact/axes.hpp"

namespace credence::rt::continuous {

bool stands_in(const Term& term, VarId v) {
    if (!term->has_variables) return false;
    if (term->parts.empty()) return term->variable == v;
    return std::any_of(term->parts.begin(), term->parts.end(), [&](const Term& part) { return stands_in(part, v); });
}

bool is_affine_in(const Term& term, VarId v) {
    if (!stands_in(term, v)) return true;
    switch (term->op) {
        case TermOp::variable:
            return true;
        case TermOp::negate:
        case TermOp::add:
        case TermOp::subtract:
            return std::all_of(term->parts.begin(), term->parts.end(), [&](const Term& part) { return is_affine_in(part, v); });
        case TermOp::multiply:
            return (!stands_in(term->parts[0], v) && is_affine_in(term->parts[1], v)) ||
                   (!stands_in(term->parts[1], v) && is_affine_in(term->parts[0], v));
        case TermOp::divide:
            return !stands_in(term->parts[1], v) && is_affine_in(term->parts[0], v);
        default:
            return false;
    }
}

Term slope_in(const Term& term, VarId v) {
    if (!stands_in(term, v)) return constant_term(0);
    if (term->op == TermOp::variable) return constant_term(1);
    const auto part = [&](std::size_t k) { return slope_in(term->parts[k], v); };
    if (term->op == TermOp::negate) return make_term(TermOp::negate, {part(0)});
    if (term->op == TermOp::divide) return make_term(TermOp::divide, {part(0), term->parts[1]});
    if (term->op == TermOp::multiply) {
        const std::size_t with = stands_in(term->parts[0], v) ? 0 : 1;
        return make_term(TermOp::multiply, {part(with), term->parts[1 - with]});
    }
    return make_term(term->op, {part(0), part(1)});
}

double value_at(const Term& term, double x, double y) {
    return evaluate(term, [x, y](const TermNode& leaf) { return leaf.variable == first_axis ? x : y; });
}

void collect_curves(const Term& term, std::vector<Term>& out) {
    if (!term->has_variables) return;
    if (term->op == TermOp::less || term->op == TermOp::less_equal || term->op == TermOp::equal)
        out.push_back(make_term(TermOp::subtract, {term->parts[0], term->parts[1]}));
    if (term->op == TermOp::choose && !is_truth(term->parts[0])) out.push_back(term->parts[0]);
    if (term->op == TermOp::min || term->op == TermOp::max) out.push_back(make_term(TermOp::subtract, {term->parts[0], term->parts[1]}));
    if (term->op == TermOp::abs) out.push_back(term->parts[0]);
    if (term->op == TermOp::divide && term->parts[1]->has_variables) out.push_back(term->parts[1]);  // a pole
    for (const auto& part : term->parts) collect_curves(part, out);
}

void collect_poles(const Term& term, std::vector<Term>& out) {
    if (!term->has_variables) return;
    if (term->op == TermOp::divide && term->parts[1]->has_variables) out.push_back(term->parts[1]);
    for (const auto& part : term->parts) collect_poles(part, out);
}

Term without_corners(const Term& term) {
    if (!term->has_variables || term->parts.empty()) return term;
    const bool order = term->op == TermOp::less || term->op == TermOp::less_equal;
    if (order) {
        const std::size_t side = term->parts[0]->has_variables ? 0 : 1;  // the other one is a constant, or this stays as it is
        const Term& inner = term->parts[side];
        const Term& other = term->parts[1 - side];
        const bool extreme = inner->op == TermOp::min || inner->op == TermOp::max;
        if (is_constant(other) && (extreme || inner->op == TermOp::abs)) {
            const auto compared = [&](const Term& part) {
                return without_corners(make_term(term->op, side == 0 ? std::vector{part, other} : std::vector{other, part}));
            };
            const bool greater = inner->op != TermOp::min;  // of abs(A): the greater of A and -A
            const TermOp joined = (side == 0) == greater ? TermOp::and_ : TermOp::or_;
            const Term second = extreme ? inner->parts[1] : make_term(TermOp::negate, {inner->parts[0]});
            return make_term(joined, {compared(inner->parts[0]), compared(second)});
        }
        return term;
    }
    if (!is_truth(term)) return term;
    std::vector<Term> parts;
    for (const auto& part : term->parts) parts.push_back(without_corners(part));
    return make_term(term->op, std::move(parts));
}

bool is_rounded(const Term& term) {
    const bool own = term->op == TermOp::mod || term->op == TermOp::floor || term->op == TermOp::ceil || term->op == TermOp::round;
    return term->has_variables && (own || std::any_of(term->parts.begin(), term->parts.end(), is_rounded));
}

}  // namespace credence::rt::continuous
