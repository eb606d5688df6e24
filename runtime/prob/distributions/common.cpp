#include "runtime/prob/distributions/common.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/search.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

std::string shown(const Number& number) {
    constexpr std::size_t longest = 40;
    std::string text = label_text(number);
    if (text.size() > longest) text = text.substr(0, longest) + "…";
    return text;
}

ParameterCheck& ParameterCheck::require(bool holds, std::string_view parameter, std::string_view must, std::string found,
                                        std::string label) {
    if (holds || fault_) return *this;
    fault_ = Fault{.code = "E-PARAMETER",
                   .message = fmt::format("{}: {} must {}, found {}", family_, parameter, must, found),
                   .label = std::move(label)};
    return *this;
}

ParameterCheck& ParameterCheck::finite(std::string_view parameter, const Number& value) {
    if (fault_ || std::isfinite(value.real())) return *this;
    return require(false, parameter, "be a finite number", shown(value), fmt::format("{} is a finite number", parameter));
}

ParameterCheck& ParameterCheck::positive(std::string_view parameter, const Number& value) {
    finite(parameter, value);
    if (fault_ || value.real() > 0) return *this;
    return require(false, parameter, "be positive", shown(value), fmt::format("{} > 0", parameter));
}

ParameterCheck& ParameterCheck::non_negative(std::string_view parameter, const Number& value) {
    finite(parameter, value);
    if (fault_ || value.sign() >= 0) return *this;
    return require(false, parameter, "not be negative", shown(value), fmt::format("{} >= 0", parameter));
}

ParameterCheck& ParameterCheck::probability(std::string_view parameter, const Number& value) {
    finite(parameter, value);
    if (fault_ || (value.sign() >= 0 && value <= Number(1))) return *this;
    return require(false, parameter, "lie between 0 and 1", shown(value), fmt::format("0 <= {} <= 1", parameter));
}

ParameterCheck& ParameterCheck::probabilities(std::string_view parameter, std::span<const Number> values) {
    require(!values.empty(), parameter, "have at least one entry", "none", "at least one entry");
    Number sum;
    for (const Number& value : values) {
        non_negative(parameter, value);
        sum += value;
    }
    if (fault_) return *this;
    const bool one = sum.is_exact() ? sum == Number(1) : std::abs(sum.real() - 1) <= 1e-9;
    if (one) return *this;
    return require(false, parameter, "sum to 1", fmt::format("a sum of {}", shown(sum)), fmt::format("these sum to {}", shown(sum)));
}

std::optional<Number> number_of(const Outcome& outcome) {
    if (const auto* number = std::get_if<Number>(&outcome)) return *number;
    if (const auto* label = std::get_if<Label>(&outcome)) return label->number();
    return std::nullopt;
}

Fault outcome_fault(std::string_view family, std::string_view takes, const Outcome& found) {
    std::string what;
    if (const auto* number = std::get_if<Number>(&found)) what = "the number " + shown(*number);
    if (const auto* label = std::get_if<Label>(&found)) what = "the label '" + label->text() + "'";
    if (const auto* point = std::get_if<Point>(&found)) what = fmt::format("a list of {} numbers", point->size());
    return {.code = "E-TYPE",
            .message = fmt::format("{}: pdf takes {}, found {}", family, takes, what),
            .label = fmt::format("{} is over {}", family, takes)};
}

Fault unordered_fault(std::string_view family, std::string_view function, std::string_view over) {
    return {.code = "E-TYPE",
            .message = fmt::format("{}: {} needs a distribution over numbers, and this one is over {}", family, function, over),
            .label = fmt::format("its values are {}, which have no order", over)};
}

Fault undefined_fault(std::string message, std::string label) {
    return {.code = "E-UNDEFINED", .message = std::move(message), .label = std::move(label)};
}

std::optional<Fault> level_fault(const Number& p) {
    if (p >= Number(0) && p <= Number(1)) return std::nullopt;
    return Fault{.code = "E-PARAMETER", .message = "quantile: p must lie between 0 and 1, found " + shown(p), .label = "0 <= p <= 1"};
}

