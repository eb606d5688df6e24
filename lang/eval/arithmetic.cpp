#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/syntax/operators.hpp"
#include "lang/value/factor_names.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/exact_memory.hpp"

namespace credence::lang {

namespace {

/// Exact powers stay exact for whole exponents; the size of the result is known before it is computed.
Result<rt::Number> power(const rt::Number& base, const rt::Number& exponent, rt::NumberMode mode, std::size_t most_bits) {
    if (base.is_exact() && exponent.is_exact() && exponent.exact().is_integer()) {
        const auto e = exponent.exact().to_int64();
        if (base.is_zero() && exponent.sign() < 0) return Fault{.code = "E-ARITHMETIC", .message = "0 has no negative power"};
        if (base.exact() == rt::Rational(1)) return rt::Number(1);
        const double bits = static_cast<double>(base.exact().bits()) * std::abs(exponent.real());
        const double allowed = mode == rt::NumberMode::exact ? static_cast<double>(rt::most_exact_bits) : static_cast<double>(most_bits);
        if (e && bits <= allowed && mode != rt::NumberMode::real) return rt::Number(base.exact().pow(*e));
        if (mode == rt::NumberMode::exact)
            return Fault{.code = "E-RANGE",
                         .message = "this power has too many digits",
                         .hint = "`set numbers automatic` answers with a real number"};
    }
    const double result = std::pow(base.real(), exponent.real());
    if (std::isnan(result))
        return Fault{.code = "E-ARITHMETIC", .message = "a negative number has no real power with a fractional exponent"};
    return rt::Number::real(result);
}

rt::Rational modulo(const rt::Rational& a, const rt::Rational& b) { return a - b * (a / b).floor(); }

constexpr const char* unnamed = "value";  // the variable of a record that was made a factor

bool is_unnamed(const rt::Factor& f) { return f.variables().size() == 1 && f.variables()[0].name == unnamed; }

/// The value as a factor beside the other: a record, and what was computed from one, is over the variable there that has its labels;
/// all that have them come into `possible`.
std::optional<rt::Factor> as_factor(const Value& v, const Value& other, std::vector<std::string>& possible) {
    std::optional<rt::Factor> out;
    if (const auto* f = v.get<FactorPtr>()) {
        if (!is_unnamed(**f)) return **f;
        out = **f;
    } else if (const auto* record = v.get<RecordPtr>()) {
        out = record_as_factor(**record, unnamed);
    }
    const auto* factor = other.get<FactorPtr>();
    if (!out || !factor || is_unnamed(**factor)) return out;
    for (const auto& variable : (*factor)->variables()) {
        const auto& own = *out->variables()[0].domain;
        const bool same = own.size() == variable.size() && std::all_of(variable.domain->labels().begin(), variable.domain->labels().end(),
                                                                       [&](const rt::Label& label) { return own.find(label).has_value(); });
        if (same) possible.push_back(variable.name);
    }
    if (!possible.empty()) return renamed(*out, possible.front());
    return v.is<FactorPtr>() ? out : std::nullopt;
}

/// A label that is a number is that number, also where it was written as a text.
std::optional<Value> number_written(const Value& v) {
    const auto label = v.is<TextPtr>() ? v.as_label() : std::nullopt;
    if (!label || !label->is_number()) return std::nullopt;
    return Value(*label->number());
}

}  // namespace

Result<rt::Number> Evaluator::arithmetic(BinaryOp op, const rt::Number& a, const rt::Number& b, Span span) {
    const auto divisor_is_zero = [&] { return b.is_exact() && b.is_zero(); };
    rt::Number out;
    switch (op) {
        case BinaryOp::add:
            out = a + b;
            break;
        case BinaryOp::subtract:
            out = a - b;
            break;
        case BinaryOp::multiply:
            out = a * b;
            break;
        case BinaryOp::divide:
            if (b.is_zero()) return fault("E-ARITHMETIC", "division by zero", span, "the divisor is 0");
            out = a / b;
            break;
        case BinaryOp::modulo:
            if (divisor_is_zero() || b.is_zero())
                return fault("E-ARITHMETIC", "the remainder of a division by zero", span, "the divisor is 0");
            if (a.is_exact() && b.is_exact())
                out = modulo(a.exact(), b.exact());
            else
                out = rt::Number::real(a.real() - b.real() * std::floor(a.real() / b.real()));
            break;
        case BinaryOp::power: {
            auto result = power(a, b, run_.numbers, run_.limits.exact_bits * 16);
            if (!result) return at(std::move(result).fault(), span);
            out = *std::move(result);
            break;
        }
        case BinaryOp::or_:
        case BinaryOp::and_:
        case BinaryOp::equal:
        case BinaryOp::not_equal:
        case BinaryOp::less:
        case BinaryOp::less_equal:
        case BinaryOp::greater:
        case BinaryOp::greater_equal:
        case BinaryOp::in:
            return fault("E-TYPE", "not an arithmetic operator", span);
    }
    if (out.is_exact()) {
        const bool passed = run_.numbers == rt::NumberMode::automatic && out.exact().bits() > run_.limits.exact_bits * 16;
        if (passed || run_.numbers == rt::NumberMode::real) out = rt::Number::real(out.real());
    }
    if (!out.is_exact() && !std::isfinite(out.real())) {
        const bool from_infinity = (!a.is_exact() && !std::isfinite(a.real())) || (!b.is_exact() && !std::isfinite(b.real()));
        if (std::isnan(out.real())) return fault("E-ARITHMETIC", "this has no value (∞ - ∞, 0 * ∞ or similar)", span);
        if (!from_infinity)
            return fault("E-RANGE", "the result is too large for a real number", span, {},
                         "`set numbers exact` keeps every digit of exact problems; logarithms also help");
    }
    return out;
}

namespace {

constexpr std::string_view missing_hint = "test is_missing(x) first, or remove such rows with drop_missing(t)";

/// A product or quotient of which a double holds only the logarithm; nothing if doubles do.
std::optional<rt::Factor> too_small(BinaryOp op, const rt::Factor& a, const rt::Factor& b, const rt::Factor& plain) {
    if (plain.is_exact() || (op != BinaryOp::multiply && op != BinaryOp::divide)) return std::nullopt;
    const bool small =
        std::any_of(plain.real().begin(), plain.real().end(), [](double x) { return x < std::numeric_limits<double>::min(); });
    if (!small) return std::nullopt;
    auto by_logs = rt::combine_logs(a, b, op == BinaryOp::multiply ? rt::LogStep::multiply : rt::LogStep::divide);
    return by_logs && !by_logs->logs().empty() ? std::optional(*std::move(by_logs)) : std::nullopt;
}

}  // namespace

Result<Value> Evaluator::arithmetic(BinaryOp op, const Value& a, const Value& b, Span span) {
    const auto x = a.as_number();
    const auto y = b.as_number();
    if (x && y) {
        auto out = TRY(arithmetic(op, *x, *y, span));
        return Value(std::move(out));
    }
    if (a.is<AnyMark>() || b.is<AnyMark>())
        return fault("E-MISSING", fmt::format("{} works on numbers, and a cell is missing here", spelling_of(op)), span, {},
                     std::string(missing_hint));
    const auto is_factor = [](const Value& v) { return v.is<FactorPtr>() || v.is<RecordPtr>(); };
    if (is_factor(a) || is_factor(b)) {
        const auto apply = [&](const rt::Number& p, const rt::Number& q) { return arithmetic(op, p, q, span); };
        std::vector<std::string> possible;
        const auto f = as_factor(a, b, possible);
        const auto g = as_factor(b, a, possible);
        if (possible.size() > 1) note(fmt::format("{} have the labels of the record; the first is used", listed(possible)));
        if ((x || f) && (y || g)) {
            const rt::Factor left = x ? rt::Factor::of_numbers({}, std::span(&*x, 1)) : *f;
            const rt::Factor right = y ? rt::Factor::of_numbers({}, std::span(&*y, 1)) : *g;
            auto out = rt::combine(left, right, apply);
            if (!out) return at(std::move(out).fault(), span);
            if (auto small = too_small(op, left, right, *out)) return Value::factor(*std::move(small));
            return Value::factor(*std::move(out));
        }
    }
    if (const auto& text = number_written(a) ? a : b; number_written(text))
        return fault("E-TYPE", fmt::format("{} works on numbers and factors, not on {} and {}", spelling_of(op), a.kind(), b.kind()), span,
                     fmt::format("\"{}\" is a text", **text.get<TextPtr>()),
                     fmt::format("without quotes it is a number: {}; exact(\"{}\") reads one from a text", **text.get<TextPtr>(),
                                 **text.get<TextPtr>()));
    const bool texts = a.is<TextPtr>() || b.is<TextPtr>();
    const auto sign = b.as_label();
    const bool counts_up = sign && (sign->text() == "+" || sign->text() == "-");  // x++: the second + is a label
    if ((a.is<FactorPtr>() && b.is<RecordPtr>()) || (a.is<RecordPtr>() && b.is<FactorPtr>()))
        return fault("E-LABEL", "no variable of the factor has exactly the labels of the record", span, {},
                     "a record of numbers stands for a factor over the variable with its labels");
    const bool lists = a.items() || b.items();
    if (const auto variable = variable_named(a).value_or(variable_named(b).value_or("")); !variable.empty())
        return fault("E-TYPE", fmt::format("{} works on numbers and factors, not on {} and {}", spelling_of(op), a.kind(), b.kind()), span,
                     fmt::format("{} is a variable", variable), "compute with variables inside a query: P(X + Y = 7), E(X + Y)");
    return fault("E-TYPE", fmt::format("{} works on numbers and factors, not on {} and {}", spelling_of(op), a.kind(), b.kind()), span, {},
                 counts_up ? "a value is named once and never changed: let x2 = x + 1"
                 : texts   ? "join texts by interpolation: \"{a}{b}\""
                 : a.is<rt::DistributionPtr>() || b.is<rt::DistributionPtr>()
                     ? "to add draws, declare nodes in a net: net Dice { A : uniform(1..6); B : uniform(1..6) } and P(A + B)"
                 : lists ? "compute item by item: [2 * x for x in xs], [p[1] - p[2] for p in zip(xs, ys)]"
                         : "");
}

std::optional<std::string> Evaluator::variable_named(const Value& value) const {
    const auto label = value.is<TextPtr>() ? value.as_label() : std::nullopt;
    return label && world_.scope && world_.scope->knows_variable(label->text()) ? std::optional(label->text()) : std::nullopt;
}

namespace {

/// Values that equal nothing of another kind: to compare them with a number or a label is a mistake and not simply false.
bool stands_apart(const Value& v) {
    return v.is<rt::DistributionPtr>() || v.is<FunctionPtr>() || v.is<ModelValue>() || v.is<LearnerValuePtr>();
}

}  // namespace

Fault Evaluator::never_equal(const Value& a, const Value& b, Span span) {
    const Value& odd = stands_apart(a) ? a : b;
    return fault("E-TYPE", fmt::format("{} is never equal to {}", odd.kind(), (&odd == &a ? b : a).kind()), span, {},
                 odd.is<rt::DistributionPtr>() ? "to compare a draw, declare a node in a net: net N { D : uniform(1..6) } and P(D = 6)"
                 : odd.is<FunctionPtr>()       ? "call the function, or write a label of that name in quotes"
                                               : "");
}

Result<bool> Evaluator::compare(BinaryOp op, const Value& a, const Value& b, Span span) {
    if (op == BinaryOp::in) return contains(a, b, span);
    if (op == BinaryOp::equal || op == BinaryOp::not_equal) {
        if (stands_apart(a) != stands_apart(b)) return never_equal(a, b, span);
        return equal(a, b) == (op == BinaryOp::equal);
    }
    const auto x = a.as_number();
    const auto y = b.as_number();
    const auto* s = a.get<TextPtr>();
    const auto* t = b.get<TextPtr>();
    if (a.is<AnyMark>() || b.is<AnyMark>())
        return fault("E-MISSING", fmt::format("{} compares numbers or texts, and a cell is missing here", spelling_of(op)), span, {},
                     std::string(missing_hint));
    const auto first = number_written(a);
    const auto second = number_written(b);
    if ((first && (second || y)) || (x && second)) return compare(op, first ? *first : a, second ? *second : b, span);
    if (!(x && y) && !(s && t))
        return fault("E-TYPE", fmt::format("{} compares numbers or texts, not {} and {}", spelling_of(op), a.kind(), b.kind()), span, {},
                     a.is<ListPtr>() != b.is<ListPtr>() && (x || y || s || t)
                         ? "a list is not compared item by item: [x > 1 for x in xs] is a list of truths, and where(t, r -> r.age > 30) "
                           "keeps the rows of a table"
                         : "");
    const bool less = x ? *x < *y : **s < **t;
    const bool more = x ? *y < *x : **t < **s;
    const bool ordered = !x || (!x->is_nan() && !y->is_nan());
    if (op == BinaryOp::less) return less;
    if (op == BinaryOp::greater) return more;
    if (op == BinaryOp::less_equal) return ordered && !more;
    return ordered && !less;
}

Result<bool> Evaluator::contains(const Value& item, const Value& collection, Span span) {
    if (const auto* set = collection.get<SetPtr>()) return (*set)->contains(item);
    if (const List* items = collection.items()) {
        for (const auto& candidate : *items)
            if (equal(item, candidate)) return true;
        return false;
    }
    if (const auto* record = collection.get<RecordPtr>()) {
        const auto label = item.as_label();
        return label && (*record)->find(label->text());
    }
    return fault("E-TYPE", fmt::format("in looks into lists, sets and records, not into {}", collection.kind()), span);
}

}  // namespace credence::lang
