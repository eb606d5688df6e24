// Terms that are linear in their variables, or products of their powers: what exact engines ask for.

#include <algorithm>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

namespace {

constexpr std::uint32_t largest_form = 500'000;  // beyond it a term is left to engines that do not take it apart

void add_power(MonomialTerm& to, VarId variable, const Rational& own, const Rational& complement) {
    for (auto& power : to.powers)
        if (power.variable == variable) {
            power.own += own;
            power.complement += complement;
            return;
        }
    to.powers.push_back({variable, own, complement});
}

std::optional<MonomialTerm> raised(const MonomialTerm& base, const Rational& exponent) {
    MonomialTerm out;
    if (exponent.is_integer()) {
        const auto n = exponent.to_int64();
        if (!n || std::abs(*n) > 64 || (base.coefficient.is_zero() && *n < 0)) return std::nullopt;
        out.coefficient = make_term(TermOp::power, {constant_term(base.coefficient), constant_term(exponent)})->value;
    } else if (base.coefficient.sign() > 0) {
        const bool root = exponent == Rational(1, 2);
        out.coefficient = root ? make_term(TermOp::sqrt, {constant_term(base.coefficient)})->value
                               : Number::real(std::pow(base.coefficient.real(), exponent.to_double()));
    } else {
        return std::nullopt;
    }
    for (const auto& power : base.powers) out.powers.push_back({power.variable, power.own * exponent, power.complement * exponent});
    return out;
}

}  // namespace

std::optional<LinearTerm> as_linear(const Term& term) {
    if (term->size > largest_form) return std::nullopt;
    LinearTerm out;
    if (is_constant(term)) {
        out.constant = term->value;
        return out;
    }
    if (term->op == TermOp::variable) {
        out.coefficients.emplace_back(term->variable, Number(1));
        return out;
    }
    const auto scaled = [](LinearTerm t, const Number& factor) {
        t.constant *= factor;
        for (auto& c : t.coefficients) c.second *= factor;
        return t;
    };
    if (term->op == TermOp::negate) {
        auto inner = as_linear(term->parts[0]);
        if (!inner) return inner;
        return scaled(*std::move(inner), Number(-1));
    }
    if (term->op != TermOp::add && term->op != TermOp::subtract && term->op != TermOp::multiply && term->op != TermOp::divide)
        return std::nullopt;
    auto left = as_linear(term->parts[0]);
    auto right = left ? as_linear(term->parts[1]) : std::nullopt;
    if (!right) return std::nullopt;
    if (term->op == TermOp::multiply) {
        if (left->coefficients.empty()) return scaled(*std::move(right), left->constant);
        if (right->coefficients.empty()) return scaled(*std::move(left), right->constant);
        return std::nullopt;
    }
    if (term->op == TermOp::divide) {
        if (!right->coefficients.empty() || right->constant.is_zero()) return std::nullopt;
        return scaled(*std::move(left), Number(1) / right->constant);
    }
    if (term->op == TermOp::subtract) right = scaled(*std::move(right), Number(-1));
    left->constant += right->constant;
    for (auto& [variable, coefficient] : right->coefficients) {
        const auto same =
            std::find_if(left->coefficients.begin(), left->coefficients.end(), [v = variable](const auto& c) { return c.first == v; });
        if (same == left->coefficients.end())
            left->coefficients.emplace_back(variable, coefficient);
        else
            same->second += coefficient;
    }
    return left;
}

std::optional<MonomialTerm> as_monomial(const Term& term) {
    if (term->size > largest_form) return std::nullopt;
    MonomialTerm out;
    const auto& parts = term->parts;
    switch (term->op) {
        case TermOp::constant:
            out.coefficient = term->value;
            return out;
        case TermOp::variable:
            add_power(out, term->variable, 1, 0);
            return out;
        case TermOp::negate: {
            auto inner = as_monomial(parts[0]);
            if (inner) inner->coefficient = -inner->coefficient;
            return inner;
        }
        case TermOp::subtract:
            if (!is_constant(parts[0]) || parts[0]->value != Number(1) || parts[1]->op != TermOp::variable) return std::nullopt;
            add_power(out, parts[1]->variable, 0, 1);
            return out;
        case TermOp::multiply:
        case TermOp::divide: {
            auto left = as_monomial(parts[0]);
            auto right = left ? as_monomial(parts[1]) : std::nullopt;
            if (right && term->op == TermOp::divide) right = raised(*right, -1);
            if (!right) return std::nullopt;
            left->coefficient *= right->coefficient;
            for (const auto& power : right->powers) add_power(*left, power.variable, power.own, power.complement);
            return left;
        }
        case TermOp::power:
        case TermOp::sqrt: {
            auto base = as_monomial(parts[0]);
            if (!base) return base;
            if (term->op == TermOp::sqrt) return raised(*base, Rational(1, 2));
            if (!is_constant(parts[1]) || !parts[1]->value.is_exact()) return std::nullopt;
            return raised(*base, parts[1]->value.exact());
        }
        default:
            return std::nullopt;
    }
}

}  // namespace credence::rt
