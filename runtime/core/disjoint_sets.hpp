#pragma once
// Union and find: which of n things are joined, directly or through others.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace credence::rt {

class DisjointSets {
public:
    explicit DisjointSets(std::size_t n) : root_(n) { std::iota(root_.begin(), root_.end(), std::size_t{0}); }

    /// The smallest member of its set.
    std::size_t find(std::size_t i) {
        while (root_[i] != i) i = root_[i] = root_[root_[i]];
        return i;
    }
    /// Whether they were apart before.
    bool join(std::size_t i, std::size_t k) {
        const std::size_t a = find(i);
        const std::size_t b = find(k);
        root_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<std::size_t> root_;
};

}  // namespace credence::rt
