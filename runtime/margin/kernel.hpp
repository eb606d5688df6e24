#pragma once
// Kernels, and rows of them over points that are stored feature by feature: one row is a few passes over contiguous numbers.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/core/result.hpp"

namespace credence::rt {

struct Kernel {
    enum class Kind {
        linear,      ///< x·y
        polynomial,  ///< (1 + x·y)^degree
        rbf,         ///< exp(−|x − y|² / (2 sigma²))
        sigmoid,     ///< tanh(b0·x·y + b1)
        custom       ///< a function of the script: one thread
    };
    using Function = std::function<Result<double>(std::span<const double>, std::span<const double>)>;

    Kind kind = Kind::linear;
    double degree = 1;
    double sigma = 0;  ///< 0: chosen from the data, so that 2·sigma² is the columns' summed variance
    double b0 = 1;
    double b1 = 0;
    Function function;

    Result<double> at(std::span<const double> x, std::span<const double> y) const;
    std::string text() const;  ///< "rbf(2)"
};

/// Points, feature after feature; their order may change.
class Points {
public:
    Points() = default;
    Points(const Matrix& rows, std::span<const std::uint32_t> which);
    explicit Points(const Matrix& rows);

    std::size_t size() const { return size_; }
    std::size_t features() const { return features_; }
    std::vector<double> point(std::size_t i) const;
    /// Point k becomes what was point order[k].
    void reorder(std::span<const std::uint32_t> order);

    /// out[k − begin] = kernel(x, point k); not custom.
    void row(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, double* out) const;
    void row(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, float* out) const;

private:
    template <class Cell>
    void fill(const Kernel& kernel, std::span<const double> x, std::size_t begin, std::size_t end, Cell* out) const;
    std::size_t size_ = 0;
    std::size_t features_ = 0;
    std::vector<double> values_;   ///< features × points
    std::vector<double> squares_;  ///< |point|²
};

}  // namespace credence::rt
