#pragma once
// Integrals of one variable by adaptive Gauss–Kronrod panels.

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace credence::rt {

/// The 15-point Kronrod rule on −1 to 1: points ascending, with their weights.
struct QuadratureNode {
    double x = 0;
    double weight = 0;
};
std::span<const QuadratureNode> kronrod_rule();

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

/// ∫ f from low to high, which may be infinite. The (ascending) breaks lie between them, where most of f is. Near an end f may be any power
/// of the distance: what lies beyond the last panel is then known in closed form. Infinite where the integral diverges.
double integral_to_ends(const std::function<double(double)>& f, std::vector<double> breaks, double low, double high, double tolerance);

/// What is left of a sum or an integral beyond t > 0, where f(t), f(2 t) and f(4 t) go on as a power of t; infinite if that diverges,
/// nothing where they do not.
std::optional<double> rest_of_power(double at, double twice, double four_times, double t);

}  // namespace credence::rt
