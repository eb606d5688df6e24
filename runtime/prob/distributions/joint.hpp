#pragma once
// Several numbers together, by name: what P(mu, tau | …) answers.

#include <span>
#include <string>
#include <vector>

#include "runtime/prob/distributions/distribution.hpp"

namespace credence::rt {

/// The joint distribution of equally probable draws; a column of draws for each name.
DistributionPtr make_joint_samples(std::vector<std::string> names, std::vector<std::vector<double>> columns);
/// A distribution over vectors whose coordinates have names.
DistributionPtr with_names(DistributionPtr distribution, std::vector<std::string> names);

/// The names of the coordinates; empty where they have none.
std::span<const std::string> coordinate_names(const Distribution& distribution);
/// The draws of joint samples, a column for each name; null for every other distribution.
const std::vector<std::vector<double>>* joint_draws(const Distribution& distribution);
/// The distribution of one coordinate; null where it is not known, and for distributions that are not over vectors.
DistributionPtr coordinate(const Distribution& distribution, std::size_t i);
/// How many numbers a vector has.
std::size_t dimension_of(const Distribution& distribution);

}  // namespace credence::rt
