#pragma once
// Integrals of one variable by adaptive Gauss–Kronrod panels.

#include <functional>
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

/// More breaks at the end of them, ever further apart, up to where nothing of f is left; false if there always is: its integral is
/// infinite. Functions that grow fast are large where a distribution has almost nothing.
bool reach_out(const std::function<double(double)>& f, std::vector<double>& breaks);

}  // namespace credence::rt
