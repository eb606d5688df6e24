#pragma once
// The mass matrix of a Hamiltonian sampler. Its inverse is an estimate of the covariance of the density, so that the sampler meets numbers
// of any scale as if they were standardised, and with a dense one as if they were independent too.

#include <span>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/core/rng.hpp"

namespace credence::rt::continuous {

/// Mean and covariance of the draws of one window, by Welford's updates.
class WindowMoments {
public:
    explicit WindowMoments(std::size_t dimension);
    void add(std::span<const double> draw);
    double count() const { return count_; }
    std::size_t dimension() const { return mean_.size(); }
    double covariance(std::size_t i, std::size_t k) const;  ///< i = k: the variance
    /// Whether covariances are kept besides variances.
    bool has_covariances() const { return dense_; }

private:
    double count_ = 0;
    bool dense_;
    std::vector<double> mean_;
    std::vector<double> away_;
    Matrix products_;
};

class MassMatrix {
public:
    explicit MassMatrix(std::size_t dimension) : variance_(dimension, 1.0) {}  ///< the identity
    /// `operations`: the cost of one gradient. Dense where shorter trajectories make up for the products with a matrix.
    MassMatrix(const WindowMoments& moments, std::size_t operations);

    bool is_dense() const { return root_.rows > 0; }
    void draw(Rng& rng, std::span<double> momentum) const;
    void velocity(std::span<const double> momentum, std::span<double> out) const;

private:
    std::vector<double> variance_;  // the inverse of a diagonal one
    Matrix covariance_;             // the inverse of a dense one,
    Matrix root_;                   // and its Cholesky factor
};

}  // namespace credence::rt::continuous
