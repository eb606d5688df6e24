#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

#include "runtime/core/rational.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/regression/vertex_descent.hpp"

using namespace credence::rt;

namespace {

/// Small whole numbers, so that rows tie and vertices coincide.
AbsoluteProblem<Rational> tied_problem(Rng& rng, std::size_t rows, std::size_t columns, int range) {
    AbsoluteProblem<Rational> out;
    out.columns = columns;
    const auto draw = [&] { return Rational(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(2 * range + 1))) - range); };
    for (std::size_t i = 0; i < rows; ++i) {
        out.x.emplace_back(1);
        for (std::size_t c = 1; c < columns; ++c) out.x.push_back(draw());
        out.y.push_back(draw());
        out.w.emplace_back(static_cast<std::int64_t>(1 + rng.below(3)));
    }
    return out;
}

Rational sum_of_errors(const AbsoluteProblem<Rational>& p, const std::vector<Rational>& beta) {
    Rational sum;
    for (std::size_t i = 0; i < p.rows(); ++i) {
        Rational e = p.y[i];
        for (std::size_t c = 0; c < p.columns; ++c) e -= p.row(i)[c] * beta[c];
        sum += p.w[i] * (e.sign() < 0 ? -e : e);
    }
    return sum;
}

/// The least sum over all lines (two columns) through two rows; nothing where all rows have the same x.
std::optional<Rational> least_by_trying(const AbsoluteProblem<Rational>& p) {
    std::optional<Rational> best;
    for (std::size_t i = 0; i < p.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Rational run = p.row(i)[1] - p.row(j)[1];
            if (run.is_zero()) continue;
            const Rational slope = (p.y[i] - p.y[j]) / run;
            const Rational sum = sum_of_errors(p, {p.y[i] - slope * p.row(i)[1], slope});
            if (!best || sum < *best) best = sum;
        }
    return best;
}

std::vector<std::size_t> in_order(std::size_t n) {
    std::vector<std::size_t> out(n);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
}

}  // namespace

TEST_CASE("least absolute error is the least over all lines through two rows, also where rows tie") {
    Rng rng(11);
    for (int trial = 0; trial < 120; ++trial) {
        const auto problem = tied_problem(rng, 3 + static_cast<std::size_t>(trial % 12), 2, 1 + trial % 5);
        const auto best = least_by_trying(problem);
        if (!best) continue;
        const auto solved = *descend_to_least_absolute(problem, in_order(problem.rows()), Run{});
        CHECK(solved.converged);
        CHECK(sum_of_errors(problem, solved.coefficients) == *best);
    }
}

TEST_CASE("at least absolute error the rows that are met can hold the others: the dual is feasible") {
    Rng rng(5);
    for (int trial = 0; trial < 40; ++trial) {
        const auto problem = tied_problem(rng, 12, 4, 9);
        const auto solved = *descend_to_least_absolute(problem, in_order(12), Run{});
        // Moving any coefficient a little, in any direction of the axes, makes no smaller sum (the sum is convex).
        const Rational least = sum_of_errors(problem, solved.coefficients);
        for (std::size_t c = 0; c < 4; ++c)
            for (const int side : {-1, 1}) {
                auto moved = solved.coefficients;
                moved[c] += Rational(side, 1000);
                CHECK(sum_of_errors(problem, moved) >= least);
            }
    }
}

TEST_CASE("doubles and fractions find the same least sum") {
    Rng rng(23);
    for (int trial = 0; trial < 30; ++trial) {
        const auto exact = tied_problem(rng, 25, 3, 40);
        AbsoluteProblem<double> real;
        real.columns = 3;
        for (const auto& x : exact.x) real.x.push_back(x.to_double());
        for (const auto& y : exact.y) real.y.push_back(y.to_double());
        for (const auto& w : exact.w) real.w.push_back(w.to_double());
        const auto a = *descend_to_least_absolute(exact, in_order(25), Run{});
        const auto b = *descend_to_least_absolute(real, in_order(25), Run{});
        double sum = 0;
        for (std::size_t i = 0; i < 25; ++i) {
            double e = real.y[i];
            for (std::size_t c = 0; c < 3; ++c) e -= real.row(i)[c] * b.coefficients[c];
            sum += real.w[i] * std::abs(e);
        }
        CHECK(b.converged);
        CHECK(sum == Approx(sum_of_errors(exact, a.coefficients).to_double()).epsilon(1e-12));
    }
}

TEST_CASE("several lines of the same sum are said to be several") {
    AbsoluteProblem<Rational> even;  // the median of 1, 2, 3, 4: anything from 2 to 3
    even.columns = 1;
    even.x = {1, 1, 1, 1};
    even.y = {1, 2, 3, 4};
    even.w = {1, 1, 1, 1};
    CHECK_FALSE(descend_to_least_absolute(even, in_order(4), Run{})->only_one);
    AbsoluteProblem<Rational> odd = even;
    odd.x.emplace_back(1);
    odd.y.emplace_back(100);
    odd.w.emplace_back(1);
    const auto solved = *descend_to_least_absolute(odd, in_order(5), Run{});
    CHECK(solved.only_one);
    CHECK(solved.coefficients[0] == Rational(3));
}
