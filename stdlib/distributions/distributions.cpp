// Distributions as values, and what can be asked of one.

#include <cmath>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/prob/mode.hpp"
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
Result<Value> made(CallContext& c, std::initializer_list<std::string_view> parameters, Result<DistributionPtr> d) {
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

Result<Value> equally_likely(CallContext& c, std::string_view name, const List& items) {
    std::vector<std::pair<rt::Label, Number>> pairs;
    pairs.reserve(items.size());
    for (const auto& item : items) {
        const auto label = item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is over labels and numbers, found {}", name, item.kind()),
                         .origin = c.argument(0)};
        pairs.emplace_back(*label, Number(rt::Rational(1, static_cast<std::int64_t>(items.size()))));
    }
    if (pairs.empty()) return Fault{.code = "E-EMPTY", .message = fmt::format("{} needs a value at least", name), .origin = c.argument(0)};
    return made(c, {"weights", "values"}, rt::make_categorical(std::move(pairs)));
}

void add_families(Registry& r) {
    using V = Value;
    r.add(bind(
        {subject, "bernoulli", {{"p"}}, "true with probability p, else false.", "pdf(bernoulli(1/4), false) == 3/4"},
        +[](CallContext& c, Number p) -> Result<V> { return made(c, {"p"}, rt::make_bernoulli(p)); }));
    r.add(bind(
        {subject, "binomial", {{"n"}, {"p"}}, "How many of n independent trials succeed.", "pdf(binomial(3, 1/2), 2) == 3/8"},
        +[](CallContext& c, Number n, Number p) -> Result<V> {
            return made(c, {"n", "p"}, rt::make_binomial(n, p));
        }));
    r.add(bind(
        {subject,
         "categorical",
         {{"weights"}},
         "One of several labels with the given probabilities, which sum to 1; a list means that its items are equally likely.",
         "pdf(categorical({a: 1/3, b: 2/3}), \"b\") == 2/3"},
        +[](CallContext& c, V weights) -> Result<V> {
            std::optional<rt::Factor> f;
            if (const auto* record = weights.get<RecordPtr>()) f = record_as_factor(**record, "value");
            if (const auto* factor = weights.get<FactorPtr>(); factor && (*factor)->variables().size() == 1) f = **factor;
            if (const List* items = weights.items(); items && !items->empty()) return equally_likely(c, "categorical", *items);
            if (!f)
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("categorical takes a record of probabilities by label, found {}", weights.kind()),
                             .origin = c.argument(0)};
            std::vector<std::pair<rt::Label, Number>> pairs;
            for (std::size_t i = 0; i < f->size(); ++i) pairs.emplace_back(f->labels(i)[0], f->at(i));
            return made(c, {"weights"}, rt::make_categorical(std::move(pairs)));
        }));
    r.add(bind(
        {subject, "poisson", {{"rate"}}, "Counts of independent events with the given mean.", "mean(poisson(3/2)) == 3/2"},
        +[](CallContext& c, Number rate) -> Result<V> { return made(c, {"rate"}, rt::make_poisson(rate)); }));
    r.add(bind(
        {subject, "geometric", {{"p"}}, "Failures before the first success: 0, 1, 2, …", "pdf(geometric(1/3), 2) == 4/27"},
        +[](CallContext& c, Number p) -> Result<V> { return made(c, {"p"}, rt::make_geometric(p)); }));
    r.add(bind(
        {subject, "uniform", {{"low"}, {"high"}}, "All numbers between low and high alike.", "mean(uniform(1, 4)) == 5/2"},
        +[](CallContext& c, Number low, Number high) -> Result<V> {
            return made(c, {"low", "high"}, rt::make_uniform(low, high));
        }));
    r.add(bind(
        {subject, "uniform", {{"values"}}, "All values of a list, range or set alike.", "pdf(uniform(1..6), 3) == 1/6"},
        +[](CallContext& c, Items values) -> Result<V> { return equally_likely(c, "uniform", *values.items); }));
    r.add(bind(
        {subject, "normal", {{"mean"}, {"sd"}}, "The normal distribution with mean and standard deviation.", "variance(normal(3, 2)) == 4"},
        +[](CallContext& c, Number mean, Number sd) -> Result<V> {
            return made(c, {"mean", "sd"}, rt::make_normal(mean, sd));
        }));
    r.add(bind(
        {subject,
         "lognormal",
         {{"mu"}, {"sigma"}},
         "Its logarithm is normal with mean mu and standard deviation sigma.",
         "quantile(lognormal(0, 1), 1/2) == 1"},
        +[](CallContext& c, Number mu, Number sigma) -> Result<V> {
            return made(c, {"mu", "sigma"}, rt::make_lognormal(mu, sigma));
        }));
    r.add(bind(
        {subject,
         "beta",
         {{"a"}, {"b"}},
         "A probability after a - 1 successes and b - 1 failures, from a uniform prior.",
         "mean(beta(9, 5)) == 9/14"},
        +[](CallContext& c, Number a, Number b) -> Result<V> {
            return made(c, {"a", "b"}, rt::make_beta(a, b));
        }));
    r.add(bind(
        {subject,
         "gamma",
         {{"shape"}, {"rate"}},
         "The gamma distribution with shape and rate; its mean is shape / rate.",
         "mean(gamma(3, 2)) == 3/2"},
        +[](CallContext& c, Number shape, Number rate) -> Result<V> {
            return made(c, {"shape", "rate"}, rt::make_gamma(shape, rate));
        }));
    r.add(bind(
        {subject, "exponential", {{"rate"}}, "Waiting times with mean 1 / rate.", "mean(exponential(4)) == 1/4"},
        +[](CallContext& c, Number rate) -> Result<V> { return made(c, {"rate"}, rt::make_exponential(rate)); }));
    r.add(bind(
        {subject, "laplace", {{"location"}, {"scale"}}, "Two exponentials back to back.", "variance(laplace(0, 2)) == 8"},
        +[](CallContext& c, Number location, Number scale) -> Result<V> {
            return made(c, {"location", "scale"}, rt::make_laplace(location, scale));
        }));
    r.add(bind(
        {subject,
         "student_t",
         {{"degrees"}, {"location", "0"}, {"scale", "1"}},
         "Student's t with degrees of freedom, shifted and scaled.",
         "variance(student_t(4)) == 2"},
        +[](CallContext& c, Number degrees, std::optional<Number> location, std::optional<Number> scale) -> Result<V> {
            return made(c, {"degrees", "location", "scale"},
                        rt::make_student_t(degrees, location.value_or(Number(0)), scale.value_or(Number(1))));
        }));
    r.add(bind(
        {subject,
         "multinormal",
         {{"mean"}, {"covariance"}},
         "The normal distribution of a vector.",
         "mean(multinormal([1, 2], [[2, 1], [1, 2]])) == [1, 2]"},
        +[](CallContext& c, Numbers mean, Items covariance) -> Result<V> {
            auto rows = matrix(c, covariance, 1);
            if (!rows) return std::move(rows).fault();
            return made(c, {"mean", "covariance"}, rt::make_multinormal(std::move(mean.values), *std::move(rows)));
        }));
    r.add(bind(
        {subject,
         "dirichlet",
         {{"concentration"}},
         "Probabilities of several outcomes after so many observations of each.",
         "mean(dirichlet([4, 3, 2])) == [4/9, 3/9, 2/9]"},
        +[](CallContext& c, Numbers concentration) -> Result<V> {
            return made(c, {"concentration"}, rt::make_dirichlet(std::move(concentration.values)));
        }));
}

}  // namespace

