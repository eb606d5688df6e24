// Statistics of lists of numbers: exact where the numbers are, with the sample variance (n - 1).

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using rt::Number;

constexpr const char* subject = "statistics";

Number whole(std::size_t n) { return Number(rt::Rational(static_cast<std::int64_t>(n))); }

Fault too_few(std::string_view name, std::size_t needed, rt::Origin origin) {
    return {.code = "E-EMPTY", .message = fmt::format("{} needs at least {}", name, rt::counted(needed, "number")), .origin = origin};
}

bool all_exact(const std::vector<Number>& xs) {
    return std::all_of(xs.begin(), xs.end(), [](const Number& x) { return x.is_exact(); });
}

Number mean_of(const std::vector<Number>& xs) {
    Number total = 0;
    for (const auto& x : xs) total += x;
    return total / whole(xs.size());
}

/// Sum of products of deviations; two passes, so that reals do not cancel.
Number co_deviation(const std::vector<Number>& xs, const std::vector<Number>& ys) {
    const Number mx = mean_of(xs);
    const Number my = mean_of(ys);
    Number total = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) total += (xs[i] - mx) * (ys[i] - my);
    return total;
}

Result<Value> checked_pair(CallContext& c, std::string_view name, const Numbers& xs, const Numbers& ys) {
    if (xs.values.size() != ys.values.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{}: the lists have {} and {} numbers", name, xs.values.size(), ys.values.size()),
                     .origin = c.argument(1)};
    if (xs.values.size() < 2) return too_few(name, 2, c.argument(0));
    return Value();
}

/// Between two neighbours in proportion (type 7 of Hyndman & Fan 1996, the default of R and numpy).
Number quantile_of(std::vector<Number> xs, const Number& p) {
    std::sort(xs.begin(), xs.end(), [](const Number& a, const Number& b) { return a < b; });
    const Number position = p * whole(xs.size() - 1);
    const Number below = position.is_exact() ? Number(position.exact().floor()) : Number::real(std::floor(position.real()));
    const auto i = static_cast<std::size_t>(below.real());
    if (i + 1 >= xs.size()) return xs.back();
    return xs[i] + (position - below) * (xs[i + 1] - xs[i]);
}

}  // namespace

void add_statistics(Registry& r) {
    using V = Value;
    r.add(bind(
        {subject, "mean", {{"xs"}}, "The arithmetic mean.", "mean([1, 2, 6]) == 3"}, +[](CallContext& c, Numbers xs) -> Result<V> {
            if (xs.values.empty()) return too_few("mean", 1, c.argument(0));
            return V(mean_of(xs.values));
        }));
    r.add(bind(
        {subject, "variance", {{"xs"}}, "The sample variance: squared deviations over n - 1.", "variance([1, 2, 3]) == 1"},
        +[](CallContext& c, Numbers xs) -> Result<V> {
            if (xs.values.size() < 2) return too_few("variance", 2, c.argument(0));
            return V(co_deviation(xs.values, xs.values) / whole(xs.values.size() - 1));
        }));
    r.add(bind(
        {subject, "sd", {{"xs"}}, "The sample standard deviation.", "sd([1, 2, 3]) == 1"}, +[](CallContext& c, Numbers xs) -> Result<V> {
            if (xs.values.size() < 2) return too_few("sd", 2, c.argument(0));
            return V(Number::real(std::sqrt((co_deviation(xs.values, xs.values) / whole(xs.values.size() - 1)).real())));
        }));
    r.add(bind(
        {subject, "median", {{"xs"}}, "The middle number, or the mean of the two middle ones.", "median([5, 1, 2, 4]) == 3"},
        +[](CallContext& c, Numbers xs) -> Result<V> {
            if (xs.values.empty()) return too_few("median", 1, c.argument(0));
            return V(quantile_of(std::move(xs.values), rt::Rational(1, 2)));
        }));
    r.add(bind(
        {subject,
         "quantile",
         {{"xs"}, {"p"}},
         "The number that a share p of the list lies below, with linear interpolation between neighbours.",
         "quantile([1, 2, 3, 4], 1/4) == 7/4"},
        +[](CallContext& c, Numbers xs, Probability p) -> Result<V> {
            if (xs.values.empty()) return too_few("quantile", 1, c.argument(0));
            return V(quantile_of(std::move(xs.values), p.value));
        }));
    r.add(bind(
        {subject, "covariance", {{"xs"}, {"ys"}}, "The sample covariance (n - 1).", "covariance([1, 2, 3], [2, 4, 6]) == 2"},
        +[](CallContext& c, Numbers xs, Numbers ys) -> Result<V> {
            if (auto ok = checked_pair(c, "covariance", xs, ys); !ok) return ok;
            return V(co_deviation(xs.values, ys.values) / whole(xs.values.size() - 1));
        }));
    r.add(bind(
        {subject, "correlation", {{"xs"}, {"ys"}}, "Pearson's correlation coefficient.", "correlation([1, 2, 3], [2, 4, 6]) == 1"},
        +[](CallContext& c, Numbers xs, Numbers ys) -> Result<V> {
            if (auto ok = checked_pair(c, "correlation", xs, ys); !ok) return ok;
            const Number sxx = co_deviation(xs.values, xs.values);
            const Number syy = co_deviation(ys.values, ys.values);
            if (sxx.is_zero() || syy.is_zero())
                return Fault{.code = "E-UNDEFINED",
                             .message = "correlation: one of the lists is constant",
                             .origin = c.argument(sxx.is_zero() ? 0 : 1)};
            const Number sxy = co_deviation(xs.values, ys.values);
            // |r| of exact data may be exactly 1: decide that in fractions before the root rounds it.
            if (all_exact(xs.values) && all_exact(ys.values) && sxy * sxy == sxx * syy) return V(Number(sxy.sign()));
            return V(Number::real(std::clamp(sxy.real() / std::sqrt(sxx.real() * syy.real()), -1.0, 1.0)));
        }));
}

}  // namespace credence::std_
