#include "runtime/continuous/exact/regions.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/core/search.hpp"
#include "runtime/prob/distributions/expectation.hpp"

namespace credence::rt::continuous {

namespace {

/// Points from one end of the distribution to the other, dense where it is.
std::vector<double> points_along(const Distribution& distribution) {
    std::vector<double> ends;
    constexpr int levels = 240;
    for (int i = 0; i <= levels; ++i) {
        // From 1e-15 to 1 − 1e-15.
        const double z = (static_cast<double>(i) / levels * 2 - 1) * 34.5;
        const auto q = distribution.quantile(Number::real(1 / (1 + std::exp(-z))));
        if (q && std::isfinite(q->real()) && (ends.empty() || q->real() > ends.back())) ends.push_back(q->real());
    }
    if (ends.size() < 2) return ends;
    // Outwards to where nothing is left that a double could tell.
    const auto outwards = [&](bool up) {
        const double width = ends.back() - ends.front();
        double step = width / 60;
        double at = up ? ends.back() : ends.front();
        std::vector<double> out;
        for (int i = 0; i < 200; ++i, step *= 1.05) {
            const auto left = up ? distribution.above(Number::real(at)) : distribution.cdf(Number::real(at));
            if (!left || !(left->real() > 0)) break;
            out.push_back(at += up ? step : -step);
        }
        return out;
    };
    auto below = outwards(false);
    const auto above = outwards(true);
    std::reverse(below.begin(), below.end());
    below.insert(below.end(), ends.begin(), ends.end());
    below.insert(below.end(), above.begin(), above.end());
    std::vector<double> out;
    constexpr int pieces = 4;
    for (std::size_t i = 0; i + 1 < below.size(); ++i)
        for (int k = 0; k < pieces; ++k) out.push_back(below[i] + (below[i + 1] - below[i]) * k / pieces);
    out.push_back(below.back());
    return out;
}

/// Where f comes near a mark between two points and turns: it may have met it in between.
std::vector<double> turns(const std::vector<double>& points, const Curve& curve) {
    const auto& f = curve.f;
    std::vector<double> values;
    for (const double x : points) values.push_back(f(x));
    std::vector<double> out;
    for (const auto& mark : curve.marks) {
        const double m = mark.real();
        for (std::size_t i = 1; i + 1 < points.size(); ++i) {
            const double before = values[i - 1] - m;
            const double here = values[i] - m;
            const double after = values[i + 1] - m;
            if (!(before * here > 0 && here * after > 0)) continue;
            if (std::abs(here) > std::abs(before) || std::abs(here) > std::abs(after)) continue;
            const double sign = here > 0 ? -1 : 1;
            out.push_back(peak_between([&](double x) { return sign * (f(x) - m); }, points[i - 1], points[i + 1]));
        }
    }
    return out;
}

}  // namespace

Result<Number> mass_by_marks(const Distribution& distribution, std::vector<Number> marks, const std::function<bool(double)>& holds) {
    std::sort(marks.begin(), marks.end());
    marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
    const bool counts = distribution.support() == Support::integers;
    Number total = 0;
    for (std::size_t k = 0; k <= marks.size(); ++k) {
        const Number* left = k == 0 ? nullptr : &marks[k - 1];
        const Number* right = k == marks.size() ? nullptr : &marks[k];
        const double inside = left && right ? 0.5 * (left->real() + right->real())
                              : left        ? left->real() + 1 + std::abs(left->real())
                              : right       ? right->real() - 1 - std::abs(right->real())
                                            : 0;
        Number point = 0;
        if (counts && right) {
            auto at = distribution.pdf(*right);
            if (!at) return at;
            point = *at;
        }
        if (holds(inside)) {
            auto mass = mass_between(distribution, left, right);
            if (!mass) return mass;
            if (!(*mass < point)) total += *mass - point;
        }
        if (counts && right && holds(right->real())) total += point;
    }
    return total > Number(1) ? Number(1) : total;
}

Result<Number> mass_of_region(const Distribution& distribution, std::span<const Curve> curves, const std::function<bool(double)>& holds) {
    if (distribution.support() == Support::integers) {
        double sum = 0;
        for (const auto& [k, mass] : quadrature_nodes(distribution)) sum += holds(k) ? mass : 0;
        return Number::real(std::min(1.0, sum));
    }
    std::vector<double> points = points_along(distribution);
    std::vector<double> more;
    for (const auto& curve : curves)
        for (const double x : turns(points, curve)) more.push_back(x);
    points.insert(points.end(), more.begin(), more.end());
    std::sort(points.begin(), points.end());
    std::vector<Number> boundaries;
    bool before = !points.empty() && holds(points[0]);
    const bool first = before;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (holds(points[i]) == before) continue;
        double low = points[i - 1];
        double high = points[i];
        for (int step = 0; step < 200; ++step) {
            const double middle = 0.5 * (low + high);
            if (!(middle > low && middle < high)) break;
            (holds(middle) == before ? low : high) = middle;
        }
        boundaries.push_back(Number::real(0.5 * (low + high)));
        before = !before;
    }
    double sum = 0;
    bool inside = first;
    for (std::size_t k = 0; k <= boundaries.size(); ++k, inside = !inside) {
        if (!inside) continue;
        auto mass = mass_between(distribution, k == 0 ? nullptr : &boundaries[k - 1], k == boundaries.size() ? nullptr : &boundaries[k]);
        if (!mass) return mass;
        sum += mass->real();
    }
    return Number::real(std::min(1.0, sum));
}

}  // namespace credence::rt::continuous
