#pragma once
// Least squares: y = w0 + Σ w x, by pivoted QR in doubles, in fractions where the table is small and exact.

#include "runtime/regression/linear_model.hpp"

namespace credence::rt {

LearnerPtr make_regression();

}  // namespace credence::rt
