#pragma once
// Terms over one axis or two as curves: where they may jump, bend or change their sign.

#include <vector>

#include "runtime/prob/terms/term.hpp"

namespace credence::rt::continuous {

inline constexpr VarId first_axis = static_cast<VarId>(0);
inline constexpr VarId second_axis = static_cast<VarId>(1);

bool stands_in(const Term& term, VarId v);

/// Whether it is α + β v, where α and β do not depend on v.
bool is_affine_in(const Term& term, VarId v);
/// β of a term that is affine in v.
Term slope_in(const Term& term, VarId v);

double value_at(const Term& term, double x, double y);

/// Differences whose sign decides about the truth of a condition, or about the branch that a choice takes.
void collect_curves(const Term& term, std::vector<Term>& out);
void collect_poles(const Term& term, std::vector<Term>& out);

/// max(A, B) < c as A < c and B < c, and so on: comparisons without corners in what they compare.
Term without_corners(const Term& term);

/// Whether it has steps at every whole number, which cannot be followed like curves.
bool is_rounded(const Term& term);

}  // namespace credence::rt::continuous
