#pragma once
// Families within limits, each made from another one: `normal(0, 1) in 0..∞`, and the members of a plate in their order.

#include <string>

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt {

/// The parameters of the base, then the two ends; ±∞ if there is none. Null if the base is over labels or lists.
const FamilyInfo* truncated_family(Family base);

/// The smallest of `left` draws that are all above `low`: parameters of the base, then low and left. Drawn one after the other with left =
/// n, n − 1, …, 1 and each above the last, these are n independent draws of the base in ascending order: the densities multiply to n! Π
/// f(xᵢ). Null if the base is not over real numbers.
const FamilyInfo* ordered_family(Family base);

/// One of the above by its name: "truncated_normal", "ordered_normal"; null if there is none.
const FamilyInfo* find_derived_family(std::string_view name);

/// A distribution given that it lies between the ends; E-PARAMETER if the ends are in the wrong order, E-ZERO if nothing lies there.
Result<DistributionPtr> make_truncated(DistributionPtr base, const Number& low, const Number& high);

/// As a script writes it: "normal(m, 1) in 0..∞".
std::string drawn_text(const FamilyInfo& family, std::span<const std::string> parameters);

}  // namespace credence::rt
