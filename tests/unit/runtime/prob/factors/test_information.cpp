#include "runtime/prob/factors/information.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/core/rng.hpp"

using namespace credence::rt;

namespace {

using Positions = std::vector<std::size_t>;

Approx near(double value) { return Approx(value).epsilon(1e-12).margin(1e-14); }

/// −Σ p log₂ p over the groups of entries that agree on the kept positions: brute force by comparing digits.
double brute_entropy(const std::vector<double>& joint, const Positions& sizes, const Positions& kept) {
    const auto digit = [&](std::size_t entry, std::size_t position) {
        for (std::size_t i = sizes.size() - 1; i > position; --i) entry /= sizes[i];
        return entry % sizes[position];
    };
    double bits = 0;
    for (std::size_t i = 0; i < joint.size(); ++i) {
        double group = 0;
        for (std::size_t j = 0; j < joint.size(); ++j) {
            bool same = true;
            for (const std::size_t position : kept) same = same && digit(i, position) == digit(j, position);
            if (same) group += joint[j];
        }
        if (joint[i] > 0) bits -= joint[i] * std::log2(group);
    }
    return bits;
}

}  // namespace

TEST_CASE("entropy of a few distributions", "[information]") {
    CHECK(entropy_bits(std::vector<double>{0.5, 0.5}) == 1);
    CHECK(entropy_bits(std::vector<double>{1, 0, 0}) == 0);
    CHECK_FALSE(std::signbit(entropy_bits(std::vector<double>{1, 0, 0})));
    CHECK(entropy_bits(std::vector<double>(8, 0.125)) == 3);
    // Mitchell, Machine Learning, section 3.4: Entropy([9+, 5−]) = 0.940
    CHECK(entropy_bits(std::vector<double>{9.0 / 14, 5.0 / 14}) == Approx(0.940).margin(5e-4));
}

TEST_CASE("information gain of Mitchell's tennis table", "[information]") {
    // Wind (Weak, Strong) × PlayTennis (Yes, No): 6, 2; 3, 3 of 14. Gain = 0.048.
    const std::vector<double> wind = {6.0 / 14, 2.0 / 14, 3.0 / 14, 3.0 / 14};
    CHECK(mutual_information(wind, Positions{2, 2}, Positions{1}, Positions{0}) == Approx(0.048).margin(5e-4));
    // Outlook (Sunny, Overcast, Rain): 2, 3; 4, 0; 3, 2. Gain = 0.246 (0.2467 before rounding of the intermediate steps).
    const std::vector<double> outlook = {2.0 / 14, 3.0 / 14, 4.0 / 14, 0, 3.0 / 14, 2.0 / 14};
    CHECK(mutual_information(outlook, Positions{3, 2}, Positions{1}, Positions{0}) == Approx(0.246).margin(1e-3));
    CHECK(conditional_entropy(outlook, Positions{3, 2}, Positions{1}, Positions{0}) ==
          near(10.0 / 14 * 0.9709505944546686));  // 5/14 H(2/5) twice
}

TEST_CASE("information agrees with brute-force entropies", "[information]") {
    const Positions sizes = {2, 3, 2, 4};
    Rng rng(17);
    for (int round = 0; round < 20; ++round) {
        std::vector<double> joint(48);
        double sum = 0;
        for (double& p : joint) sum += p = rng.uniform() < 0.3 ? 0 : rng.uniform();
        for (double& p : joint) p /= sum;
        const auto h = [&](const Positions& kept) { return brute_entropy(joint, sizes, kept); };
        CHECK(entropy(joint, sizes, Positions{3, 1}) == near(h({1, 3})));
        CHECK(entropy(joint, sizes, Positions{}) == near(0));
        CHECK(conditional_entropy(joint, sizes, Positions{0}, Positions{}) == near(h({0})));
        CHECK(conditional_entropy(joint, sizes, Positions{2, 0}, Positions{3}) == near(h({0, 2, 3}) - h({3})));
        CHECK(conditional_entropy(joint, sizes, Positions{1}, Positions{1, 2}) == 0);
        CHECK(mutual_information(joint, sizes, Positions{0}, Positions{1}) == near(h({0}) + h({1}) - h({0, 1})));
        CHECK(mutual_information(joint, sizes, Positions{0, 2}, Positions{1}, Positions{3}) ==
              near(h({0, 2, 3}) + h({1, 3}) - h({0, 1, 2, 3}) - h({3})));
        CHECK(mutual_information(joint, sizes, Positions{1}, Positions{1}) == near(h({1})));
        CHECK(mutual_information(joint, sizes, Positions{3}, Positions{0}) ==
              near(mutual_information(joint, sizes, Positions{0}, Positions{3})));
    }
}

TEST_CASE("independence is zero information, never below", "[information]") {
    const std::vector<double> a = {0.1, 0.2, 0.7};
    const std::vector<double> b = {0.3, 0.3, 0.3, 0.1};
    std::vector<double> joint;
    for (const double p : a) {
        for (const double q : b) joint.push_back(p * q);
    }
    const double bits = mutual_information(joint, Positions{3, 4}, Positions{0}, Positions{1});
    CHECK(bits == 0);
    CHECK_FALSE(std::signbit(bits));
    // xor: pairwise independent, together determined
    const std::vector<double> parity = {0.25, 0, 0, 0.25, 0, 0.25, 0.25, 0};
    CHECK(mutual_information(parity, Positions{2, 2, 2}, Positions{0}, Positions{1}) == 0);
    CHECK(mutual_information(parity, Positions{2, 2, 2}, Positions{0}, Positions{1}, Positions{2}) == 1);
    CHECK(conditional_entropy(parity, Positions{2, 2, 2}, Positions{2}, Positions{0, 1}) == 0);
}
