#pragma once
// Gradient ascent over the holes of one distribution: a component of a mixture, or the emissions of a hidden state.

#include <span>
#include <string>
#include <vector>

#include "runtime/latent/mixture_step.hpp"

namespace credence::rt {

class PartClimb {
public:
    explicit PartClimb(const MixtureData& data) : data_(&data) {}

    /// Appends the slopes of the part's holes; r: how many times each value counts here.
    void slope(const MixturePart& part, const std::vector<double>& theta, std::span<const double> r, std::vector<double>& out) const;
    /// Moves the holes along their slopes, and takes these from the front.
    void move(const MixturePart& part, std::span<const double>& slope, double rate, std::vector<double>& theta) const;

private:
    double unit(Role role) const;
    double moved(Role role, double theta, double by) const;

    const MixtureData* data_;
};

/// E-TRAIN if a hole has no slope to follow: the ends of a uniform, the middle of a Laplace. `what`: "component 2 of M".
Status check_slopes(const MixturePart& part, const std::string& what, Origin origin);

}  // namespace credence::rt
