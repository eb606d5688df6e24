#pragma once
// Integrals of one variable by adaptive Gauss–Kronrod panels, and distributions that are known by such integrals or by draws.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/continuous/density.hpp"
#include "runtime/prob/declared/continuous_net.hpp"

namespace credence::rt::continuous {

struct Panel {
    double low = 0;
    double high = 0;
    double integral = 0;
    double error = 0;
};
/// One panel by the 15-point Kronrod rule (Piessens et al., QUADPACK); the error is its distance to the 7-point Gauss rule inside it.
Panel integrate_panel(const std::function<double(double)>& f, double low, double high);
/// Panels between the (ascending) breaks, halved where the error is largest, until it is below `tolerance` of the whole. Ascending.
std::vector<Panel> integrate(const std::function<double(double)>& f, std::span<const double> breaks, double tolerance);

/// A number x on the range of its family as a function of an unbounded u.
struct Coordinate {
    Range range = Range::line;
    double low = 0;   ///< Range::between
    double high = 1;  ///< Range::between
    double x(double u) const;
    double u(double x) const;          ///< ±∞ at the ends and beyond
    double log_slope(double u) const;  ///< ln dx/du
};

/// A density known up to a constant: `log_weight(u)` is its logarithm over u, slope included. `scan` are ascending points of u that
/// reach where its bulk may be. Nothing where it is nowhere positive.
struct NumericDensity {
    DistributionPtr distribution;  ///< "density"
    double log_total = 0;          ///< ln ∫ exp(log_weight)
};
std::optional<NumericDensity> numeric_density(std::function<double(double)> log_weight, const Coordinate& coordinate,
                                              std::span<const double> scan);

/// "samples": the distribution of equally probable draws. Its density is a normal kernel estimate (Silverman's width).
DistributionPtr make_samples(std::vector<double> values);

/// More breaks at the end of them, ever further apart, up to where nothing of f is left; false where there always is: its integral is
/// infinite. Functions that grow fast are large where a distribution has almost nothing.
bool reach_out(const std::function<double(double)>& f, std::vector<double>& breaks);

/// Points and weights for sums over a distribution: ∫ g dF ≈ Σ w g(x), the weights normalised.
std::vector<std::pair<double, double>> nodes_of(const Distribution& distribution);

}  // namespace credence::rt::continuous
