#pragma once
// Doubles on a boundary of 32 bytes, so that no four of them lie across two cache lines.

#include <vector>

#include "runtime/core/lanes.hpp"

namespace credence::rt {

constexpr std::size_t lane_count = 4;

class LaneVector {
public:
    LaneVector() = default;
    explicit LaneVector(std::size_t n) : cells_((n + lane_count - 1) / lane_count) {}
    double* data() { return cells_.empty() ? nullptr : cells_[0].at; }
    const double* data() const { return cells_.empty() ? nullptr : cells_[0].at; }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.cells_);
    }

private:
    struct alignas(32) Cell {
        double at[lane_count] = {0, 0, 0, 0};
    };
    std::vector<Cell> cells_;
};

}  // namespace credence::rt
