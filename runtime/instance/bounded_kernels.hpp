#pragma once
// Kernels that end: their weight at distance u, in units of their width.

namespace credence::rt {

/// With the margins of Cleveland's lowess.
inline double tricube_weight(double u) {
    const double v = 1 - u * u * u;
    return u <= 0.001 ? 1 : u <= 0.999 ? v * v * v : 0;
}

inline double epanechnikov_weight(double u) { return u < 1 ? 1 - u * u : 0; }

}  // namespace credence::rt
