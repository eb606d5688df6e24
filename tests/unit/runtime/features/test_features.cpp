#include <cmath>

#include <catch2/catch.hpp>

#include "runtime/classify/tree_model.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/features/scores.hpp"
#include "runtime/features/selection.hpp"
#include "runtime/features/subset_error.hpp"
#include "tests/unit/runtime/data/table_support.hpp"

using namespace credence::rt;
using table_test::csv;
using table_test::value_of;

namespace {

/// A function of sets as the searches ask for it, counting the sets.
SubsetErrors by(std::function<double(const FeatureSet&)> error, std::size_t* asked = nullptr) {
    return [error = std::move(error), asked](std::span<const FeatureSet> sets) -> Result<std::vector<Number>> {
        std::vector<Number> out;
        for (const auto& set : sets) {
            CHECK(std::is_sorted(set.begin(), set.end()));
            out.push_back(Number::real(error(set)));
        }
        if (asked) *asked += sets.size();
        return out;
    };
}

/// An arbitrary but fixed number for each set.
double arbitrary(std::uint64_t seed, const FeatureSet& set) {
    Rng rng(seed);
    for (const auto c : set) rng = rng.child(c + 1);
    return rng.uniform();
}

TablePtr with(std::string_view text, const std::string& target) { return value_of(with_target(*csv(text), target)); }

}  // namespace

TEST_CASE("searches against all sets") {
    const Run run;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto any = by([&](const FeatureSet& s) { return arbitrary(seed, s); });
        const auto all = value_of(exhaustive_selection(6, std::nullopt, ExhaustiveMethod::all, any, run));
        CHECK(all.evaluations == 63);
        double best = 2;
        for (unsigned mask = 1; mask < 64; ++mask) {
            FeatureSet set;
            for (std::size_t c = 0; c < 6; ++c)
                if (mask >> c & 1U) set.push_back(c);
            best = std::min(best, arbitrary(seed, set));
        }
        CHECK(all.error.real() == best);
        for (const auto search : {forward_selection, backward_elimination, stepwise_selection, floating_selection}) {
            const auto found = value_of(search(6, any, Number(0), run));
            CHECK(found.error.real() == arbitrary(seed, found.features));
            CHECK(found.error.real() >= best);
        }
        const auto forward = value_of(forward_selection(6, any, Number(0), run));
        const auto floating = value_of(floating_selection(6, any, Number(0), run));
        CHECK(floating.error.real() <= forward.error.real());
        CHECK(value_of(random_selection(6, 200, any, Rng(1), run)).error.real() == best);
    }
}

TEST_CASE("branch and bound finds the best set of a size where more columns are never worse, and asks for fewer") {
    const Run run;
    std::size_t asked_all = 0;
    std::size_t asked_bound = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Rng rng(seed);
        double worth[8];
        for (double& w : worth) w = rng.uniform();
        const auto error = [&](const FeatureSet& s) {
            double left = 1;
            for (const auto c : s) left *= 1 - worth[c];
            return left;
        };
        const auto all = value_of(exhaustive_selection(8, 4, ExhaustiveMethod::all, by(error, &asked_all), run));
        const auto bound = value_of(exhaustive_selection(8, 4, ExhaustiveMethod::branch_and_bound, by(error, &asked_bound), run));
        CHECK(bound.features == all.features);
    }
    CHECK(asked_all == 10 * 70);
    CHECK(asked_bound < 10 * 163);  // sets of 4 … 7 of 8 columns
}

TEST_CASE("the thresholds of forward and backward search") {
    const Run run;
    const auto error =
        by([](const FeatureSet& s) { return 10.0 - 2.0 * static_cast<double>(s.size()) + 0.5 * static_cast<double>(s.back()); });
    const auto forward = value_of(forward_selection(4, error, Number(2), run));
    CHECK(forward.features == FeatureSet{0});
    CHECK(forward.refused->error.real() == 6.5);
    CHECK(value_of(forward_selection(4, error, Number(1), run)).features.size() == 4);
    CHECK(value_of(backward_elimination(4, error, Number(2), run)).features.size() == 1);
    CHECK(value_of(backward_elimination(4, error, Number(1), run)).features.size() == 4);
}

