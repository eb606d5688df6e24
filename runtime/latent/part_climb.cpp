#include "runtime/latent/part_climb.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/learning/training_methods.hpp"

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

/// Σ r ∂ ln f(x; θ) / ∂θ_p
double slope_at(const FamilyInfo& family, const std::vector<double>& theta, std::size_t p, const WeightedValues& values) {
    return values.sum([&](double x) { return family.log_density(x, theta.data()).dp[p]; });
}

/// Of a probability of success: that of the row of success and failure. The slope is successes / p − failures / (1 − p) at any p,
/// so that two of them give both counts.
double share_slope(const FamilyInfo& family, std::vector<double> theta, std::size_t p, const WeightedValues& values) {
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

}  // namespace

double PartClimb::unit(Role role) const { return role == Role::angle ? 1 : role == Role::log_place ? data_->log_sd : data_->sd; }

double PartClimb::moved(Role role, double theta, double by) const {
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

void PartClimb::slope(const MixturePart& part, const std::vector<double>& theta, std::span<const double> r,
                      std::vector<double>& out) const {
    if (!part.has_holes()) return;
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

void PartClimb::move(const MixturePart& part, std::span<const double>& slope, double rate, std::vector<double>& theta) const {
    if (!part.has_holes()) return;
    if (part.shares_hole) {
        move_row(theta, slope.first(theta.size()), rate);
        slope = slope.subspan(theta.size());
        return;
    }
    for (std::size_t p = 0; p < theta.size(); ++p) {
        if (part.parameters[p]) continue;
        theta[p] = moved(part.family->parameters[p].role, theta[p], rate * slope.front());
        slope = slope.subspan(1);
    }
}

Status check_slopes(const MixturePart& part, const std::string& what, Origin origin) {
    if (!part.has_holes() || part.shares_hole) return Done{};
    bool ends = false;
    bool corner = false;
    for (std::size_t p = 0; p < part.parameters.size(); ++p) {
        const Role role = part.family->parameters[p].role;
        ends = ends || (!part.parameters[p] && (role == Role::low_end || role == Role::high_end));
        corner = corner || (!part.parameters[p] && role == Role::corner);
    }
    if (!ends && !corner) return Done{};
    return Fault{
        .code = "E-TRAIN",
        .message = fmt::format("{} has no gradient to follow: {}", what,
                               ends ? fmt::format("the likelihood of a {} jumps at its ends", part.family->name)
                                    : fmt::format("the likelihood of a {} has corners, and its top is one of them", part.family->name)),
        .origin = origin,
        .hint = "train it by em()"};
}

}  // namespace credence::rt
