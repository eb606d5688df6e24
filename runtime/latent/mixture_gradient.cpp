#include "runtime/latent/mixture_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// What a hole climbs along, so that one rate does for all: shares along their simplex, places in units of the data's spread, and what is
/// above 0 by its logarithm.
enum class Along { simplex, place, logarithm };

Along along(const MixtureFamily& family, std::size_t p) {
    if (family.name == "bernoulli" || family.name == "binomial" || family.name == "geometric") return Along::simplex;
    const bool place = family.name == "normal" || family.name == "lognormal" ? p == 0 : family.name == "student_t" && p == 1;
    return place ? Along::place : Along::logarithm;
}

struct Bounds {
    double low;
    double high;
};

/// As the M-steps keep them.
Bounds bounds_of(const MixtureFamily& family, std::size_t p, const MixtureData& data) {
    constexpr double none = std::numeric_limits<double>::max();
    const double floor = least_component_spread * data.sd;
    if (family.name == "normal" || family.name == "laplace") return {floor, none};
    if (family.name == "lognormal") return {least_component_spread * data.log_sd, none};
    if (family.name == "student_t" && p == 0) return {0.1, 1e4};
    if (family.name == "student_t") return {floor, none};
    if (family.name == "exponential") return {1e-300, 1 / floor};
    if (family.name == "beta" || (family.name == "gamma" && p == 0)) return {1e-8, most_shape};
    return {1e-12, none};
}

class MixtureClimb {
public:
    MixtureClimb(const Mixture& mixture, const MixtureData& data, const MixtureProblem& problem)
        : mixture_(&mixture), data_(&data), problem_(&problem) {}

    /// In order: the open weights, then of each component its holes.
    Result<double> slope(const MixtureParameters& now, std::vector<double>& out, Run&) {
        auto likelihood = problem_->responsibilities(now, z_);
        if (!likelihood) return likelihood;
        const std::size_t n = data_->values.size();
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            for (std::size_t i = 0; i < n; ++i) z_[j * n + i] *= data_->weights[i];
        out.clear();
        std::vector<double> counts;
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j) {
            if (mixture_->weights[j]) continue;
            double count = 0;
            for (std::size_t i = 0; i < n; ++i) count += z_[j * n + i];
            counts.push_back(count);
        }
        out.resize(counts.size());
        row_slope(counts, open_weights(now), out);
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            if (mixture_->parts[j].has_holes()) part_slope(mixture_->parts[j], now.theta[j], std::span(z_).subspan(j * n, n), out);
        return likelihood;
    }

    void move(const MixtureParameters& from, std::span<const double> slope, double rate, MixtureParameters& to) const {
        to = from;
        std::vector<double> row = open_weights(from);
        move_row(row, slope.first(row.size()), rate);
        std::size_t at = 0;
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j)
            if (!mixture_->weights[j]) to.weights[j] = row[at++];
        for (std::size_t j = 0; j < mixture_->parts.size(); ++j) {
            const auto& part = mixture_->parts[j];
            auto& theta = to.theta[j];
            if (part.shares_hole) {
                move_row(theta, slope.subspan(at, theta.size()), rate);
                at += theta.size();
                continue;
            }
            for (std::size_t p = 0; part.has_holes() && p < theta.size(); ++p)
                if (!part.parameters[p]) theta[p] = moved(*part.family, p, theta[p], rate * slope[at++]);
        }
    }

