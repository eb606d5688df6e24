#include "runtime/core/rng.hpp"

#include <bit>
#include <cassert>
#include <cmath>

namespace credence::rt {

namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;  // 2^64 / φ, the step of SplitMix64

/// The output function of SplitMix64 (Steele, Lea & Flood 2014): a bijection of 64 bits with full avalanche.
constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

/// The path is mixed before the label joins it, so that child(a).child(b) and child(b).child(a) differ.
constexpr std::uint64_t extend(std::uint64_t path, std::uint64_t label) { return mix(mix(path + golden) ^ mix(label + 2 * golden)); }

/// FNV-1a, started from a basis of our own so that the text "1" and the number 1 are different labels.
constexpr std::uint64_t hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ golden;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace

Rng::Rng(std::uint64_t seed) : path_(seed) {
    for (auto& word : state_) word = mix(seed += golden);
}

// xoshiro256** 1.0, Blackman & Vigna 2018.
std::uint64_t Rng::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Rng::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

// Lemire 2019, "Fast random integer generation in an interval": the division is needed for few draws.
std::uint64_t Rng::below(std::uint64_t n) {
    assert(n > 0);
    UnsignedWide product = static_cast<UnsignedWide>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<UnsignedWide>(next()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64U);
}

// Ratio of uniforms (Kinderman & Monahan 1977) with Leva's quadratic bounds (1992): nothing is cached between
// draws, and only about one draw in a hundred needs the logarithm.
double Rng::normal() {
    while (true) {
        const double u = 1 - uniform();
        const double v = 1.7156 * (uniform() - 0.5);
        const double x = u - 0.449871;
        const double y = std::abs(v) + 0.386595;
        const double q = x * x + y * (0.19600 * y - 0.25472 * x);
        if (q < 0.27597) return v / u;
        if (q <= 0.27846 && v * v <= -4 * u * u * std::log(u)) return v / u;
    }
}

Rng Rng::child(std::uint64_t label) const { return Rng(extend(path_, label)); }

Rng Rng::child(std::string_view label) const { return Rng(extend(path_, hash_text(label))); }

}  // namespace credence::rt
