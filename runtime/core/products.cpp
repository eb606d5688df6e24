#include "runtime/core/products.hpp"

#include <Eigen/Core>

namespace credence::rt {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;

Eigen::Map<const Rows, 0, Stride> mapped(const Block& b) {
    return {b.data, static_cast<Eigen::Index>(b.rows), static_cast<Eigen::Index>(b.columns), Stride(static_cast<Eigen::Index>(b.stride))};
}
Eigen::Map<Rows, 0, Stride> mapped(const MutableBlock& b) {
    return {b.data, static_cast<Eigen::Index>(b.rows), static_cast<Eigen::Index>(b.columns), Stride(static_cast<Eigen::Index>(b.stride))};
}

}  // namespace

void product(const Block& a, const Block& b, const MutableBlock& out) { mapped(out).noalias() = mapped(a) * mapped(b); }
void product_transposed(const Block& a, const Block& b, const MutableBlock& out) {
    mapped(out).noalias() = mapped(a) * mapped(b).transpose();
}
void transposed_product(const Block& a, const Block& b, const MutableBlock& out) {
    mapped(out).noalias() = mapped(a).transpose() * mapped(b);
}
void add_transposed_product(const Block& a, const Block& b, const MutableBlock& out) {
    mapped(out).noalias() += mapped(a).transpose() * mapped(b);
}

}  // namespace credence::rt
