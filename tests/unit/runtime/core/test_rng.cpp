#include "runtime/core/rng.hpp"

#include <array>
#include <cmath>
#include <set>

#include <catch2/catch.hpp>

using credence::rt::Rng;

TEST_CASE("xoshiro256** seeded by SplitMix64 gives the published stream", "[rng]") {
    // An independent transcription of the two algorithms of prng.di.unimi.it, itself checked against the published first outputs of
    // SplitMix64(1234567) and of xoshiro256** from the state 1, 2, 3, 4.
    Rng zero(0);
    for (const std::uint64_t expected : {0x99ec5f36cb75f2b4ULL, 0xbf6e1f784956452aULL, 0x1a5f849d4933e6e0ULL, 0x6aa594f1262d2d2cULL})
        CHECK(zero.next() == expected);
    Rng forty_two(42);
    for (const std::uint64_t expected : {0x15780b2e0c2ec716ULL, 0x6104d9866d113a7eULL, 0xae17533239e499a1ULL, 0xecb8ad4703b360a1ULL})
        CHECK(forty_two.next() == expected);
}

TEST_CASE("uniform takes the upper 53 bits", "[rng]") {
    Rng rng(0);
    CHECK(rng.uniform() == static_cast<double>(0x99ec5f36cb75f2b4ULL >> 11U) / 9007199254740992.0);
}

TEST_CASE("a child depends on the path and not on what was drawn", "[rng]") {
    Rng fresh(7);
    Rng used(7);
    for (int i = 0; i < 1000; ++i) used.next();
    CHECK(fresh.child(3).next() == used.child(3).next());
    CHECK(fresh.child("fold").next() == used.child("fold").next());

    std::set<std::uint64_t> firsts;
    for (std::uint64_t label = 0; label < 1000; ++label) firsts.insert(Rng(7).child(label).next());
    for (std::uint64_t seed = 0; seed < 1000; ++seed) firsts.insert(Rng(seed).child(1).child(2).next());
    firsts.insert(Rng(0).child(2).child(1).next());
    firsts.insert(Rng(0).child("1").next());
    firsts.insert(Rng(0).child(1).next());
    CHECK(firsts.size() == 2003);
}

TEST_CASE("a copy goes on with the same numbers", "[rng]") {
    Rng rng(5);
    rng.normal();
    Rng copy = rng;
    for (int i = 0; i < 100; ++i) CHECK(rng.normal() == copy.normal());
}

TEST_CASE("uniform and below are even", "[rng]") {
    constexpr int draws = 100'000;
    // Chi-square with k − 1 degrees of freedom: mean k − 1, variance 2 (k − 1); five standard errors.
    const auto chi_square = [](const std::array<int, 16>& counts) {
        double sum = 0;
        for (const int count : counts) sum += (count - draws / 16.0) * (count - draws / 16.0) / (draws / 16.0);
        return sum;
    };
    const double bound = 15 + 5 * std::sqrt(30.0);
    Rng rng(11);
    std::array<int, 16> counts{};
    for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(rng.uniform() * 16)];
    CHECK(chi_square(counts) < bound);
    counts.fill(0);
    for (int i = 0; i < draws; ++i) ++counts[rng.below(16)];
    CHECK(chi_square(counts) < bound);
    // A range of 3/4 of 2^64 shows the bias of a plain multiplication or remainder: half of its values would be twice as likely.
    const std::uint64_t n = 0xc000000000000000ULL;
    counts.fill(0);
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t value = rng.below(n);
        REQUIRE(value < n);
        ++counts[value / (n / 16)];
    }
    CHECK(chi_square(counts) < bound);
    counts.fill(0);
    for (int i = 0; i < draws; ++i) ++counts[(rng.below(n) % 16)];
    CHECK(chi_square(counts) < bound);
    CHECK(rng.below(1) == 0);
}

TEST_CASE("normal has the moments and tails of a standard normal", "[rng]") {
    constexpr int draws = 200'000;
    Rng rng(3);
    double sum = 0, square = 0, third = 0, fourth = 0;
    int beyond_two = 0, beyond_three = 0;
    for (int i = 0; i < draws; ++i) {
        const double z = rng.normal();
        sum += z;
        square += z * z;
        third += z * z * z;
        fourth += z * z * z * z;
        beyond_two += std::abs(z) > 2;
        beyond_three += std::abs(z) > 3;
    }
    // Standard errors from the moments 1, 3, 15, 105 of the standard normal.
    const double root = std::sqrt(static_cast<double>(draws));
    CHECK(std::abs(sum / draws) < 5 * 1 / root);
    CHECK(std::abs(square / draws - 1) < 5 * std::sqrt(2.0) / root);
    CHECK(std::abs(third / draws) < 5 * std::sqrt(15.0) / root);
    CHECK(std::abs(fourth / draws - 3) < 5 * std::sqrt(96.0) / root);
    const auto near = [&](int count, double p) { return std::abs(count - draws * p) < 5 * std::sqrt(draws * p * (1 - p)); };
    CHECK(near(beyond_two, 0.04550026389635842));      // 2 (1 − Φ(2))
    CHECK(near(beyond_three, 0.0026997960632601866));  // 2 (1 − Φ(3))
}
