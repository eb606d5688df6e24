#pragma once
// Our own random numbers: the same bytes on every platform, standard library and number of threads.

#include <cstdint>
#include <string_view>

namespace credence::rt {

/// xoshiro256** (Blackman & Vigna), seeded by SplitMix64.
class Rng {
public:
    explicit Rng(std::uint64_t seed = 0);

    std::uint64_t next();
    double uniform();                      ///< in [0, 1), 53 bits
    std::uint64_t below(std::uint64_t n);  ///< in 0 … n−1 without bias; n > 0
    double normal();                       ///< mean 0, standard deviation 1

    /// An independent stream that depends only on this stream's seed path and the label, never on how much was drawn.
    Rng child(std::uint64_t label) const;
    Rng child(std::string_view label) const;
    friend bool operator==(const Rng&, const Rng&) = default;

private:
    std::uint64_t path_ = 0;
    std::uint64_t state_[4] = {};
};

}  // namespace credence::rt
