#include "runtime/instance/rbf_centers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace credence::rt {

namespace {

double square_between(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

/// k-means++ (Arthur & Vassilvitskii 2007): the next seed is drawn in proportion to the squared distance from those there are.
Matrix spread_seeds(const Matrix& points, std::size_t n, Rng& rng) {
    Matrix out(n, points.columns);
    std::vector<double> away(points.rows, std::numeric_limits<double>::infinity());
    std::size_t pick = rng.below(points.rows);
    for (std::size_t k = 0; k < n; ++k) {
        std::copy(points.row(pick).begin(), points.row(pick).end(), out.row(k).begin());
        double total = 0;
        for (std::size_t i = 0; i < points.rows; ++i) {
            away[i] = std::min(away[i], square_between(points.row(i), out.row(k)));
            total += away[i];
        }
        double left = rng.uniform() * total;
        pick = points.rows - 1;
        for (std::size_t i = 0; i < points.rows; ++i) {
            left -= away[i];
            if (left < 0) {
                pick = i;
                break;
            }
        }
    }
    return out;
}

}  // namespace

Matrix random_centers(const Matrix& points, std::size_t n, Rng rng) {
    std::vector<std::size_t> order(points.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < n; ++i) std::swap(order[i], order[i + rng.below(points.rows - i)]);
    order.resize(n);
    std::sort(order.begin(), order.end());
    Matrix out(n, points.columns);
    for (std::size_t k = 0; k < n; ++k) std::copy(points.row(order[k]).begin(), points.row(order[k]).end(), out.row(k).begin());
    return out;
}

Matrix grid_centers(const Matrix& points, std::size_t n) {
    const std::size_t d = points.columns;
    std::vector<std::size_t> steps(d, 1);
    const auto total = [&] { return std::accumulate(steps.begin(), steps.end(), std::size_t{1}, std::multiplies<>()); };
    // Axes grow in turn, so that no two differ by more than one step.
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t c = 0; c < d; ++c) {
            ++steps[c];
            if (total() > n)
                --steps[c];
            else
                grown = true;
        }
    }
    Matrix out(total(), d);
    for (std::size_t c = 0; c < d; ++c) {
        double low = points(0, c);
        double high = low;
        for (std::size_t i = 0; i < points.rows; ++i) {
            low = std::min(low, points(i, c));
            high = std::max(high, points(i, c));
        }
        std::size_t repeat = 1;
        for (std::size_t b = c + 1; b < d; ++b) repeat *= steps[b];
        for (std::size_t k = 0; k < out.rows; ++k) {
            const std::size_t step = k / repeat % steps[c];
            out(k, c) =
                steps[c] == 1 ? (low + high) / 2 : low + (high - low) * static_cast<double>(step) / static_cast<double>(steps[c] - 1);
        }
    }
    return out;
}

Matrix em_centers(const Matrix& points, std::size_t n, Rng rng, const Run& run) {
    constexpr std::size_t iterations = 100;
    const std::size_t rows = points.rows;
    const auto d = static_cast<double>(points.columns);
    Matrix means = spread_seeds(points, n, rng);
    double spread = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < n; ++k) nearest = std::min(nearest, square_between(points.row(i), means.row(k)));
        spread += nearest;
    }
    const double start = spread / (static_cast<double>(rows) * d);
    if (!(start > 0)) return means;
    std::vector<double> variances(n, start);
    std::vector<double> shares(n, 1.0 / static_cast<double>(n));
    std::vector<double> logs(n);
    double before = -std::numeric_limits<double>::infinity();
    for (std::size_t pass = 0; pass < iterations; ++pass) {
        Matrix sums(n, points.columns);
        std::vector<double> weights(n, 0.0);
        std::vector<double> squares(n, 0.0);
        double likelihood = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            if (run.stopped()) return means;
            double top = -std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < n; ++k) {
                logs[k] = std::log(shares[k]) - 0.5 * d * std::log(variances[k]) -
                          square_between(points.row(i), means.row(k)) / (2 * variances[k]);
                top = std::max(top, logs[k]);
            }
            double total = 0;
            for (std::size_t k = 0; k < n; ++k) total += std::exp(logs[k] - top);
            likelihood += top + std::log(total);
            for (std::size_t k = 0; k < n; ++k) {
                const double r = std::exp(logs[k] - top) / total;
                weights[k] += r;
                for (std::size_t c = 0; c < points.columns; ++c) sums(k, c) += r * points(i, c);
                squares[k] += r * square_between(points.row(i), means.row(k));
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            if (!(weights[k] > 1e-9)) continue;
            double moved = 0;
            for (std::size_t c = 0; c < points.columns; ++c) {
                const double mean = sums(k, c) / weights[k];
                moved += (mean - means(k, c)) * (mean - means(k, c));
                means(k, c) = mean;
            }
            // about the new mean, and never so narrow that one point is all of it
            variances[k] = std::max((squares[k] / weights[k] - moved) / d, start * 1e-6);
            shares[k] = weights[k] / static_cast<double>(rows);
        }
        if (likelihood - before < 1e-9 * std::abs(likelihood)) break;
        before = likelihood;
    }
    return means;
}

std::vector<double> nearest_center_widths(const Matrix& centers, double factor) {
    std::vector<double> out(centers.rows, 0.0);
    for (std::size_t k = 0; k < centers.rows; ++k) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < centers.rows; ++j) {
            const double square = square_between(centers.row(k), centers.row(j));
            if (square > 0) nearest = std::min(nearest, square);
        }
        out[k] = std::isfinite(nearest) ? factor * std::sqrt(nearest) : 1;
    }
    return out;
}

}  // namespace credence::rt
