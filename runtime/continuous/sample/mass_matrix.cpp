#include "runtime/continuous/sample/mass_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_dense = 200;  // numbers

}  // namespace

WindowMoments::WindowMoments(std::size_t dimension)
    : dense_(dimension > 1 && dimension <= most_dense),
      mean_(dimension, 0.0),
      away_(dimension, 0.0),
      products_(dense_ ? Matrix(dimension, dimension) : Matrix(dimension, 1)) {}

void WindowMoments::add(std::span<const double> draw) {
    ++count_;
    for (std::size_t i = 0; i < draw.size(); ++i) {
        away_[i] = draw[i] - mean_[i];
        mean_[i] += away_[i] / count_;
    }
    for (std::size_t i = 0; i < draw.size(); ++i) {
        const double now = draw[i] - mean_[i];
        if (!dense_) {
            products_(i, 0) += away_[i] * now;
            continue;
        }
        for (std::size_t k = 0; k <= i; ++k) products_(i, k) += now * away_[k];
    }
}

double WindowMoments::covariance(std::size_t i, std::size_t k) const {
    if (!dense_) return products_(i, 0) / (count_ - 1);
    return products_(std::max(i, k), std::min(i, k)) / (count_ - 1);
}

MassMatrix::MassMatrix(const WindowMoments& moments, std::size_t operations) : variance_(moments.dimension()) {
    const std::size_t n = moments.dimension();
    const double count = moments.count();
    // Stan's shrinkage: towards a small multiple of the identity, by five draws' worth.
    const double weight = count / (count + 5);
    for (std::size_t i = 0; i < n; ++i) variance_[i] = weight * moments.covariance(i, i) + 1e-3 * (1 - weight);
    // A correlation matrix from few draws shows dependence that is not there.
    constexpr double draws_per_number = 5;
    if (!moments.has_covariances() || count < draws_per_number * static_cast<double>(n)) return;
    Matrix correlation(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            correlation(i, k) = i == k ? 1 : moments.covariance(i, k) / std::sqrt(moments.covariance(i, i) * moments.covariance(k, k));
    for (const double entry : correlation.values)
        if (!std::isfinite(entry)) return;
    // A trajectory has to cross the longest axis in steps made for the shortest one: the root of the ratio of the eigenvalues is by how
    // much dense steps can be longer. They cost two products with an n × n matrix each. Of independent numbers the ratio would not be 1
    // either, since it is estimated from few draws (Marchenko and Pastur 1967).
    const auto axes = symmetric_eigen(correlation).values;
    if (!(axes.back() > 0)) return;
    const double longer = std::sqrt(axes.front() / axes.back());
    const double dearer =
        1 + 2 * static_cast<double>(n) * static_cast<double>(n) / (10 * static_cast<double>(std::max<std::size_t>(operations, 1)));
    const double noise = std::sqrt(static_cast<double>(n) / count);
    constexpr double worth_it = 1.5;
    if (longer < worth_it * dearer * (1 + noise) / (1 - noise)) return;
    Matrix covariance = std::move(correlation);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) covariance(i, k) *= std::sqrt(moments.covariance(i, i) * moments.covariance(k, k));
    auto root = cholesky(covariance);
    if (!root) return;
    covariance_ = std::move(covariance);
    root_ = *std::move(root);
}

void MassMatrix::draw(Rng& rng, std::span<double> momentum) const {
    const std::size_t n = momentum.size();
    for (auto& p : momentum) p = rng.normal();
    if (!is_dense()) {
        for (std::size_t i = 0; i < n; ++i) momentum[i] /= std::sqrt(variance_[i]);
        return;
    }
    // p = L⁻ᵀ z has the covariance Σ⁻¹.
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) momentum[i] -= root_(k, i) * momentum[k];
        momentum[i] /= root_(i, i);
    }
}

void MassMatrix::velocity(std::span<const double> momentum, std::span<double> out) const {
    const std::size_t n = momentum.size();
    if (!is_dense()) {
        for (std::size_t i = 0; i < n; ++i) out[i] = variance_[i] * momentum[i];
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = covariance_.row(i).data();
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += row[k] * momentum[k];
        out[i] = sum;
    }
}

}  // namespace credence::rt::continuous
