#pragma once
// Incomplete gamma and beta functions of large parameters, where the series of Boost.Math 1.74 give up: the uniform expansions of Temme
// ("The asymptotic expansion of the incomplete gamma functions", 1979; "Incomplete Laplace integrals: uniform asymptotic expansion with
// application to the incomplete beta function", 1987). The terms kept here err by less than 1e-12 from these parameters on.

namespace credence::rt {

constexpr double large_parameter = 1e7;

double large_gamma_lower(double shape, double x);  ///< P(shape, x); shape ≥ large_parameter, x > 0
double large_gamma_upper(double shape, double x);
double large_gamma_quantile(double shape, double p, double q);  ///< 0 < p < 1, q = 1 − p

double large_beta_lower(double a, double b, double x, double y);     ///< I_x(a, b), y = 1 − x; a, b ≥ large_parameter
double large_beta_quantile(double a, double b, double p, double q);  ///< 0 < p < 1, q = 1 − p

}  // namespace credence::rt
