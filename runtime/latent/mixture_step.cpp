#include "runtime/latent/mixture_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/core/golden_section.hpp"
#include "runtime/core/special.hpp"

namespace credence::rt {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double half_ln_2pi = 0.91893853320467274178;

/// Weighted sums over the values that carry weight.
template <class F>
double weighted_sum(const MixtureData& data, std::span<const double> r, F f) {
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
        if (r[i] > 0) sum += r[i] * f(data.values[i]);
    return sum;
}

double weighted_median(const MixtureData& data, std::span<const double> r, double total) {
    std::vector<std::size_t> order(r.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return data.values[a] < data.values[b]; });
    double below = 0;
    for (const auto i : order) {
        below += r[i];
        if (below >= total / 2) return data.values[i];
    }
    return data.values[order.back()];
}

/// Where a function that only grows, of a positive number, is zero: bisection on the logarithm, so that any scale will do.
template <class F>
double positive_root(F f, double low, double high) {
    if (f(low) >= 0) return low;
    if (f(high) <= 0) return high;
    double a = std::log(low);
    double b = std::log(high);
    for (int i = 0; i < 200 && b - a > 1e-15 * (1 + std::abs(a)); ++i) {
        const double middle = (a + b) / 2;
        (f(std::exp(middle)) < 0 ? a : b) = middle;
    }
    return std::exp((a + b) / 2);
}

struct Known {
    const MixturePart& part;
    bool operator()(std::size_t i) const { return part.parameters[i].has_value(); }
};

/// Location and scale of x (or of its logarithm) by least squares.
void fit_normal(Known known, const MixtureData& data, std::span<const double> r, double n, double floor, bool logs,
                std::vector<double>& theta) {
    const auto at = [&](double x) { return logs ? std::log(x) : x; };
    if (!known(0)) theta[0] = weighted_sum(data, r, at) / n;
    const double m = theta[0];
    if (!known(1)) theta[1] = std::max(floor, std::sqrt(weighted_sum(data, r, [&](double x) { return (at(x) - m) * (at(x) - m); }) / n));
}

/// ln shape − ψ(shape) = ln(mean) − mean of ln x (both unknown); the other equation where one is known.
void fit_gamma(Known known, const MixtureData& data, std::span<const double> r, double n, std::vector<double>& theta) {
    const double mean = weighted_sum(data, r, [](double x) { return x; }) / n;
    const double log_mean = weighted_sum(data, r, [](double x) { return std::log(x); }) / n;
    if (!known(0) && !known(1)) {
        const double gap = std::log(mean) - log_mean;
        theta[0] = gap > 0 ? positive_root([&](double k) { return gap + digamma_minus_log(k); }, 1e-8, most_shape) : most_shape;
    } else if (!known(0)) {
        theta[0] = positive_root([&](double k) { return digamma(k) - std::log(theta[1]) - log_mean; }, 1e-8, most_shape);
    }
    if (!known(1)) theta[1] = theta[0] / mean;
}

/// Both equations ψ(a) − ψ(a+b) = mean ln x and ψ(b) − ψ(a+b) = mean ln(1−x), by turns: each turn is a maximum along one axis.
void fit_beta(Known known, const MixtureData& data, std::span<const double> r, double n, std::vector<double>& theta) {
    const double g[2] = {weighted_sum(data, r, [](double x) { return std::log(x); }) / n,
                         weighted_sum(data, r, [](double x) { return std::log1p(-x); }) / n};
    const auto turn = [&](std::size_t i) {
        const double other = theta[1 - i];
        theta[i] = positive_root([&](double a) { return digamma(a) - digamma(a + other) - g[i]; }, 1e-8, most_shape);
    };
    if (known(0) || known(1)) {
        turn(known(0) ? 1 : 0);
        return;
    }
    for (int pass = 0; pass < 400; ++pass) {
        const double before[2] = {theta[0], theta[1]};
        turn(0);
        turn(1);
        // Along the line that the turns crawl on, a longer step where it is uphill.
        const auto height = [&](double a, double b) {
            return (a - 1) * g[0] + (b - 1) * g[1] - log_gamma(a) - log_gamma(b) + log_gamma(a + b);
        };
        const double step[2] = {std::log(theta[0] / before[0]), std::log(theta[1] / before[1])};
        for (double far = 2; far < 1e6; far *= 2) {
            const double a = std::clamp(before[0] * std::exp(far * step[0]), 1e-8, most_shape);
            const double b = std::clamp(before[1] * std::exp(far * step[1]), 1e-8, most_shape);
            if (!(height(a, b) > height(theta[0], theta[1]))) break;
            theta[0] = a;
            theta[1] = b;
        }
        if (std::abs(theta[0] - before[0]) <= 1e-12 * theta[0] && std::abs(theta[1] - before[1]) <= 1e-12 * theta[1]) break;
    }
}