TEST_CASE("pearson's r and its p-value") {
    Run run;
    // r of 1 2 3 4 5 with 2 1 4 3 5 is 0.8; t = 0.8 √(3 / 0.36) = 2.3094 with 3 degrees of freedom: p = 0.1041 (SciPy:
    // 0.10408803866182788).
    const auto t = with("x,u,y\n1,7,2\n2,7,1\n3,7,4\n4,7,3\n5,7,5\n", "y");
    const auto scores = value_of(score_features(*t, FeatureMeasure::pearson, run));
    CHECK(scores[0].score == Approx(0.8));
    CHECK(*scores[0].p == Approx(0.10408803866182788));
    CHECK(scores[1].score == 0);  // constant
}

TEST_CASE("chi-square of a two by two table") {
    Run run;
    std::string text = "a,y\n";
    for (const auto& [row, times] : std::vector<std::pair<std::string, int>>{{"u,p", 30}, {"u,q", 10}, {"v,p", 20}, {"v,q", 20}})
        for (int i = 0; i < times; ++i) text += row + "\n";
    const auto scores = value_of(score_features(*with(text, "y"), FeatureMeasure::chi_square, run));
    CHECK(scores[0].score == Approx(16.0 / 3));  // n (ad − bc)² / products of the margins
    CHECK(*scores[0].p == Approx(std::erfc(std::sqrt(16.0 / 6))));
}

TEST_CASE("F of two groups is the square of Student's t") {
    Run run;
    // 1 2 3 against 3 4 8: means 2 and 5, within 2 + 14, F = (3·1.5² · 2) / (16 / 4) = 13.5 / 4.
    const auto scores = value_of(score_features(*with("x,y\n1,a\n2,a\n3,a\n3,b\n4,b\n8,b\n", "y"), FeatureMeasure::anova, run));
    CHECK(scores[0].score == Approx(13.5 / 4));
    CHECK(*scores[0].p == Approx(0.14006598491201783));  // SciPy: f_oneway
    // The same layout with the groups in a column and the numbers in the target.
    const auto turned = value_of(score_features(*with("x,y\n1,a\n2,a\n3,a\n3,b\n4,b\n8,b\n", "x"), FeatureMeasure::anova, run));
    CHECK(turned[0].column == "y");
    CHECK(turned[0].score == Approx(13.5 / 4));
}

TEST_CASE("F of a regression is the square of its t") {
    Run run;
    // x 1 2 3 4 5 with y 2 1 4 3 5: r = 0.8, t = 2.3094 with 3 degrees of freedom, F = t²; the p-values are one.
    const auto t = with("x,u,y\n1,7,2\n2,7,1\n3,7,4\n4,7,3\n5,7,5\n", "y");
    const auto scores = value_of(score_features(*t, FeatureMeasure::anova, run));
    CHECK(scores[0].score == Approx(0.64 * 3 / 0.36));
    CHECK(*scores[0].p == Approx(0.10408803866182788));
    CHECK(scores[1].score == 0);
    CHECK(*scores[1].p == 1);  // constant
}

TEST_CASE("scores say what they need") {
    Run run;
    CHECK(score_features(*csv("a,b\n1,2\n2,3\n"), FeatureMeasure::pearson, run).fault().code.text() == "E-TRAIN");
    CHECK(score_features(*with("x,y\na,1\nb,2\nc,3\n", "y"), FeatureMeasure::pearson, run).fault().code.text() == "E-TABLE");
}

TEST_CASE("a learner's error on columns it may see") {
    Run run;
    std::string text = "good,bad,y\n";
    for (int i = 0; i < 60; ++i)
        text += std::string(i % 2 == 0 ? "u" : "v") + "," + (i % 7 < 3 ? "s" : "t") + "," + (i % 2 == 0 ? "p" : "q") + "\n";
    const auto t = with(text, "y");
    const LearnerPtr tree = make_decision_tree({});
    for (const HeldOutRows& plan : {HeldOutRows{.folds = {.k = 5}}, HeldOutRows{.validation = Rational(1, 4)}}) {
        const auto errors = value_of(learner_errors(tree, t, plan, run));
        const std::vector<FeatureSet> sets = {{0}, {1}, {0, 1}};
        const auto found = value_of(errors(sets));
        CHECK(found[0] == Number(0));
        CHECK(found[1].real() > 0.2);
        CHECK(found[2] == Number(0));
        CHECK(value_of(forward_selection(2, errors, Number(0), run)).features == FeatureSet{0});
    }
}
