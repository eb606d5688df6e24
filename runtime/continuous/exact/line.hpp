#pragma once
// A distribution on a line with points along it from end to end, and what is done along it: roots, segments, integrals.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/core/search.hpp"

namespace credence::rt::continuous {

struct Line {
    DistributionPtr d;
    double low = -INFINITY;  ///< the ends of what it can be
    double high = INFINITY;
    std::vector<double> points = {};

    Line() = default;
    /// With `far`, the points go on as far as a double can tell that something is left: for what is rare.
    Line(DistributionPtr distribution, int levels, bool far = false);
    explicit Line(const Slice& slice, int levels = 24);

    bool whole() const { return d->support() == Support::integers; }
    double mass(double from, double to) const;

private:
    void outwards(double width, bool up);
};

/// Where a function changes its sign along the points, also where it does so twice between two of them and turns in between.
template <class F>
void add_roots(const F& f, std::span<const double> points, std::vector<double>& out) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const double x : points) values.push_back(f(x));
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (values[i] == 0) out.push_back(points[i]);
        if (i > 0 && values[i - 1] * values[i] < 0) out.push_back(root_between(f, points[i - 1], values[i - 1], points[i], values[i]));
        if (i == 0 || i + 1 == points.size()) continue;
        const double before = values[i - 1];
        const double after = values[i + 1];
        const bool nearest = before * values[i] > 0 && after * values[i] > 0 && std::abs(values[i]) <= std::abs(before) &&
                             std::abs(values[i]) < std::abs(after);
        if (!nearest) continue;
        const double sign = values[i] > 0 ? -1 : 1;
        const double turn = peak_between([&](double x) { return sign * f(x); }, points[i - 1], points[i + 1]);
        const double there = f(turn);
        if (!(there * values[i] < 0)) continue;
        out.push_back(root_between(f, points[i - 1], before, turn, there));
        out.push_back(root_between(f, turn, there, points[i + 1], after));
    }
}

struct Segment {
    double low = -INFINITY;
    double high = INFINITY;
};

/// The pieces of a line on which a condition holds; `at` gives its truth, the roots are where that may change.
template <class Truth>
std::vector<Segment> segments_where(const Truth& at, std::vector<double> roots, double low, double high, bool merged = true) {
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    std::erase_if(roots, [&](double r) { return !(r > low && r < high); });
    std::vector<Segment> out;
    for (std::size_t k = 0; k <= roots.size(); ++k) {
        const double from = k == 0 ? low : roots[k - 1];
        const double to = k == roots.size() ? high : roots[k];
        const double inside = std::isfinite(from) && std::isfinite(to) ? 0.5 * (from + to)
                              : std::isfinite(from)                    ? from + 1 + std::abs(from)
                              : std::isfinite(to)                      ? to - 1 - std::abs(to)
                                                                       : 0;
        if (!at(inside)) continue;
        if (merged && !out.empty() && out.back().high == from)
            out.back().high = to;
        else
            out.push_back({from, to});
    }
    return out;
}

std::vector<double> cut_breaks(std::span<const double> points, const Segment& segment);

double density_of(const Distribution& d, double x);

/// The mean of f; the breaks are where f changes its form. Whole numbers are summed. Infinite where the integral diverges.
double integral_along(const Line& line, std::vector<double> breaks, const std::function<double(double)>& f);

}  // namespace credence::rt::continuous
