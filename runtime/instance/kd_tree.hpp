#pragma once
// A k-d tree over points in leaf buckets (Friedman, Bentley & Finkel 1977; bounds as in Arya & Mount 1993).

#include <cstdint>
#include <vector>

#include "runtime/core/linalg.hpp"
#include "runtime/instance/nearest.hpp"

namespace credence::rt {

/// How differences of coordinates make a distance. Inside, the euclidean one is compared by its square.
enum class Norm { euclidean, manhattan, chebyshev };

/// Without splitting it is one bucket: a plain scan, with the same distances to the bit.
class KdTree {
public:
    KdTree(const Matrix& points, Norm norm, bool split);

    std::size_t size() const { return rows_; }
    /// Offers what may be among the nearest. `scratch` holds one number a dimension between calls.
    void search(const double* query, Nearest& best, std::vector<double>& scratch) const;
    /// What Nearest compares (squares under the euclidean norm) as a distance.
    double distance_of(double compared) const;

private:
    static constexpr std::size_t lanes = 8;  ///< points of a block, coordinate by coordinate

    struct Node {
        double low = 0;          ///< the largest coordinate on the left
        double high = 0;         ///< the least on the right
        std::int32_t axis = -1;  ///< −1: a leaf
        std::uint32_t next = 0;  ///< the right child (the left one follows its parent), or a leaf's first block
        std::uint32_t blocks = 0;
    };
    struct Build;
    template <Norm norm, std::size_t D>
    struct Search;
    template <Norm norm>
    void search_by_dimension(const double* query, Nearest& best, std::vector<double>& scratch) const;
    std::uint32_t build(Build& state, std::size_t begin, std::size_t end, std::size_t depth);
    void add_leaf(const Build& state, std::size_t begin, std::size_t end);

    Norm norm_;
    std::size_t rows_ = 0;
    std::size_t dimensions_ = 0;
    std::vector<double> low_;  ///< the box round all points
    std::vector<double> high_;
    std::vector<Node> nodes_;
    std::vector<double> blocks_;      ///< dimensions × lanes each; what is not used is infinitely far
    std::vector<std::uint32_t> ids_;  ///< lanes a block
};

}  // namespace credence::rt
