#pragma once
// Special functions: the one unit that compiles Boost.Math. All take and give doubles; outside its domain a function is NaN.

#include <cstdint>

#include "runtime/core/rational.hpp"

namespace credence::rt {

/// A sum with Neumaier's correction: the rounding errors of the additions are carried along. Order still decides the last bit.
class CompensatedSum {
public:
    void add(double term);
    double value() const { return sum_ + correction_; }

private:
    double sum_ = 0;
    double correction_ = 0;
};

// --- gamma and its logarithms
double log_gamma(double x);          ///< ln Γ(x), x > 0
double digamma(double x);            ///< ψ(x) = d/dx ln Γ(x), x > 0
double digamma_minus_log(double x);  ///< ψ(x) − ln x without the cancellation of large x
double stirling_error(double x);     ///< ln Γ(x+1) − ((x + ½) ln x − x + ½ ln 2π), x > 0

// --- masses in Loader's saddle-point form ("Fast and accurate computation of binomial probabilities", 2000):
//     no difference of large logarithms, so they hold for parameters up to 1e15. x and n need not be whole numbers.
double deviance(double x, double mean);                            ///< x ln(x/mean) + mean − x
double log_poisson_mass(double x, double rate);                    ///< ln(rate^x e^−rate / Γ(x+1)); x, rate ≥ 0
double log_binomial_mass(double x, double n, double p, double q);  ///< ln(C(n, x) p^x q^(n−x)); 0 ≤ x ≤ n, p + q = 1

// --- distribution functions. Both tails are given, and quantiles take p with q = 1 − p, so that neither tail is lost to rounding.
double gamma_lower(double shape, double x);  ///< P(shape, x), regularised
double gamma_upper(double shape, double x);  ///< 1 − P(shape, x)
double gamma_quantile(double shape, double p, double q);
double beta_lower(double a, double b, double x, double y);  ///< I_x(a, b), y = 1 − x
double beta_quantile(double a, double b, double p, double q);
double normal_lower(double z);      ///< Φ(z); the upper tail is normal_lower(−z)
double log_normal_lower(double z);  ///< ln Φ(z), also where Φ(z) is too small for a double
double normal_quantile(double p, double q);
double student_t_lower(double degrees, double t);  ///< the upper tail is that of −t
double student_t_quantile(double degrees, double p, double q);

// --- exact
Rational factorial(std::int64_t n);                                                ///< n ≥ 0
Rational choose(std::int64_t n, std::int64_t k);                                   ///< n ≥ 0; 0 outside 0 ≤ k ≤ n
Rational exact_binomial_mass(std::int64_t n, const Rational& p, std::int64_t k);   ///< 0 ≤ p ≤ 1
Rational exact_binomial_lower(std::int64_t n, const Rational& p, std::int64_t k);  ///< P(X ≤ k); min(k, n − k) steps

}  // namespace credence::rt
