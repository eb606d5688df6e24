#include "runtime/core/exact_memory.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "runtime/core/rational.hpp"

using namespace credence::rt;

TEST_CASE("exact numbers end at their limit, and the next one begins again", "[rational]") {
    const Rational two(2);
    CHECK(two.pow(1'000'000).bits() == 1'000'002);  // 2^n has n + 1 bits, and its denominator 1
    CHECK_THROWS_AS(two.pow(3'000'000), ExactNumberTooLong);
    const Rational large = two.pow(1'500'000);
    CHECK_THROWS_AS(large * large, ExactNumberTooLong);
    CHECK_THROWS_AS(Rational(3).pow(100'000'000), std::bad_alloc);
    CHECK(Rational(-1).pow(1'000'000'001) == Rational(-1));
    CHECK(Rational(3).pow(41) * Rational(1, 3) == Rational(3).pow(40));
}

TEST_CASE("a number too long to be kept is not read", "[rational]") {
    CHECK(Rational::parse(std::string(100'000, '9')));
    CHECK_FALSE(Rational::parse(std::string(1'000'000, '9')));
}

TEST_CASE("memory set aside for one operation is there for those inside it", "[rational]") {
    const ExactMemory outer(100);
    {
        const ExactMemory inner(1'000'000);
        CHECK_NOTHROW(inner.check());
    }
    CHECK_NOTHROW(outer.check());
}
