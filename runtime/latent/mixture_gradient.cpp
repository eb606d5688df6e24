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

Along along(Role role) {
    if (role == Role::probability) return Along::simplex;
    const bool place = role == Role::place || role == Role::log_place || role == Role::angle;
    return place ? Along::place : Along::logarithm;
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
                if (!part.parameters[p]) theta[p] = moved(part.family->parameters[p].role, theta[p], rate * slope[at++]);
        }
    }

private:
    double unit(Role role) const { return role == Role::angle ? 1 : role == Role::log_place ? data_->log_sd : data_->sd; }

    double moved(Role role, double theta, double by) const {
        constexpr double furthest = 3;  // of a logarithm in one step
        switch (along(role)) {
            case Along::simplex: {
                double row[] = {theta, 1 - theta};
                const double slope[] = {by, -by};
                move_row(row, slope, 1);
                return row[0];
            }
            case Along::place:
                return theta + by * unit(role);
            case Along::logarithm: {
                const auto [low, high] = learned_bounds(role, data_->sd, data_->log_sd);
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
        const ComponentValues values(*data_, r);
        for (std::size_t p = 0; p < theta.size(); ++p) {
            if (part.parameters[p]) continue;
            const Role role = part.family->parameters[p].role;
            if (along(role) == Along::simplex)
                out.push_back(share_slope(*part.family, theta, p, *values));
            else
                out.push_back(slope_at(*part.family, theta, p, *values) * (along(role) == Along::place ? unit(role) : theta[p]));
        }
    }

    /// Σ r ∂ ln f(x; θ) / ∂θ_p
    static double slope_at(const FamilyInfo& family, const std::vector<double>& theta, std::size_t p, const WeightedValues& values) {
        return values.sum([&](double x) { return family.log_density(x, theta.data()).dp[p]; });
    }

    /// Of a probability of success: that of the row of success and failure. The slope is successes / p − failures / (1 − p) at any p,
    /// so that two of them give both counts.
    static double share_slope(const FamilyInfo& family, std::vector<double> theta, std::size_t p, const WeightedValues& values) {
        const double now = theta[p];
        theta[p] = 0.5;
        const double at_half = slope_at(family, theta, p, values);
        theta[p] = 0.25;
        const double at_quarter = slope_at(family, theta, p, values);
        const double successes = std::max(0.0, (3 * at_quarter - 2 * at_half) / 8);
        const double counts[] = {successes, std::max(0.0, successes - at_half / 2)};
        const double row[] = {now, 1 - now};
        double slope[2];
        row_slope(counts, row, slope);
        return slope[0];
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
        bool ends = false;
        bool corner = false;
        for (std::size_t p = 0; p < part.parameters.size(); ++p) {
            const Role role = part.family->parameters[p].role;
            ends = ends || (!part.parameters[p] && (role == Role::low_end || role == Role::high_end));
            corner = corner || (!part.parameters[p] && role == Role::corner);
        }
        if (!ends && !corner) continue;
        return Fault{
            .code = "E-TRAIN",
            .message = fmt::format("component {} of {} has no gradient to follow: {}", j + 1, mixture.name,
                                   ends ? fmt::format("the likelihood of a {} jumps at its ends", part.family->name)
                                        : fmt::format("the likelihood of a {} has corners, and its top is one of them", part.family->name)),
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
