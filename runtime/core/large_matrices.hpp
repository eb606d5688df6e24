#pragma once
// Decompositions and products of matrices that may be large: in blocks, with a check for a stop between them.

#include <vector>

#include <Eigen/Core>

#include "runtime/core/result.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Multiplications between two checks, some hundredths of a second. What takes no more is left to Eigen as a whole.
constexpr double most_at_once = 1e8;

/// A matrix by columns, in memory of `new`: large blocks of it are in large pages, and the system has them back at once.
class Columns {
public:
    Columns(Eigen::Index rows, Eigen::Index columns) : cells_(static_cast<std::size_t>(rows * columns)), rows_(rows), columns_(columns) {}
    Eigen::Index rows() const { return rows_; }
    Eigen::Index columns() const { return columns_; }
    Eigen::Map<Eigen::MatrixXd> map() { return {cells_.data(), rows_, columns_}; }
    Eigen::Map<const Eigen::MatrixXd> map() const { return {cells_.data(), rows_, columns_}; }

private:
    std::vector<double> cells_;
    Eigen::Index rows_;
    Eigen::Index columns_;
};

/// Householder's QR in place: R in the upper triangle. What is below it has no meaning.
Status triangularise(Eigen::Ref<Eigen::MatrixXd> a, const Run& run);

/// The inverse of the upper triangle of a square matrix.
Result<Columns> inverse_of_triangle(const Eigen::Ref<const Eigen::MatrixXd>& r, const Run& run);

/// `tell(row, column, block)` for the blocks of A Aᵀ on and above the diagonal, of an upper triangle A.
template <class Tell>
Status each_block_of_square(const Columns& a, const Run& run, const Tell& tell) {
    constexpr Eigen::Index side = 256;
    const Eigen::Index n = a.rows();
    for (Eigen::Index c = 0; c < n; c += side)
        for (Eigen::Index r = 0; r <= c; r += side) {
            if (run.stopped()) return stopped_fault();
            const Eigen::Index height = std::min(side, n - r);
            const Eigen::Index width = std::min(side, n - c);
            const Eigen::MatrixXd block = a.map().block(r, c, height, n - c) * a.map().block(c, c, width, n - c).transpose();
            tell(r, c, block);
        }
    return Done{};
}

}  // namespace credence::rt
