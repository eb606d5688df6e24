// Distributions as values, and what can be asked of one.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/prob/distributions/family.hpp"
#include "runtime/prob/distributions/variates.hpp"
#include "stdlib/statistics/shares.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using namespace lang;
using rt::DistributionPtr;
using rt::Fault;
using rt::Number;
using rt::Result;

constexpr const char* subject = "distributions";

/// The distribution; a fault points at the argument that its message names ("normal: sd must be …").
Result<Value> made(CallContext& c, std::span<const std::string_view> parameters, Result<DistributionPtr> d) {
    if (d) return Value(Value::Node(*std::move(d)));
    Fault fault = std::move(d).fault();
    std::size_t i = 0;
    for (const auto name : parameters) {
        if (fault.origin == rt::Origin::none && fault.message.find(fmt::format(": {} ", name)) != std::string::npos)
            fault.origin = c.argument(i);
        ++i;
    }
    return fault;
}

Result<Value> quantiles(const rt::Distribution& d, const std::vector<Number>& ps) {
    List out;
    for (const auto& p : ps) out.push_back(Value(TRY(d.quantile(p))));
    return Value::list(std::move(out));
}

Result<rt::Outcome> as_outcome(const rt::Distribution& d, const Value& x, rt::Origin origin) {
    if (d.support() == rt::Support::vectors) {
        const List* items = x.items();
        rt::Point point;
        for (std::size_t i = 0; items && i < items->size(); ++i)
            if (const auto* n = (*items)[i].get<Number>()) point.push_back(*n);
        if (!items || point.size() != items->size())
            return Fault{
                .code = "E-TYPE", .message = fmt::format("{} is over lists of numbers, found {}", d.name(), x.kind()), .origin = origin};
        return rt::Outcome(std::move(point));
    }
    if (d.support() == rt::Support::labels) {
        if (const auto label = x.as_label()) return rt::Outcome(*label);
    } else if (const auto* n = x.get<Number>()) {
        return rt::Outcome(*n);
    }
    return Fault{
        .code = "E-TYPE",
        .message = fmt::format("{} is over {}, found {}", d.name(), d.support() == rt::Support::labels ? "labels" : "numbers", x.kind()),
        .origin = origin};
}

Result<std::vector<std::vector<Number>>> matrix(CallContext& c, const Items& rows, std::size_t argument) {
    std::vector<std::vector<Number>> out;
    for (const auto& row : *rows.items) {
        const List* items = row.items();
        out.emplace_back();
        for (std::size_t i = 0; items && i < items->size(); ++i)
            if (const auto* n = (*items)[i].get<Number>()) out.back().push_back(*n);
        if (!items || out.back().size() != items->size())
            return Fault{.code = "E-TYPE",
                         .message = "a covariance matrix is a list of rows, each a list of numbers",
                         .origin = c.argument(argument)};
    }
    return out;
}

/// categorical([0.2, 0.3, 0.5]): other languages mean the shares of 1, 2, 3.
bool look_like_shares(const List& items) {
    double sum = 0;
    for (const auto& item : items) {
        const auto* n = item.get<Number>();
        if (!n || n->sign() < 0) return false;
        sum += n->real();
    }
    return items.size() > 1 && std::abs(sum - 1) < 1e-9;
}

Result<Value> equally_likely(CallContext& c, std::string_view name, const List& items) {
    std::vector<std::pair<rt::Label, Number>> pairs;
    pairs.reserve(items.size());
    std::map<rt::Label, std::size_t> place;  // a value that is written twice is twice as likely: uniform([4, 4, 0])
    const Number share(rt::Rational(1, static_cast<std::int64_t>(std::max<std::size_t>(1, items.size()))));
    for (const auto& item : items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is over labels and numbers, found {}", name, item.kind()),
                         .origin = c.argument(0)};
        const auto [found, fresh] = place.emplace(*label, pairs.size());
        if (fresh)
            pairs.emplace_back(*label, share);
        else
            pairs[found->second].second += share;
    }
    if (pairs.empty())
        return Fault{.code = "E-EMPTY", .message = fmt::format("{} needs at least one value", name), .origin = c.argument(0)};
    return made(c, std::array{std::string_view("weights"), std::string_view("values")}, rt::make_categorical(std::move(pairs)));
}

Type type_of(rt::Form form) { return form == rt::Form::number ? Type::number : form == rt::Form::list ? Type::numbers : Type::list; }