std::size_t pick(std::span<const double> cumulative, Rng& rng) {
    const double at = rng.uniform() * cumulative.back();
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), at);
    if (found != cumulative.end()) return static_cast<std::size_t>(found - cumulative.begin());
    // at rounded up to the total: the last entry that has weight is the first whose running sum is the total.
    return static_cast<std::size_t>(std::lower_bound(cumulative.begin(), cumulative.end(), cumulative.back()) - cumulative.begin());
}

Result<Number> ScalarDistribution::pdf(const Outcome& x) const {
    const auto number = number_of(x);
    if (!number) return outcome_fault(name(), "a number", x);
    if (number->is_nan()) return *number;
    return density(*number);
}

double ScalarDistribution::log_pdf(const Outcome& x) const {
    const auto number = number_of(x);
    return number ? log_density(number->real()) : -infinity;
}

Result<Number> Distribution::above(const Number& x) const {
    auto below = cdf(x);
    if (!below) return below;
    return Number(1) - *below;
}

Result<Number> mass_between(const Distribution& distribution, const Number* low, const Number* high) {
    if (!low && !high) return Number(1);
    if (!low) return distribution.cdf(*high);
    auto above_low = distribution.above(*low);
    if (!above_low || !high) return above_low;
    const bool upper = above_low->real() < 0.5;
    auto a = upper ? distribution.above(*high) : distribution.cdf(*low);
    if (!a) return a;
    auto b = upper ? std::move(above_low) : distribution.cdf(*high);
    if (!b) return b;
    return *a < *b ? *b - *a : Number(0);
}

Result<Number> ScalarDistribution::cdf(const Number& x) const { return x.is_nan() ? x : cumulative(x); }

Result<Number> ScalarDistribution::above(const Number& x) const {
    if (x.is_nan()) return x;
    const Number below = cumulative(x);
    return below.is_exact() ? Number(1) - below : Number::real(upper_tail(x.real()));
}

Result<Number> ScalarDistribution::quantile(const Number& p) const {
    if (auto fault = level_fault(p)) return *std::move(fault);
    return inverse(p, Number(1) - p);
}

Number ScalarDistribution::density(const Number& x) const { return Number::real(std::exp(log_density(x.real()))); }

double CountDistribution::log_density(double x) const {
    return x >= 0 && x <= top() && x == std::floor(x) && std::isfinite(x) ? log_mass(x) : -infinity;
}

Number CountDistribution::density(const Number& x) const {
    const double k = x.real();
    const bool possible = k >= 0 && k <= top() && (x.is_exact() ? x.exact().is_integer() : k == std::floor(k) && std::isfinite(k));
    if (!possible) return 0;
    if (x.is_exact()) {
        if (auto mass = exact_mass(k)) return *mass;
    }
    return Number::real(std::exp(log_mass(k)));
}

Number CountDistribution::cumulative(const Number& x) const {
    const double k = x.is_exact() ? x.exact().floor().to_double() : std::floor(x.real());
    if (k < 0) return 0;
    if (k >= top()) return 1;
    if (x.is_exact()) {
        if (auto sum = exact_lower(k)) return *sum;
    }
    return Number::real(lower(k));
}

double CountDistribution::upper_tail(double x) const {
    const double k = std::floor(x);
    return k < 0 ? 1 : k >= top() ? 0 : upper(k);
}

Number CountDistribution::inverse(const Number& p, const Number& q) const {
    if (p.sign() <= 0) return 0;
    const double p_real = p.real();
    const double q_real = q.real();
    if (q.sign() <= 0) return whole(top());
    // The smaller tail decides; where doubles cannot, the exact sum does, and if there is none a tie counts as reached
    // (a level that came from cdf, or 0.5 of a symmetric case, must not be missed by its last bit).
    constexpr double doubt = 1e-9;
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const bool by_lower = p_real <= q_real;
    const double level = by_lower ? p_real : q_real;
    const double tie =
        64 * epsilon * level + (by_lower || p.is_exact() ? 0 : epsilon);  // a real p near 1 knows q to a unit of its own last place
    const auto reached = [&](double k) {
        if (k >= top()) return true;
        const double excess = by_lower ? lower(k) - level : level - upper(k);
        if (std::abs(excess) <= doubt * level && p.is_exact()) {
            if (const auto sum = exact_lower(k)) return *sum >= p.exact();
        }
        return excess >= -tie;
    };
    return whole(smallest_count(0, top(), guess(p_real, q_real), reached));
}