double student_log_density(double x, double nu, double location, double scale) {
    const double z = (x - location) / scale;
    return log_gamma((nu + 1) / 2) - log_gamma(nu / 2) - 0.5 * std::log(nu * 3.14159265358979323846) - std::log(scale) -
           (nu + 1) / 2 * std::log1p(z * z / nu);
}

/// Location and scale by one turn of reweighting (an observation counts (ν+1)/(ν+z²)), then the degrees by search: each step climbs.
void fit_student(Known known, const MixtureData& data, std::span<const double> r, double n, std::vector<double>& theta) {
    const double nu = theta[0];
    const auto u = [&](double x) {
        const double z = (x - theta[1]) / theta[2];
        return (nu + 1) / (nu + z * z);
    };
    double weight = 0;
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i)
        if (r[i] > 0) {
            const double w = r[i] * u(data.values[i]);
            weight += w;
            sum += w * data.values[i];
        }
    const double location = known(1) ? theta[1] : sum / weight;
    if (!known(2)) {
        const double square = weighted_sum(data, r, [&](double x) { return u(x) * (x - location) * (x - location); });
        theta[2] = std::max(least_component_spread * data.sd, std::sqrt(square / n));
    }
    theta[1] = location;
    if (known(0)) return;
    const auto height = [&](double log_nu) {
        return weighted_sum(data, r, [&](double x) { return student_log_density(x, std::exp(log_nu), theta[1], theta[2]); });
    };
    const double best = golden_section_maximum(height, std::log(0.1), std::log(1e4), 1e-9, 0);
    if (height(best) > height(std::log(theta[0]))) theta[0] = std::exp(best);
}

void fit_uniform(Known known, const MixtureData& data, std::span<const double> r, std::vector<double>& theta) {
    double low = inf;
    double high = -inf;
    for (std::size_t i = 0; i < r.size(); ++i)
        if (r[i] > 0) {
            low = std::min(low, data.values[i]);
            high = std::max(high, data.values[i]);
        }
    const double floor = least_component_spread * data.sd;
    if (!known(0)) theta[0] = known(1) ? std::min(low, theta[1] - floor) : low;
    if (!known(1)) theta[1] = std::max(high, theta[0] + floor);
}

}  // namespace

bool family_covers(const MixtureFamily& family, double x) {
    if (family.support == Support::integers) return x >= 0 && x == std::floor(x);
    if (family.name == "lognormal" || family.name == "gamma") return x > 0;
    if (family.name == "exponential") return x >= 0;
    if (family.name == "beta") return x > 0 && x < 1;
    return true;
}