Result<rt::ParameterValue> parameter_value(CallContext& c, rt::Form form, const Value& value, const Parameter& described, std::size_t i) {
    if (form == rt::Form::number) return rt::ParameterValue(TRY(Take<Number>::from(value, described)));
    if (form == rt::Form::list) return rt::ParameterValue(TRY(Take<Numbers>::from(value, described)).values);
    const auto rows = TRY(Take<Items>::from(value, described));
    return rt::ParameterValue(TRY(matrix(c, rows, i)));
}

/// From the record of a family: of numbers, or of vectors.
Builtin family_builtin(const rt::FamilyInfo& family) {
    std::vector<std::string> fallbacks;
    std::vector<detail::Slot> slots;
    for (const auto& p : family.parameters) {
        fallbacks.push_back(p.fallback ? std::to_string(*p.fallback) : "");
        slots.push_back({type_of(p.form), p.fallback.has_value(), false});
    }
    std::vector<ParameterDoc> parameters;
    for (std::size_t i = 0; i < slots.size(); ++i) parameters.emplace_back(family.parameters[i].name, fallbacks[i]);
    Builtin out = detail::described({subject, family.name, std::move(parameters), family.summary, family.example}, slots);
    out.native = [&family, described = out.parameters](CallContext& c, Arguments arguments) -> Result<Value> {
        if (family.vector) {
            std::vector<rt::ParameterValue> values;
            for (std::size_t i = 0; i < family.parameters.size(); ++i)
                values.push_back(TRY(parameter_value(c, family.parameters[i].form, *arguments[i], described[i], i)));
            return made(c, family.names(), family.vector->make(values));
        }
        std::vector<Number> numbers;
        for (std::size_t i = 0; i < family.parameters.size(); ++i)
            numbers.push_back(arguments[i] ? *Take<Number>::from(*arguments[i], described[i]) : Number(*family.parameters[i].fallback));
        return made(c, family.names(), family.make(numbers, {}));
    };
    return out;
}

/// Jointly normal values at the points. The covariance of a smooth function at close points is rounded to one that is not positive
/// definite; a small share more on its diagonal prevents that.
Result<Value> process(CallContext& c, const List& points, const Callable& kernel, double noise) {
    constexpr double nugget = 1e-8;
    const std::size_t k = points.size();
    std::vector<std::vector<Number>> covariance(k, std::vector<Number>(k));
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const std::array<Value, 2> pair{points[i], points[j]};
            auto value = TRY(c.call(kernel.function, pair));
            const auto* number = value.get<Number>();
            if (!number)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("a kernel gives a number for two points, found {}", value.kind()),
                             .origin = c.argument(1)};
            const double entry = number->real() * (i == j ? 1 + nugget : 1) + (i == j ? noise * noise : 0);
            covariance[i][j] = covariance[j][i] = Number::real(entry);
        }
    return made(c, std::array{std::string_view("xs"), std::string_view("kernel")},
                rt::make_multinormal(std::vector<Number>(k, Number(0)), std::move(covariance)));
}

/// The partial correlations given the columns before are independent betas stretched over -1 ... 1 (section 2.4 of that paper).
Value correlations(std::size_t k, double eta, rt::Rng& rng) {
    std::vector<std::vector<double>> factor(k, std::vector<double>(k, 0.0));
    for (std::size_t i = 0; i < k; ++i) {
        double left = 1;
        for (std::size_t j = 0; j < i; ++j) {
            const double shape = eta + 0.5 * static_cast<double>(k - 2 - j);
            // (a − b) / (a + b) of two gamma variates.
            const double logs = rt::log_standard_gamma(shape, rng) - rt::log_standard_gamma(shape, rng);
            factor[i][j] = std::tanh(0.5 * logs) * std::sqrt(left);
            left -= factor[i][j] * factor[i][j];
        }
        factor[i][i] = std::sqrt(std::max(0.0, left));
    }
    List rows;
    for (std::size_t i = 0; i < k; ++i) {
        List row;
        for (std::size_t j = 0; j < k; ++j) {
            double sum = 0;
            for (std::size_t l = 0; l <= std::min(i, j); ++l) sum += factor[i][l] * factor[j][l];
            row.emplace_back(Number::real(i == j ? 1 : sum));
        }
        rows.push_back(Value::list(std::move(row)));
    }
    return Value::list(std::move(rows));
}

