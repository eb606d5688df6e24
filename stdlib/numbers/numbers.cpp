// Arithmetic beyond the operators. Functions of one number map over the entries of factors.

#include <cmath>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/special.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using rt::Number;

constexpr const char* subject = "numbers";

Fault undefined(std::string_view name, const Number& x, std::string_view domain) {
    return {
        .code = "E-ARITHMETIC", .message = fmt::format("{} of {} is not defined", name, show_number(x, {})), .label = std::string(domain)};
}

/// Applies f to a number or to each entry of a factor.
template <class F>
Result<Value> over(CallContext& context, const Quantity& x, F f) {
    if (const auto* n = x.value.get<Number>()) {
        auto out = f(*n);
        if (!out) {
            Fault fault = std::move(out).fault();
            fault.origin = context.argument(0);
            return fault;
        }
        return Value(*std::move(out));
    }
    auto out = TRY(rt::map_entries(**x.value.get<FactorPtr>(), f));
    return Value::factor(std::move(out));
}

Result<Number> checked(std::string_view name, const Number& x, double result, std::string_view domain) {
    if (std::isnan(result)) return undefined(name, x, domain);
    if (std::isinf(result) && std::isfinite(x.real()))
        return Fault{.code = "E-RANGE", .message = fmt::format("{} of {} is too large for a real number", name, show_number(x, {}))};
    return Number::real(result);
}

/// log of an exact number works also where the number itself under- or overflows a double.
Result<Number> logarithm(std::string_view name, const Number& x, double scale) {
    if (x.sign() <= 0) return undefined(name, x, "only numbers above 0 have a logarithm");
    return Number::real(x.log() / scale);
}

Result<Number> square_root(const Number& x) {
    if (x.sign() < 0) return undefined("sqrt", x, "a negative number has no real root");
    if (x.is_exact() && x.exact().sign() > 0) {
        const double direct = x.real();
        if (!std::isfinite(direct) || direct < 1e-300) return Number::real(std::exp(x.exact().log() / 2));
    }
    return Number::real(std::sqrt(x.real()));
}

/// A whole number is exact, also where what was rounded to it was not: it counts and indexes.
Number whole_number(double x) { return std::isfinite(x) ? Number(rt::Rational::from_binary(x)) : Number::real(x); }

Number rounded(const Number& x, std::int64_t digits) {
    if (!x.is_exact()) {
        const double scale = std::pow(10.0, static_cast<double>(digits));
        const double scaled = x.real() * scale;
        if (!std::isfinite(scaled)) return x;
        return digits > 0 ? Number::real(std::round(scaled) / scale) : whole_number(std::round(scaled) / scale);
    }
    // Half away from zero, as school teaches it.
    const rt::Rational scale = rt::Rational(10).pow(digits);
    const rt::Rational scaled = x.exact() * scale;
    const rt::Rational half(1, 2);
    const rt::Rational whole = scaled.sign() < 0 ? -((-scaled + half).floor()) : (scaled + half).floor();
    return whole / scale;
}

Number floored(const Number& x) { return x.is_exact() ? Number(x.exact().floor()) : whole_number(std::floor(x.real())); }
Number raised(const Number& x) { return x.is_exact() ? Number(-(-x.exact()).floor()) : whole_number(std::ceil(x.real())); }

void add_rounding(Registry& r) {
    r.add(bind(
        {subject, "abs", {{"x"}}, "The absolute value of a number.", "abs(-3/4) == 3/4"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> { return n.sign() < 0 ? -n : n; });
        }));
    r.add(bind(
        {subject,
         "round",
         {{"x"}, {"digits", "0"}},
         "Rounds to `digits` decimal places. Halves are rounded away from zero. A whole number is exact.",
         "round(2.345, 2) == 2.35"},
        +[](CallContext& c, Quantity x, std::optional<Integer> digits) -> Result<Value> {
            const std::int64_t places = digits ? digits->value : 0;
            if (places > 1000 || places < -1000)
                return Fault{.code = "E-PARAMETER", .message = "round: digits go from -1000 to 1000", .origin = c.argument(1)};
            return over(c, x, [=](const Number& n) -> Result<Number> { return rounded(n, places); });
        }));
    r.add(bind(
        {subject, "floor", {{"x"}}, "The largest whole number that is not above x. It is exact.", "floor(-3/2) == -2"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> { return floored(n); });
        }));
    r.add(bind(
        {subject, "ceil", {{"x"}}, "The smallest whole number that is not below x. It is exact.", "ceil(3/2) == 2"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> { return raised(n); });
        }));
}