void log_densities(const MixturePart& part, std::span<const double> theta, const MixtureData& data, std::span<double> out) {
    if (part.shares_hole) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::log(theta[static_cast<std::size_t>(data.values[i])]);
        return;
    }
    if (part.family && part.family->name == "normal") {
        const double scale = 1 / theta[1];
        const double constant = -std::log(theta[1]) - half_ln_2pi;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double z = (data.values[i] - theta[0]) * scale;
            out[i] = constant - 0.5 * z * z;
        }
        return;
    }
    DistributionPtr d = part.given;
    if (!d) {
        std::vector<Number> numbers;
        for (std::size_t p = 0; p < theta.size(); ++p) numbers.push_back(part.parameters[p].value_or(Number::real(theta[p])));
        auto made = part.family->make(numbers);
        if (!made) {
            std::fill(out.begin(), out.end(), -inf);
            return;
        }
        d = *std::move(made);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = data.domain ? d->log_pdf(Outcome((*data.domain)[static_cast<std::size_t>(data.values[i])]))
                             : d->log_pdf(Outcome(Number::real(data.values[i])));
}

void maximise(const MixturePart& part, const MixtureData& data, std::span<const double> r, std::vector<double>& theta) {
    if (!part.has_holes()) return;
    double n = 0;
    for (const double x : r) n += x;
    if (!(n > 1e-300)) return;  // nothing is left of it: it stays what it was
    if (part.shares_hole) {
        std::fill(theta.begin(), theta.end(), 0.0);
        for (std::size_t i = 0; i < r.size(); ++i) theta[static_cast<std::size_t>(data.values[i])] += r[i] / n;
        return;
    }
    const Known known{part};
    const std::string_view name = part.family->name;
    const auto identity = [](double x) { return x; };
    const auto mean = [&] { return weighted_sum(data, r, identity) / n; };
    if (name == "bernoulli") {
        const auto yes = data.domain->find(Label::of_bool(true));
        theta[0] = weighted_sum(data, r, [&](double x) { return yes && x == static_cast<double>(*yes) ? 1.0 : 0.0; }) / n;
    } else if (name == "binomial") {
        theta[1] = std::min(1.0, mean() / theta[0]);
    } else if (name == "poisson") {
        theta[0] = std::max(mean(), 1e-12);
    } else if (name == "geometric") {
        theta[0] = 1 / (1 + mean());
    } else if (name == "exponential") {
        theta[0] = 1 / std::max(mean(), least_component_spread * data.sd);
    } else if (name == "normal") {
        fit_normal(known, data, r, n, least_component_spread * data.sd, false, theta);
    } else if (name == "lognormal") {
        fit_normal(known, data, r, n, least_component_spread * data.log_sd, true, theta);
    } else if (name == "laplace") {
        if (!known(0)) theta[0] = weighted_median(data, r, n);
        if (!known(1))
            theta[1] =
                std::max(least_component_spread * data.sd, weighted_sum(data, r, [&](double x) { return std::abs(x - theta[0]); }) / n);
    } else if (name == "gamma") {
        fit_gamma(known, data, r, n, theta);
    } else if (name == "beta") {
        fit_beta(known, data, r, n, theta);
    } else if (name == "student_t") {
        fit_student(known, data, r, n, theta);
    } else if (name == "uniform") {
        fit_uniform(known, data, r, theta);
    }
}

bool at_bound(const MixturePart& part, const MixtureData& data, std::span<const double> theta) {
    if (!part.has_holes() || part.shares_hole) return false;
    const Known known{part};
    const std::string_view name = part.family->name;
    const double floor = least_component_spread * data.sd * (1 + 1e-9);
    if (name == "normal" || name == "laplace") return !known(1) && theta[1] <= floor;
    if (name == "student_t") return !known(2) && theta[2] <= floor;
    if (name == "lognormal") return !known(1) && theta[1] <= least_component_spread * data.log_sd * (1 + 1e-9);
    if (name == "exponential") return 1 / theta[0] <= floor;
    if (name == "uniform") return theta[1] - theta[0] <= floor;
    const double cap = most_shape * (1 - 1e-9);
    if (name == "gamma") return !known(0) && theta[0] >= cap;
    if (name == "beta") return (!known(0) && theta[0] >= cap) || (!known(1) && theta[1] >= cap);
    return false;
}

}  // namespace credence::rt