private:
    double unit(const MixtureFamily& family) const { return family.name == "lognormal" ? data_->log_sd : data_->sd; }

    double moved(const MixtureFamily& family, std::size_t p, double theta, double by) const {
        constexpr double furthest = 3;  // of a logarithm in one step
        switch (along(family, p)) {
            case Along::simplex: {
                double row[] = {theta, 1 - theta};
                const double slope[] = {by, -by};
                move_row(row, slope, 1);
                return row[0];
            }
            case Along::place:
                return theta + by * unit(family);
            case Along::logarithm: {
                const auto [low, high] = bounds_of(family, p, *data_);
                return std::clamp(theta * std::exp(std::clamp(by, -furthest, furthest)), low, high);
            }
        }
        return theta;
    }

    std::vector<double> open_weights(const MixtureParameters& p) const {
        std::vector<double> out;
        for (std::size_t j = 0; j < p.weights.size(); ++j)
            if (!mixture_->weights[j]) out.push_back(p.weights[j]);
        return out;
    }

    /// Appends the slopes of the part's holes; r: how many times each value counts here.
    void part_slope(const MixturePart& part, const std::vector<double>& theta, std::span<const double> r, std::vector<double>& out) const {
        if (part.shares_hole) {
            std::vector<double> counts(theta.size());
            for (std::size_t i = 0; i < r.size(); ++i) counts[static_cast<std::size_t>(data_->values[i])] += r[i];
            out.resize(out.size() + theta.size());
            row_slope(counts, theta, std::span(out).last(theta.size()));
            return;
        }
        for (std::size_t p = 0; p < theta.size(); ++p)
            if (!part.parameters[p])
                out.push_back(along(*part.family, p) == Along::simplex ? share_slope(part, theta, p, r) : slope_of(part, theta, p, r));
    }

    /// Of a probability of success: that of the row of success and failure.
    double share_slope(const MixturePart& part, const std::vector<double>& theta, std::size_t p, std::span<const double> r) const {
        double successes = 0;
        double failures = 0;
        const auto yes = part.family->name == "bernoulli" ? data_->domain->find(Label::of_bool(true)) : std::nullopt;
        for (std::size_t i = 0; i < r.size(); ++i) {
            const double x = data_->values[i];
            if (part.family->name == "bernoulli") {
                (yes && x == static_cast<double>(*yes) ? successes : failures) += r[i];
            } else {
                const bool tosses = part.family->name == "binomial";
                successes += r[i] * (tosses ? x : 1);
                failures += r[i] * (tosses ? theta[0] - x : x);
            }
        }
        const double counts[] = {successes, failures};
        const double row[] = {theta[p], 1 - theta[p]};
        double slope[2];
        row_slope(counts, row, slope);
        return slope[0];
    }

    /// Σ r d ln f(x; θ) / du, where u is what the parameter climbs along.
    double slope_of(const MixturePart& part, const std::vector<double>& theta, std::size_t p, std::span<const double> r) const {
        const std::string_view name = part.family->name;
        const auto sum = [&](auto f) {
            double total = 0;
            for (std::size_t i = 0; i < r.size(); ++i)
                if (r[i] > 0) total += r[i] * f(data_->values[i]);
            return total;
        };
        if (name == "normal" || name == "lognormal") {
            const auto z = [&](double x) { return ((name == "normal" ? x : std::log(x)) - theta[0]) / theta[1]; };
            if (p == 0) return sum(z) / theta[1] * unit(*part.family);
            return sum([&](double x) { return z(x) * z(x) - 1; });
        }
        if (name == "poisson") return sum([&](double x) { return x - theta[0]; });
        if (name == "exponential") return sum([&](double x) { return 1 - theta[0] * x; });
        return difference(part, theta, p, r);
    }

    /// The same by central differences.
    double difference(const MixturePart& part, const std::vector<double>& theta, std::size_t p, std::span<const double> r) const {
        constexpr double h = 1e-5;
        const bool place = along(*part.family, p) == Along::place;
        std::vector<double> shifted = theta;
        std::vector<double> above(r.size());
        std::vector<double> below(r.size());
        shifted[p] = place ? theta[p] + h * data_->sd : theta[p] * std::exp(h);
        log_densities(part, shifted, *data_, above);
        shifted[p] = place ? theta[p] - h * data_->sd : theta[p] * std::exp(-h);
        log_densities(part, shifted, *data_, below);
        double total = 0;
        for (std::size_t i = 0; i < r.size(); ++i)
            if (r[i] > 0) total += r[i] * (above[i] - below[i]);
        return total / (2 * h);
    }

    const Mixture* mixture_;
    const MixtureData* data_;
    const MixtureProblem* problem_;
    std::vector<double> z_;
};

}  // namespace

Status check_slopes(const Mixture& mixture, Origin origin) {
    for (std::size_t j = 0; j < mixture.parts.size(); ++j) {
        const auto& part = mixture.parts[j];
        if (!part.has_holes() || part.shares_hole) continue;
        const bool ends = part.family->name == "uniform";
        if (!ends && !(part.family->name == "laplace" && !part.parameters[0])) continue;
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("component {} of {} has no gradient to follow: {}", j + 1, mixture.name,
                                            ends ? "the likelihood of a uniform jumps at its ends"
                                                 : "the likelihood of a laplace has corners, and its top is one of them"),
                     .origin = origin,
                     .hint = "train it by em()"};
    }
    return Done{};
}

Result<EmOutcome<MixtureParameters>> climb_mixture(const Mixture& mixture, const MixtureData& data, const MixtureProblem& problem,
                                                   const TrainingOptions& options, Run& run) {
    MixtureClimb climb(mixture, data, problem);
    return best_of_starts<MixtureParameters>(problem, options.em, run, [&](std::size_t, MixtureParameters start) {
        return run_gradient<MixtureParameters>(climb, std::move(start), options.gradient, data.total, run);
    });
}

}  // namespace credence::rt
