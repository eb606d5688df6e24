#include "runtime/prob/terms/term_op.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

using Exact = std::optional<Number>;

std::optional<Rational> whole_root(const Rational& whole) {
    const auto n = whole.to_int64();
    if (!n) return std::nullopt;
    const auto r = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(*n))));
    if (r > 3'000'000'000 || r * r != *n) return std::nullopt;
    return Rational(r);
}

Exact exact_sqrt(const Number& a, const Number&) {
    if (!a.is_exact() || a.sign() < 0) return std::nullopt;
    const auto above = whole_root(a.exact().numerator());
    const auto below = whole_root(a.exact().denominator());
    if (!above || !below) return std::nullopt;
    return *above / *below;
}

Exact exact_power(const Number& a, const Number& b) {
    if (!a.is_exact() || !b.is_exact()) return std::nullopt;
    const auto n = b.exact().to_int64();
    if (!n || std::abs(*n) > 64 || (*n < 0 && a.is_zero())) return std::nullopt;
    return a.exact().pow(*n);
}

Exact exact_quotient(const Number& a, const Number& b) {
    if (b.is_zero()) return std::nullopt;
    return a / b;
}

Exact exact_mod(const Number& a, const Number& b) {
    if (!a.is_exact() || !b.is_exact() || b.is_zero()) return std::nullopt;
    return a.exact() - b.exact() * (a.exact() / b.exact()).floor();
}

Exact exact_floor(const Number& a, const Number&) {
    if (!a.is_exact()) return std::nullopt;
    return a.exact().floor();
}

Exact exact_ceil(const Number& a, const Number&) {
    if (!a.is_exact()) return std::nullopt;
    return -(-a.exact()).floor();
}

Exact exact_round(const Number& a, const Number&) {
    if (!a.is_exact()) return std::nullopt;
    return a.sign() < 0 ? -(Rational(1, 2) - a.exact()).floor() : (a.exact() + Rational(1, 2)).floor();
}

#define EXACT(expression) [](const Number& a, [[maybe_unused]] const Number& b) -> Exact { return expression; }
#define TERM_OP(op, name, arity, form, symbol, binding, truth, neutral, commutes, value, first, second, exact)           \
    {TermOp::op, name,  arity,   TermForm::form, symbol,                                                                 \
     binding,    truth, neutral, commutes,       []([[maybe_unused]] double a, [[maybe_unused]] double b) -> double { return value; }, \
     exact},
constexpr TermOperation operations[] = {
#include "runtime/prob/terms/term_ops.def"
};
#undef EXACT

template <class Match>
const TermOperation* find_operation(Match match) {
    const auto* found = std::find_if(std::begin(operations), std::end(operations), match);
    return found == std::end(operations) ? nullptr : found;
}

}  // namespace

std::span<const TermOperation> term_operations() { return operations; }

const TermOperation* term_call(std::string_view name) {
    return find_operation([&](const TermOperation& o) { return o.form == TermForm::call && o.name == name; });
}

const TermOperation* term_infix(std::string_view symbol) {
    return find_operation([&](const TermOperation& o) { return o.form == TermForm::infix && o.symbol == symbol; });
}

}  // namespace credence::rt