void add_functions(Registry& r) {
    r.add(bind(
        {subject, "sqrt", {{"x"}}, "The square root, as a real number.", "abs(sqrt(2) - 1.41421356237) < 1e-9"},
        +[](CallContext& c, Quantity x) -> Result<Value> { return over(c, x, square_root); }));
    r.add(bind(
        {subject, "exp", {{"x"}}, "e to the power x.", "exp(0) == 1"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) { return checked("exp", n, std::exp(n.real()), ""); });
        }));
    r.add(bind(
        {subject, "ln", {{"x"}}, "The natural logarithm.", "ln(1) == 0"},
        +[](CallContext& c, Quantity x) -> Result<Value> { return over(c, x, [](const Number& n) { return logarithm("ln", n, 1); }); }));
    r.add(bind(
        {subject, "log2", {{"x"}}, "The logarithm to base 2: bits.", "log2(8) == 3"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                if (n.sign() <= 0) return undefined("log2", n, "only numbers above 0 have a logarithm");
                const double direct = n.real();
                return Number::real(std::isfinite(direct) && direct > 1e-300 ? std::log2(direct) : n.log() / std::log(2.0));
            });
        }));
    r.add(bind(
        {subject, "log10", {{"x"}}, "The logarithm to base 10.", "log10(1000) == 3"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                if (n.sign() <= 0) return undefined("log10", n, "only numbers above 0 have a logarithm");
                const double direct = n.real();
                return Number::real(std::isfinite(direct) && direct > 1e-300 ? std::log10(direct) : n.log() / std::log(10.0));
            });
        }));
    r.add(bind(
        {subject, "sin", {{"x"}}, "The sine of an angle in radians.", "sin(0) == 0"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) { return checked("sin", n, std::sin(n.real()), "an angle is finite"); });
        }));
    r.add(bind(
        {subject, "cos", {{"x"}}, "The cosine of an angle in radians.", "cos(0) == 1"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) { return checked("cos", n, std::cos(n.real()), "an angle is finite"); });
        }));
    r.add(bind(
        {subject, "tan", {{"x"}}, "The tangent of an angle in radians.", "tan(0) == 0"}, +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) { return checked("tan", n, std::tan(n.real()), "an angle is finite"); });
        }));
    r.add(bind(
        {subject, "lgamma", {{"x"}}, "The logarithm of the gamma function: lgamma(n + 1) is ln n!.", "abs(lgamma(5) - ln(24)) < 1e-12"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                if (n.sign() <= 0) return undefined("lgamma", n, "it takes numbers above 0");
                return checked("lgamma", n, rt::log_gamma(n.real()), "it takes numbers above 0");
            });
        }));
    r.add(bind(
        {subject,
         "sigmoid",
         {{"x"}},
         "The logistic function 1 / (1 + exp(-x)), which makes a probability of any number.",
         "abs(sigmoid(ln(3)) - 3/4) < 1e-12"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                const double e = std::exp(-std::abs(n.real()));
                return Number::real((n.sign() < 0 ? e : 1) / (1 + e));
            });
        }));
}

void add_counting(Registry& r) {
    r.add(bind(
        {subject, "infinity", {}, "The number that can also be written ∞.", "infinity() > 1e300"},
        +[](CallContext&) -> Result<Value> { return Value(Number::real(std::numeric_limits<double>::infinity())); }));
    r.add(bind(
        {subject, "factorial", {{"n"}}, "n! = 1 * 2 * … * n.", "factorial(5) == 120"}, +[](CallContext& c, Count n) -> Result<Value> {
            if (n.value > 20'000)
                return Fault{.code = "E-RANGE",
                             .message = "factorial: n goes up to 20,000",
                             .origin = c.argument(0),
                             .hint = "lgamma(n + 1) is its logarithm"};
            return Value(Number(rt::factorial(static_cast<std::int64_t>(n.value))));
        }));
    r.add(bind(
        {subject, "choose", {{"n"}, {"k"}}, "The number of ways to choose k of n things.", "choose(5, 2) == 10"},
        +[](CallContext& c, Count n, Count k) -> Result<Value> {
            if (n.value > 1'000'000 || std::min(k.value, n.value < k.value ? 0 : n.value - k.value) > 20'000)
                return Fault{.code = "E-RANGE",
                             .message = "choose: these numbers are too large",
                             .origin = c.argument(0),
                             .hint = "lgamma gives its logarithm"};
            return Value(Number(rt::choose(static_cast<std::int64_t>(n.value), static_cast<std::int64_t>(k.value))));
        }));
}

void add_conversions(Registry& r) {
    r.add(bind(
        {subject,
         "real",
         {{"x"}},
         "The number in floating point. It also converts the entries of a factor.",
         "abs(real(1/3) - 1/3) < 1e-15"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                if (n.is_exact() && !std::isfinite(n.real()))
                    return Fault{.code = "E-RANGE", .message = "this number is too large for a real one"};
                return Number::real(n.real());
            });
        }));
    r.add(bind(
        {subject, "exact", {{"x"}}, "The fraction that a real number's shortest decimal stands for.", "exact(real(0.1)) == 1/10"},
        +[](CallContext& c, Quantity x) -> Result<Value> {
            return over(c, x, [](const Number& n) -> Result<Number> {
                if (n.is_exact()) return n;
                if (!std::isfinite(n.real())) return undefined("exact", n, "only finite numbers are fractions");
                return Number(rt::Rational::from_decimal(n.real()));
            });
        }));
    r.add(bind(
        {subject, "exact", {{"text"}}, "The number that a text writes as a decimal.", "exact(\"2.5\") == 5/2"},
        +[](CallContext& c, std::string text) -> Result<Value> {
            const rt::Label label = rt::Label::of_text(text);
            if (label.is_number()) return Value(*label.number());
            return rt::Fault{.code = "E-NUMBER",
                             .message = fmt::format("'{}' is not a number", text),
                             .origin = c.argument(0),
                             .hint = "as in exact(\"2.5\")"};
        }));
}

}  // namespace

void add_numbers(Registry& r) {
    add_rounding(r);
    add_functions(r);
    add_counting(r);
    add_conversions(r);
}

}  // namespace credence::std_