void add_forms(Registry& r) {
    r.add(bind(
        {subject, "categorical", {{"weights"}}, rt::categorical_family.summary, rt::categorical_family.example},
        +[](CallContext& c, Value weights) -> Result<Value> {
            std::optional<rt::Factor> f;
            if (const auto* record = weights.get<RecordPtr>()) f = record_as_factor(**record, "value");
            if (const auto* factor = weights.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) f = **factor;
            if (const List* items = weights.items(); items && !items->empty()) {
                if (look_like_shares(*items))
                    c.note(
                        "these numbers are the values, each equally likely; shares belong to labels, as in categorical({1: 0.2, 2: 0.8})");
                return equally_likely(c, "categorical", *items);
            }
            if (!f)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("categorical takes a record of probabilities by label, found {}", weights.kind()),
                             .origin = c.argument(0)};
            std::vector<std::pair<rt::Label, Number>> pairs;
            for (std::size_t i = 0; i < f->size(); ++i) pairs.emplace_back(f->labels(i)[0], f->at(i));
            return made(c, std::array{std::string_view("weights")}, rt::make_categorical(std::move(pairs)));
        }));
    r.add(bind(
        {subject,
         "uniform",
         {{"values"}},
         "All items of a list, range or set are equally likely. A value that occurs twice in a list is twice as likely.",
         "pdf(uniform(1..6), 3) == 1/6"},
        +[](CallContext& c, Items values) -> Result<Value> { return equally_likely(c, "uniform", *values.items); }));
}

void add_processes(Registry& r) {
    r.add(bind(
        {subject,
         "gaussian_process",
         {{"xs"}, {"kernel"}, {"noise", "0"}},
         "The values of a random function at some points, with mean 0: jointly normal, with the covariance kernel(x1, x2) of two points, "
         "such as rbf(alpha, rho). noise is the standard deviation of what is added at each point. In a net, f ~ gaussian_process(xs, "
         "rbf(alpha, rho)) declares f[1], f[2], ..., and alpha, rho and noise may be variables.",
         "abs(pdf(gaussian_process([1], rbf(2, 1)), [0]) - pdf(normal(0, 2), 0)) < 1e-6"},
        +[](CallContext& c, Items xs, Callable kernel, std::optional<Number> noise) -> Result<Value> {
            return process(c, *xs.items, kernel, noise ? noise->real() : 0);
        }));
    r.add(bind(
        {subject,
         "lkj",
         {{"k"}, {"eta", "1"}},
         "A draw from the distribution of Lewandowski, Kurowicka and Joe over correlation matrices of k rows: all equally likely for "
         "eta = 1, smaller correlations likelier for larger eta. In a net, R ~ lkj(3, 2) declares R[1, 1] to R[3, 3], and eta may be a "
         "variable.",
         "count(lkj(3, 2)) == 3"},
        +[](CallContext& c, Count k, std::optional<Positive> eta) -> Result<Value> {
            if (k.value < 2 || k.value > 40)
                return Fault{.code = "E-PARAMETER", .message = "lkj: k must be a whole number from 2 to 40", .origin = c.argument(0)};
            return correlations(k.value, eta ? eta->value.real() : 1, c.rng());
        }));
}

void add_families(Registry& r) {
    for (const auto* family : rt::all_families())
        if (family->log_density || family->vector) r.add(family_builtin(*family));
    r.add(bind(
        {subject,
         "ordered",
         {{"d"}},
         "In a plate of a net: its members are independent draws of d, in ascending order.",
         "(P(a[1] < a[2]) in Levels) > 0.999"},
        +[](CallContext& c, DistributionPtr) -> Result<Value> {
            return Fault{.code = "E-TYPE",
                         .message = "ordered(…) is for the members of a plate",
                         .origin = c.argument(0),
                         .hint = "as in net N { for k in 1..3 { mu[k] ~ ordered(normal(0, 1)) } }"};
        }));
    add_forms(r);
    add_processes(r);
}

