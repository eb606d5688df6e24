// What gradient ascent and counting share: steps along the simplex, their length, the m-estimate.

#include <catch2/catch.hpp>

#include "runtime/prob/learning/training_methods.hpp"

using namespace credence::rt;

TEST_CASE("a row of probabilities moves to the nearest one of its simplex") {
    std::vector<double> row{0.5, 0.3, 0.2};
    move_row(row, std::vector<double>{0.7, 0.0, -0.3}, 1.0);  // (1.2, 0.3, -0.1): a quarter is taken from the two that stay
    CHECK(row[0] == Approx(0.95));
    CHECK(row[1] == Approx(0.05));
    CHECK(row[2] == Approx(least_climbing));

    std::vector<double> part{0.1, 0.3};  // what others leave stays shared out
    move_row(part, std::vector<double>{1.0, 0.9}, 1.0);
    CHECK(part[0] + part[1] == Approx(0.4));
    CHECK(part[1] - part[0] == Approx(0.1));
}

TEST_CASE("the slope of a row keeps its sum, and is nothing at the shares of the counts") {
    std::vector<double> slope(2);
    row_slope(std::vector<double>{3, 1}, std::vector<double>{0.5, 0.5}, slope);
    CHECK(slope == std::vector<double>{2, -2});
    row_slope(std::vector<double>{3, 1}, std::vector<double>{0.75, 0.25}, slope);
    CHECK(slope == std::vector<double>{0, 0});

    std::vector<double> with_bound(3);  // what was never seen rests at its bound and takes nothing from the others
    row_slope(std::vector<double>{3, 1, 0}, std::vector<double>{0.75, 0.25, least_climbing}, with_bound);
    CHECK(with_bound == std::vector<double>{0, 0, 0});
}

TEST_CASE("the step of Barzilai and Borwein reaches the top of a parabola at once") {
    // f = -(x^2 + y^2): the slope at (1, 2) is (-2, -4), and after a step of 0.1 (-1.6, -3.2); 1/2 is the step to the top.
    const std::vector<double> before{-2, -4};
    const std::vector<double> now{-1.6, -3.2};
    CHECK(next_rate(0.1, before, now, true) == Approx(0.5));
    CHECK(next_rate(0.1, before, now, false) == Approx(0.5));
    CHECK(next_rate(0.1, now, before, true) == Approx(0.4));  // it grew: further
}

TEST_CASE("the m-estimate is a share between the counts and all alike") {
    const std::vector<Rational> counts{3, 1};
    CHECK((m_estimates(counts, Rational()) == std::vector<Rational>{Rational(3, 4), Rational(1, 4)}));
    CHECK((m_estimates(counts, 2) == std::vector<Rational>{Rational(2, 3), Rational(1, 3)}));
    CHECK((m_estimates(std::vector<Rational>{0, 0}, Rational()) == std::vector<Rational>{Rational(1, 2), Rational(1, 2)}));
}
