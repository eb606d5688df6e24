#pragma once
// Our matrices as Eigen sees them: for the few units that use its decompositions.

#include <algorithm>

#include <Eigen/Core>

#include "runtime/core/linalg.hpp"

namespace credence::rt {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMajorMap = Eigen::Map<const RowMajor>;

inline RowMajorMap map_of(const Matrix& m) {
    return {m.values.data(), static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns)};
}

inline Matrix matrix_of(const RowMajor& m) {
    Matrix out(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
    std::copy(m.data(), m.data() + m.size(), out.values.begin());
    return out;
}

}  // namespace credence::rt
