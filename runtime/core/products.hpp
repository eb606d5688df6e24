#pragma once
// Products of dense matrices, row by row in one array each. Eigen's kernels do the work, in one unit of their own.

#include <cstddef>

namespace credence::rt {

/// A block of rows inside a larger array: element (r, c) is data[r·stride + c].
struct Block {
    const double* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;
};
struct MutableBlock {
    double* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;
};

void product(const Block& a, const Block& b, const MutableBlock& out);                 ///< out = a·b
void product_transposed(const Block& a, const Block& b, const MutableBlock& out);      ///< out = a·bᵀ
void transposed_product(const Block& a, const Block& b, const MutableBlock& out);      ///< out = aᵀ·b
void add_transposed_product(const Block& a, const Block& b, const MutableBlock& out);  ///< out += aᵀ·b

}  // namespace credence::rt