void add_levels(Registry& r) {
    add_families(r);
    r.add(bind(
        {subject, "pdf", {{"d"}, {"x"}}, "The probability of x, or the density there.", "pdf(binomial(2, 1/2), 1) == 1/2"},
        +[](CallContext& c, DistributionPtr d, Value x) -> Result<Value> {
            auto outcome = TRY(as_outcome(*d, x, c.argument(1)));
            auto p = TRY(d->pdf(outcome));
            return Value(std::move(p));
        }));
    r.add(bind(
        {subject,
         "cdf",
         {{"d"}, {"x"}},
         "The cumulative distribution function: the probability of a value of at most x.",
         "abs(cdf(normal(0, 1), 1.96) - 0.9750021) < 1e-6"},
        +[](CallContext&, DistributionPtr d, Number x) -> Result<Value> {
            auto p = TRY(d->cdf(x));
            return Value(std::move(p));
        }));
    r.add(bind(
        {subject, "quantile", {{"d"}, {"p"}}, "The smallest x with cdf(d, x) at least p.", "quantile(binomial(10, 1/2), 1/2) == 5"},
        +[](CallContext&, DistributionPtr d, Probability p) -> Result<Value> {
            auto x = TRY(d->quantile(p.value));
            return Value(std::move(x));
        }));
    r.add(bind(
        {subject,
         "quantile",
         {{"d"}, {"ps"}},
         "The quantiles for several probabilities, as a list.",
         "quantile(uniform(0, 1), [1/4, 3/4]) == [1/4, 3/4]"},
        +[](CallContext& c, DistributionPtr d, Numbers ps) -> Result<Value> {
            TRY(check_shares(c, ps, 1));
            return quantiles(*d, ps.values);
        }));
    r.add(bind(
        {subject,
         "credible_interval",
         {{"d"}, {"level", "0.95"}},
         "The interval [low, high] that holds the value with this probability, with equal probability below and above it.",
         "credible_interval(uniform(0, 1), level: 9/10) == [1/20, 19/20]"},
        +[](CallContext& c, DistributionPtr d, std::optional<Probability> level) -> Result<Value> {
            const Number held = level ? level->value : Number(rt::Rational(19, 20));
            if (held == Number(0) || held == Number(1))
                return Fault{.code = "E-PARAMETER", .message = "the level lies between 0 and 1", .origin = c.argument(1)};
            const Number tail = (Number(1) - held) / Number(2);
            return quantiles(*d, {tail, Number(1) - tail});
        }));
}

void add_moments(Registry& r) {
    r.add(bind(
        {subject, "median", {{"d"}}, "The smallest x with cdf(d, x) at least 1/2.", "median(exponential(2)) == ln(2) / 2"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto x = TRY(d->quantile(rt::Rational(1, 2)));
            return Value(std::move(x));
        }));
    r.add(bind(
        {subject,
         "mode",
         {{"d"}},
         "The most probable value of a distribution, or the point where its density is largest.",
         "mode(beta(9, 5)) == 2/3"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto m = TRY(d->mode());
            return outcome_value(m);
        }));
    r.add(bind(
        {subject, "mean", {{"d"}}, "The mean of a distribution, or of a factor over numbers.", "mean({1: 1/4, 5: 3/4}) == 4"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto m = TRY(d->mean());
            return outcome_value(m);
        }));
    r.add(bind(
        {subject,
         "variance",
         {{"d"}},
         "The variance of a distribution. For a vector, a list with one variance for each component.",
         "variance(binomial(4, 1/2)) == 1"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto v = TRY(d->variance());
            return outcome_value(v);
        }));
    r.add(bind(
        {subject, "sd", {{"d"}}, "The standard deviation of a distribution.", "sd(normal(3, 2)) == 2"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto v = TRY(d->variance());
            if (const auto* n = std::get_if<Number>(&v)) {
                // The root of a fraction of squares is a fraction: the sd of normal(3, 2) is 2 itself.
                const auto parameters = d->parameters();
                if (rt::find_family(d->name()) == &rt::normal_family) return Value(std::get<Number>(parameters[1].value));
                return Value(Number::real(std::sqrt(n->real())));
            }
            const auto* point = std::get_if<rt::Point>(&v);
            if (!point) return Fault{.code = "E-TYPE", .message = "labels have no standard deviation"};
            List out;
            for (const auto& n : *point) out.emplace_back(Number::real(std::sqrt(n.real())));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject, "entropy", {{"d"}}, "The entropy in bits. For a density it is the differential entropy.", "entropy(bernoulli(1/2)) == 1"},
        +[](CallContext&, DistributionPtr d) -> Result<Value> {
            auto h = TRY(d->entropy());
            return Value(std::move(h));
        }));
}

}  // namespace

void add_distributions(Registry& r) {
    add_levels(r);
    add_moments(r);
}

}  // namespace credence::std_
