#pragma once
// The families of distributions by name: what a node `X ~ family(…)` of a net may be.

#include <span>
#include <string_view>
#include <vector>

#include "runtime/prob/distribution.hpp"

namespace credence::rt {

enum class Family {
    bernoulli,
    binomial,
    categorical,
    poisson,
    geometric,
    uniform,
    normal,
    lognormal,
    beta,
    gamma,
    exponential,
    laplace,
    student_t,
    dirichlet,
    multinormal
};

struct FamilyInfo {
    Family family{};
    std::string_view name;
    std::vector<std::string_view> parameters;
};
const FamilyInfo* find_family(std::string_view name);
const FamilyInfo& family_info(Family family);
const std::vector<FamilyInfo>& all_families();

/// With these numbers, checked as the family checks them. Of a categorical: one probability a label; of a dirichlet: the concentrations.
Result<DistributionPtr> make_distribution(Family family, std::span<const Number> parameters, std::span<const Label> labels = {});

}  // namespace credence::rt
