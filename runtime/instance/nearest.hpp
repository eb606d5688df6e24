#pragma once
// The k nearest seen so far: nearest first, equal distances in the order of the rows.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace credence::rt {

struct Neighbour {
    double distance = std::numeric_limits<double>::infinity();
    std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
    friend bool operator<(const Neighbour& a, const Neighbour& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
    }
    friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// How differences of coordinates make a distance. What is compared for the euclidean one is its square.
enum class Norm { euclidean, manhattan, chebyshev };

/// Kept sorted by insertion while k is small, as a heap otherwise. Places not yet taken are infinitely far.
class Nearest {
public:
    explicit Nearest(std::size_t k) : heap_(k > insertion_limit), kept_(k) {}

    void clear() { std::fill(kept_.begin(), kept_.end(), Neighbour{}); }
    /// Nothing farther than this is of interest; an equal distance still may be.
    double worst() const { return (heap_ ? kept_.front() : kept_.back()).distance; }
    void offer(double distance, std::uint32_t row) {
        const Neighbour n{distance, row};
        if (heap_) {
            if (!(n < kept_.front())) return;
            std::pop_heap(kept_.begin(), kept_.end());
            kept_.back() = n;
            std::push_heap(kept_.begin(), kept_.end());
            return;
        }
        if (!(n < kept_.back())) return;
        std::size_t i = kept_.size() - 1;
        for (; i > 0 && n < kept_[i - 1]; --i) kept_[i] = kept_[i - 1];
        kept_[i] = n;
    }
    /// Nearest first. It is no longer a heap: clear() before the next search.
    const std::vector<Neighbour>& sorted() {
        if (heap_) std::sort(kept_.begin(), kept_.end());
        return kept_;
    }

private:
    static constexpr std::size_t insertion_limit = 48;
    bool heap_;
    std::vector<Neighbour> kept_;
};

}  // namespace credence::rt
