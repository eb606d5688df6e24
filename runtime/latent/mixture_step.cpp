#include "runtime/latent/mixture_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace credence::rt {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

ComponentValues::ComponentValues(const MixtureData& data, std::span<const double> r) {
    values_ = {.values = data.values, .weights = r, .sd = data.sd, .log_sd = data.log_sd};
    for (const double x : r) values_.total += x;
    if (!data.domain) return;
    const auto yes = data.domain->find(Label::of_bool(true));
    for (const double x : data.values) truths_.push_back(yes && x == static_cast<double>(*yes) ? 1 : 0);
    values_.values = truths_;
}

KnownParameters known_parameters(const MixturePart& part) {
    KnownParameters out;
    for (const auto& p : part.parameters) out.push_back(p.has_value());
    return out;
}

LearnedBounds learned_bounds(Role role, double sd, double log_sd) {
    constexpr double most = std::numeric_limits<double>::max();
    const double floor = least_component_spread * sd;
    switch (role) {
        case Role::spread:
            return {floor, most};
        case Role::log_spread:
            return {least_component_spread * log_sd, most};
        case Role::inverse_spread:
            return {1e-300, 1 / floor};
        case Role::shape:
            return {1e-8, most_shape};
        case Role::degrees:
            return {0.1, 1e4};
        case Role::positive:
            return {1e-12, most};
        case Role::probability:
            return {1e-12, 1 - 1e-12};
        case Role::place:
        case Role::corner:
        case Role::log_place:
        case Role::angle:
        case Role::low_end:
        case Role::high_end:
        case Role::fixed:
            break;
    }
    return {-most, most};
}

void log_densities(const MixturePart& part, std::span<const double> theta, const MixtureData& data, std::span<double> out) {
    if (part.shares_hole) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::log(theta[static_cast<std::size_t>(data.values[i])]);
        return;
    }
    if (part.family && part.family->log_densities) return part.family->log_densities(data.values, theta.data(), out);
    DistributionPtr d = part.given;
    if (!d) {
        std::vector<Number> numbers;
        for (std::size_t p = 0; p < theta.size(); ++p) numbers.push_back(part.parameters[p].value_or(Number::real(theta[p])));
        auto made = part.family->make(numbers, {});
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
    const ComponentValues values(data, r);
    if (part.family->maximise)
        part.family->maximise(*values, known_parameters(part), theta);
    else
        maximise_numerically(*part.family, *values, known_parameters(part), theta);
}

std::vector<double> most_likely(const MixturePart& part, const MixtureData& data, std::span<const double> r) {
    std::vector<double> theta;
    for (const auto& known : part.parameters) theta.push_back(known ? known->real() : 1);
    if (part.shares_hole) theta.assign(data.domain->size(), 1 / static_cast<double>(data.domain->size()));
    if (const ComponentValues values(data, r); part.family && part.family->start && (*values).total > 0)
        part.family->start(*values, known_parameters(part), theta);
    maximise(part, data, r, theta);
    return theta;
}

bool at_bound(const MixturePart& part, const MixtureData& data, std::span<const double> theta) {
    if (!part.has_holes() || part.shares_hole) return false;
    for (std::size_t p = 0; p < theta.size(); ++p) {
        if (part.parameters[p]) continue;
        const Role role = part.family->parameters[p].role;
        const auto [low, high] = learned_bounds(role, data.sd, data.log_sd);
        const bool spread = role == Role::spread || role == Role::log_spread;
        if (spread && theta[p] <= low * (1 + 1e-9)) return true;
        if ((role == Role::shape || role == Role::inverse_spread) && theta[p] >= high * (1 - 1e-9)) return true;
        if (role == Role::high_end && theta[p] - theta[p - 1] <= least_component_spread * data.sd * (1 + 1e-9)) return true;
    }
    return false;
}

}  // namespace credence::rt
