#include "runtime/core/climb.hpp"

#include <algorithm>

#include "runtime/core/linalg.hpp"

namespace credence::rt {

namespace {

double product(std::span<const double> a, std::span<const double> b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
    return out;
}

}  // namespace

void climb(Summit& here, const Slopes& target, const std::function<bool()>& stopped, ClimbEnd end) {
    const std::size_t n = here.at.size();
    Matrix inverse(n, n);
    for (std::size_t i = 0; i < n; ++i) inverse(i, i) = 1;
    std::vector<double> direction(n);
    Summit next = here;
    constexpr int most_steps = 2000;
    for (int step = 0; step < most_steps && !stopped(); ++step) {
        for (std::size_t i = 0; i < n; ++i) direction[i] = product(inverse.row(i), here.slopes);
        double rise = product(direction, here.slopes);
        if (!(rise > 0)) {
            direction = here.slopes;
            rise = product(direction, here.slopes);
        }
        if (!(rise > 1e-18)) return;
        double length = step == 0 ? std::min(1.0, 1 / std::sqrt(rise)) : 1;
        bool found = false;
        for (int halving = 0; halving < 60 && !found; ++halving, length *= 0.5) {
            for (std::size_t i = 0; i < n; ++i) next.at[i] = here.at[i] + length * direction[i];
            next.height = target(next.at, next.slopes);
            found = next.height >= here.height + 1e-4 * length * rise && std::isfinite(next.height);
        }
        if (!found) return;
        std::vector<double> moved(n);
        std::vector<double> turned(n);  // of −ln p, so that its curvature is positive
        for (std::size_t i = 0; i < n; ++i) {
            moved[i] = next.at[i] - here.at[i];
            turned[i] = here.slopes[i] - next.slopes[i];
        }
        const double gained = next.height - here.height;
        const double curvature = product(moved, turned);
        if (curvature > 1e-14) {
            std::vector<double> along(n);
            for (std::size_t i = 0; i < n; ++i) along[i] = product(inverse.row(i), turned);
            const double scale = (1 + product(turned, along) / curvature) / curvature;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < n; ++k)
                    inverse(i, k) += scale * moved[i] * moved[k] - (along[i] * moved[k] + moved[i] * along[k]) / curvature;
        }
        here = next;
        if (gained < end.gain * (1 + std::abs(here.height)) && product(here.slopes, here.slopes) < end.squared_slopes) return;
    }
}

}  // namespace credence::rt