void add_distributions(Registry& r) {
    using V = Value;
    add_families(r);
    r.add(bind(
        {subject, "pdf", {{"d"}, {"x"}}, "The probability of x, or the density there.", "pdf(binomial(2, 1/2), 1) == 1/2"},
        +[](CallContext& c, DistributionPtr d, V x) -> Result<V> {
            auto outcome = as_outcome(*d, x, c.argument(1));
            if (!outcome) return std::move(outcome).fault();
            auto p = d->pdf(*outcome);
            if (!p) return std::move(p).fault();
            return V(*std::move(p));
        }));
    r.add(bind(
        {subject, "cdf", {{"d"}, {"x"}}, "The probability of a value up to x.", "abs(cdf(normal(0, 1), 1.96) - 0.9750021) < 1e-6"},
        +[](CallContext&, DistributionPtr d, Number x) -> Result<V> {
            auto p = d->cdf(x);
            if (!p) return std::move(p).fault();
            return V(*std::move(p));
        }));
    r.add(bind(
        {subject, "quantile", {{"d"}, {"p"}}, "The smallest x with cdf(d, x) at least p.", "quantile(binomial(10, 1/2), 1/2) == 5"},
        +[](CallContext&, DistributionPtr d, Probability p) -> Result<V> {
            auto x = d->quantile(p.value);
            if (!x) return std::move(x).fault();
            return V(*std::move(x));
        }));
    r.add(bind(
        {subject, "median", {{"d"}}, "The smallest x with cdf(d, x) at least 1/2.", "median(exponential(2)) == ln(2) / 2"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto x = d->quantile(rt::Rational(1, 2));
            if (!x) return std::move(x).fault();
            return V(*std::move(x));
        }));
    r.add(bind(
        {subject,
         "mode",
         {{"d"}},
         "The most probable value of a distribution, or where its density is largest.",
         "mode(beta(9, 5)) == 2/3"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto m = rt::mode(*d);
            if (!m) return std::move(m).fault();
            return outcome_value(*m);
        }));
    r.add(bind(
        {subject, "mean", {{"d"}}, "The mean of a distribution, or of a factor over numbers.", "mean({1: 1/4, 5: 3/4}) == 4"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto m = d->mean();
            if (!m) return std::move(m).fault();
            return outcome_value(*m);
        }));
    r.add(bind(
        {subject,
         "variance",
         {{"d"}},
         "The variance of a distribution; of a vector, one for each part.",
         "variance(binomial(4, 1/2)) == 1"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto v = d->variance();
            if (!v) return std::move(v).fault();
            return outcome_value(*v);
        }));
    r.add(bind(
        {subject, "sd", {{"d"}}, "The standard deviation of a distribution.", "sd(normal(3, 2)) == 2"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto v = d->variance();
            if (!v) return std::move(v).fault();
            if (const auto* n = std::get_if<Number>(&*v)) {
                // The root of a fraction of squares is a fraction: the sd of normal(3, 2) is 2 itself.
                const auto parameters = d->parameters();
                if (d->name() == "normal") return V(std::get<Number>(parameters[1].value));
                return V(Number::real(std::sqrt(n->real())));
            }
            const auto* point = std::get_if<rt::Point>(&*v);
            if (!point) return Fault{.code = "E-TYPE", .message = "labels have no standard deviation"};
            List out;
            for (const auto& n : *point) out.emplace_back(Number::real(std::sqrt(n.real())));
            return V::list(std::move(out));
        }));
    r.add(bind(
        {subject, "entropy", {{"d"}}, "The entropy in bits (of a density: its differential entropy).", "entropy(bernoulli(1/2)) == 1"},
        +[](CallContext&, DistributionPtr d) -> Result<V> {
            auto h = d->entropy();
            if (!h) return std::move(h).fault();
            return V(*std::move(h));
        }));
}

}  // namespace credence::std_
