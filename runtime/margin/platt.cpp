#include "runtime/margin/platt.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace credence::rt {

double PlattSigmoid::at(double decision) const {
    const double z = slope * decision + offset;
    return z >= 0 ? std::exp(-z) / (1 + std::exp(-z)) : 1 / (1 + std::exp(z));
}

PlattSigmoid fit_platt(std::span<const double> decisions, std::span<const signed char> signs) {
    const std::size_t n = decisions.size();
    double positive = 0;
    for (const auto s : signs) positive += s > 0;
    const double negative = static_cast<double>(n) - positive;
    // Targets a little inside 0 and 1: the maximum a posteriori ones for a uniform prior on P.
    const double high = (positive + 1) / (positive + 2);
    const double low = 1 / (negative + 2);
    PlattSigmoid s{0, std::log((negative + 1) / (positive + 1))};
    const auto loss = [&](const PlattSigmoid& at) {
        double out = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double z = decisions[i] * at.slope + at.offset;
            const double t = signs[i] > 0 ? high : low;
            out += z >= 0 ? t * z + std::log1p(std::exp(-z)) : (t - 1) * z + std::log1p(std::exp(z));
        }
        return out;
    };
    double now = loss(s);
    for (int step = 0; step < 100; ++step) {
        double h11 = 1e-12, h22 = 1e-12, h21 = 0, g1 = 0, g2 = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double p = s.at(decisions[i]);
            const double d2 = p * (1 - p);
            const double d1 = (signs[i] > 0 ? high : low) - p;
            h11 += decisions[i] * decisions[i] * d2;
            h22 += d2;
            h21 += decisions[i] * d2;
            g1 += decisions[i] * d1;
            g2 += d1;
        }
        if (std::abs(g1) < 1e-8 && std::abs(g2) < 1e-8) break;
        const double det = h11 * h22 - h21 * h21;
        const double da = -(h22 * g1 - h21 * g2) / det;
        const double db = -(-h21 * g1 + h11 * g2) / det;
        const double descent = g1 * da + g2 * db;
        double share = 1;
        while (share >= 1e-10) {
            const PlattSigmoid next{s.slope + share * da, s.offset + share * db};
            if (const double there = loss(next); there < now + 1e-4 * share * descent) {
                s = next;
                now = there;
                break;
            }
            share /= 2;
        }
        if (share < 1e-10) break;
    }
    return s;
}

std::vector<double> couple(std::span<const double> r, std::size_t k) {
    std::vector<double> p(k, 1 / static_cast<double>(k));
    std::vector<double> q(k * k, 0.0);
    std::vector<double> qp(k);
    for (std::size_t t = 0; t < k; ++t)
        for (std::size_t j = 0; j < k; ++j) {
            if (j == t) continue;
            q[t * k + t] += r[j * k + t] * r[j * k + t];
            q[t * k + j] = -r[j * k + t] * r[t * k + j];
        }
    for (std::size_t round = 0; round < std::max<std::size_t>(100, k); ++round) {
        double pqp = 0;
        for (std::size_t t = 0; t < k; ++t) {
            qp[t] = 0;
            for (std::size_t j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
            pqp += p[t] * qp[t];
        }
        double worst = 0;
        for (std::size_t t = 0; t < k; ++t) worst = std::max(worst, std::abs(qp[t] - pqp));
        if (worst < 1e-7 / static_cast<double>(k)) break;
        for (std::size_t t = 0; t < k; ++t) {
            const double diff = (pqp - qp[t]) / q[t * k + t];
            p[t] += diff;
            pqp = (pqp + diff * (diff * q[t * k + t] + 2 * qp[t])) / (1 + diff) / (1 + diff);
            for (std::size_t j = 0; j < k; ++j) {
                qp[j] = (qp[j] + diff * q[t * k + j]) / (1 + diff);
                p[j] /= 1 + diff;
            }
        }
    }
    return p;
}

}  // namespace credence::rt