double smallest_count(double lo, double hi, double start, const std::function<bool(double)>& reached) {
    const double at = std::isfinite(start) ? std::clamp(std::floor(start), lo, hi) : lo;
    // Steps away from the start double until the answer is bracketed: !reached(below), reached(above).
    double below = lo - 1;
    double above = at;
    if (reached(at)) {
        for (double step = 1; above > lo; step *= 2) {
            const double probe = std::max(lo, above - step);
            if (!reached(probe)) {
                below = probe;
                break;
            }
            above = probe;
        }
    } else {
        below = at;
        for (double step = 1;; step *= 2) {
            above = std::min(hi, below + step);
            if (above >= hi || reached(above)) break;
            below = above;
        }
    }
    while (above - below > 1) {
        const double middle = std::floor(below + (above - below) / 2);
        if (middle <= below || middle >= above) break;
        (reached(middle) ? above : below) = middle;
    }
    return above;
}

double count_entropy_bits(double mean, double variance, double squared_skewness, double top,
                          const std::function<double(double)>& log_mass) {
    if (variance > 1e6) return 0.5 * (ln_2pi + 1 + std::log(variance)) * nats_to_bits - squared_skewness / 12 * nats_to_bits;
    const double reach = 12 * std::sqrt(variance) + 60;
    const double last = std::min(top, std::ceil(mean + reach));
    CompensatedSum sum;
    for (double k = std::max(0.0, std::floor(mean - reach)); k <= last; ++k) {
        const double log_p = log_mass(k);
        if (log_p > -infinity) sum.add(-std::exp(log_p) * log_p);
    }
    return sum.value() * nats_to_bits;
}

std::optional<ConjugateForm> precision_form(const Number& x, const std::optional<Number>& mean, double log_constant) {
    if (!mean) return std::nullopt;
    const Number away = x - *mean;
    return ConjugateForm{.kernel = ConjugateKernel::gamma,
                         .parameter = 1,
                         .power = Rational(-1, 2),
                         .first = Rational(1, 2),
                         .second = away * away / Number(2),
                         .constant = std::nullopt,
                         .log_constant = log_constant};
}

Fault no_mode_fault(std::string_view family, std::string_view why) {
    return {.code = "E-UNDEFINED", .message = fmt::format("no value of this {} is the most probable: it {}", family, why)};
}

Number first_count_below(const Number& x) {
    const Number floor = x.is_exact() ? Number(x.exact().floor()) : Number::real(std::floor(x.real()));
    return x == floor && x.sign() > 0 ? x - Number(1) : floor;
}

DensityValue trials_log_density(double k, double n, double p) {
    if (!(p >= 0 && p <= 1)) return bad_parameters();
    const double rest = n - k;
    DensityValue out;
    out.value = (k == 0 ? 0 : k * std::log(p)) + (rest == 0 ? 0 : rest * std::log1p(-p));
    out.dp[0] = (k == 0 ? 0 : k / p) - (rest == 0 ? 0 : rest / (1 - p));
    return out;
}

std::optional<std::int64_t> count_of(const Number& x) {
    const Rational fraction = x.is_exact() ? x.exact() : Rational::from_decimal(x.real());
    if (!fraction.is_integer() || fraction.sign() < 0) return std::nullopt;
    return fraction.to_int64();
}

std::optional<Rational> quotient(const std::optional<Rational>& a, const std::optional<Rational>& b) {
    return a && b && !b->is_zero() ? std::optional(*a / *b) : std::nullopt;
}

std::optional<Rational> equal_value(const ExactValues& data, double x) {
    for (const auto& value : data.values)
        if (value.to_double() == x) return value;
    return std::nullopt;
}

double weighted_median(const WeightedValues& data) {
    std::vector<std::size_t> order(data.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return data.values[a] < data.values[b]; });
    double below = 0;
    for (const auto i : order) {
        below += data.weights[i];
        if (below >= data.total / 2) return data.values[i];
    }
    return data.values[order.back()];
}

double positive_root(const std::function<double(double)>& f, double low, double high) {
    if (f(low) >= 0) return low;
    if (f(high) <= 0) return high;
    return std::exp(root_between([&](double log) { return f(std::exp(log)); }, std::log(low), std::log(high)));
}

}  // namespace credence::rt
