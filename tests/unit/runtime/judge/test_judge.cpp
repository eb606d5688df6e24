// Metrics against published figures and scikit-learn, folds against what they promise, threads against each other.

#include <catch2/catch.hpp>

#include <cmath>

#include "runtime/instance/lazy.hpp"
#include "runtime/judge/trials.hpp"
#include "runtime/prob/learning/learner_info.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/predictor.hpp"

using namespace credence::rt;

namespace {

LabelOutcomes labelled(std::vector<std::string> names, std::vector<std::int32_t> actual, std::vector<std::int32_t> predicted,
                       std::vector<double> probabilities = {}) {
    std::vector<Label> labels;
    for (const auto& n : names) labels.push_back(Label::of_text(n));
    return {make_domain(std::move(labels)), std::move(actual), std::move(predicted), std::move(probabilities), {}};
}

Number share(int a, int b) { return Number(Rational(a) / Rational(b)); }

/// x, y and a class that depends on both, with some noise.
Table some_table(std::size_t rows, std::size_t labels) {
    Rng rng(3);
    ColumnBuilder x("x");
    ColumnBuilder y("y");
    ColumnBuilder target("class");
    for (std::size_t r = 0; r < rows; ++r) {
        const auto a = static_cast<int>(rng.below(50));
        const auto b = static_cast<int>(rng.below(50));
        x.add(Label::of_number(Number(a)));
        y.add(Label::of_number(Number(b)));
        const std::size_t code = rng.below(5) == 0 ? rng.below(labels) : static_cast<std::size_t>(a + b) * labels / 100;
        target.add(Label::of_text("c" + std::to_string(code)));
    }
    Table out;
    out.row_count = rows;
    out.columns = {*std::move(x).finish(), *std::move(y).finish(), *std::move(target).finish()};
    out.target = 2;
    return out;
}

/// Counts how often it is trained.
class CountedLearner final : public Learner {
public:
    CountedLearner(LearnerPtr inner, std::size_t& times) : inner_(std::move(inner)), times_(times) {}
    std::string_view name() const override { return inner_->name(); }
    TargetKind target() const override { return inner_->target(); }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        ++times_;
        return inner_->fit(rows, weights, run);
    }

private:
    LearnerPtr inner_;
    std::size_t& times_;
};

}  // namespace

TEST_CASE("a lazy model is asked once for the label and the probabilities of a row") {
    const Table table = some_table(60, 3);
    const TableView all{.table = &table, .rows = {}};
    Run run;
    std::size_t trained = 0;
    const auto lazy = train(*make_lazy(std::make_shared<const CountedLearner>(*baseline_learner.make({}), trained), 7, {}), all, {}, run);
    REQUIRE(lazy);
    const auto judged = evaluate(**lazy, all, {}, run);
    REQUIRE(judged);
    CHECK(trained == 60);
    // and says what it says when asked for one and for the other
    const auto& model = dynamic_cast<const Classifier&>(**lazy);
    const auto aligned = align(model.schema(), table);
    const TableView rows{.table = &*aligned, .rows = {}};
    std::vector<double> probabilities(60 * model.schema().target.domain->size());
    std::vector<std::int32_t> labels(60);
    REQUIRE(model.probabilities(rows, probabilities, run));
    REQUIRE(model.classify(rows, labels, run));
    CHECK(std::get<LabelOutcomes>(*judged).probabilities == probabilities);
    CHECK(std::get<LabelOutcomes>(*judged).predicted == labels);
}

TEST_CASE("scores of labels are those of scikit-learn") {
    // 12 rows, three labels: confusion_matrix, precision_recall_fscore_support, cohen_kappa_score of scikit-learn 1.2.1.
    const auto o = labelled({"a", "b", "c"}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}, {0, 0, 0, 1, 2, 1, 1, 0, 1, 2, 2, 0});
    const LabelScores s = scores_of(o);
    CHECK(s.accuracy == share(2, 3));
    CHECK(s.confusion[0 * 3 + 2] == Number(1));
    CHECK(s.by_class[0].precision == share(3, 5));
    CHECK(s.by_class[1].recall == share(3, 4));
    CHECK(s.precision.real() == Approx(0.6722222222222222).epsilon(1e-14));
    CHECK(s.f1.real() == Approx(0.6722222222222222).epsilon(1e-14));
    CHECK(s.kappa.real() == Approx(0.4893617021276596).epsilon(1e-14));
    CHECK_FALSE(s.log_loss.has_value());
    // A label that nothing has and nothing is called is left out of the means; precision without a denominator is 0.
    const LabelScores none = scores_of(labelled({"a", "b", "c"}, {0, 0, 1}, {0, 0, 0}));
    CHECK(none.precision == share(1, 3));
    CHECK(none.by_class[1].precision == Number(0));
    // Published examples: log loss 0.21616, Brier 0.0375, kappa 0.6875 (documentation of scikit-learn).
    const auto p = labelled({"ham", "spam"}, {1, 0, 0, 1}, {1, 0, 0, 1}, {.1, .9, .9, .1, .8, .2, .35, .65});
    CHECK(*scores_of(p).log_loss == Approx(0.21616187468057912).epsilon(1e-14));
    const auto b = labelled({"0", "1"}, {0, 1, 1, 0}, {0, 1, 1, 0}, {.9, .1, .1, .9, .2, .8, .7, .3});
    CHECK(*scores_of(b).brier == Approx(0.0375).epsilon(1e-14));
    CHECK(scores_of(labelled({"neg", "pos", "neu"}, {0, 1, 0, 2, 1}, {0, 1, 0, 2, 0})).kappa == share(11, 16));
    // Impossible things that happened: −ln 1e-15, not infinity.
    const auto zero = labelled({"0", "1"}, {1}, {0}, {1, 0});
    CHECK(*scores_of(zero).log_loss == Approx(15 * std::log(10.0)).epsilon(1e-14));
}

TEST_CASE("weights count rows, and whole ones exactly") {
    auto o = labelled({"n", "p"}, {0, 1, 1}, {0, 1, 0});
    o.weights = {3, 2, 5};
    CHECK(scores_of(o).accuracy == share(1, 2));
    CHECK(scores_of(o).recall == share(2, 7));
    CHECK(accuracy_of(o).is_exact());
    o.weights = {0.3, 0.2, 0.5};
    CHECK(scores_of(o).accuracy.real() == Approx(0.5));
    CHECK_FALSE(accuracy_of(o).is_exact());
}

TEST_CASE("scores of numbers are those of scikit-learn") {
    const NumberScores s = scores_of(NumberOutcomes{{3, -0.5, 2, 7}, {2.5, 0, 2, 8}, {}});
    CHECK(s.rmse == Approx(0.6123724356957945).epsilon(1e-14));
    CHECK(s.mae == Approx(0.5).epsilon(1e-14));
    CHECK(s.r2 == Approx(0.9486081370449679).epsilon(1e-14));
    const NumberScores w = scores_of(NumberOutcomes{{3, -0.5, 2, 7}, {2.5, 0, 2, 8}, {1, 2, 3, 4}});
    CHECK(w.rmse == Approx(0.689202437604511).epsilon(1e-14));
    CHECK(w.r2 == Approx(0.9459613196814562).epsilon(1e-14));
    CHECK(scores_of(NumberOutcomes{{2, 2}, {2, 2}, {}}).r2 == 1);
    CHECK(scores_of(NumberOutcomes{{2, 2}, {2, 3}, {}}).r2 == 0);
}

TEST_CASE("the area under the curve counts pairs, ties for half") {
    Rng rng(11);
    for (int round = 0; round < 20; ++round) {
        Ranking r;
        for (int i = 0; i < 40; ++i) {
            r.scores.push_back(static_cast<double>(rng.below(8)));
            r.positive.push_back(static_cast<char>(i < 2 ? i : static_cast<int>(rng.below(2))));
            if (round % 2) r.weights.push_back(static_cast<double>(rng.below(3)) + 1);
        }
        double won = 0;
        double all = 0;
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 40; ++j)
                if (r.positive[i] && !r.positive[j]) {
                    const double w = r.weights.empty() ? 1 : r.weights[i] * r.weights[j];
                    won += w * (r.scores[i] > r.scores[j] ? 1 : r.scores[i] == r.scores[j] ? 0.5 : 0);
                    all += w;
                }
        CHECK(auc_of(r).is_exact());
        CHECK(auc_of(r).real() == Approx(won / all).epsilon(1e-14));
        // The trapezoids under the points are the same area.
        const auto points = roc_of(r);
        Number area;
        for (std::size_t k = 1; k < points.size(); ++k)
            area += (points[k].false_positive_rate - points[k - 1].false_positive_rate) *
                    (points[k].true_positive_rate + points[k - 1].true_positive_rate) / Number(2);
        CHECK(area == auc_of(r));
        CHECK(points.back().true_positive_rate == Number(1));
    }
}

TEST_CASE("calibration bins hold their lower end") {
    Ranking r{{0.1, 0.2, 0.25, 0.9, 1.0}, {0, 1, 0, 1, 1}, {}};
    const auto bins = calibration_of(r, 5);
    REQUIRE(bins.size() == 3);
    CHECK(bins[0].rows == Number(1));
    CHECK(bins[1].observed == share(1, 2));
    CHECK(bins[1].predicted == Approx(0.225));
    CHECK(bins[2].rows == Number(2));
}

TEST_CASE("Student's sleep data") {
    // R: t.test(extra ~ group, data = sleep, paired = TRUE): t = -4.0621, df = 9, p = 0.002833, interval -2.4598858 to -0.7001142.
    std::vector<Number> a;
    std::vector<Number> b;
    for (const double x : {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}) a.push_back(Number::real(x));
    for (const double x : {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}) b.push_back(Number::real(x));
    const PairedTest t = paired_t(a, b, 0.95);
    CHECK(t.difference.real() == Approx(-1.58).epsilon(1e-12));
    CHECK(t.standard_error == Approx(0.3889587238883952).epsilon(1e-12));
    CHECK(t.t == Approx(-4.062127683382037).epsilon(1e-12));
    CHECK(t.p == Approx(0.00283289019738427).epsilon(1e-10));
    CHECK(t.low == Approx(-2.4598857632547286).epsilon(1e-10));
    CHECK(t.high == Approx(-0.7001142367452713).epsilon(1e-10));
    CHECK(paired_t(a, a, 0.95).p == 1);
}

TEST_CASE("McNemar's test is a fair coin's") {
    std::vector<std::int32_t> truth(236, 0);
    std::vector<std::int32_t> first(236, 0);
    std::vector<std::int32_t> second(236, 0);
    for (std::size_t i = 0; i < 236; ++i) (i < 86 ? first : second)[i] = 1;
    const McNemar m = mcnemar(labelled({"a", "b"}, truth, first), labelled({"a", "b"}, truth, second));
    CHECK(m.only_a == 150);
    CHECK(m.only_b == 86);
    CHECK(m.p.real() == Approx(3.715936139571387e-05).epsilon(1e-10));  // scipy.stats.binomtest(86, 236)
}

TEST_CASE("folds are a partition, and stratified") {
    const Table table = some_table(103, 3);
    const RowList rows = rows_with_target(table);
    const auto folds = *make_folds(table, rows, 10, Rng(1));
    std::vector<int> seen(103, 0);
    for (const auto& fold : folds) {
        CHECK((fold.size() == 10 || fold.size() == 11));
        CHECK(std::is_sorted(fold.begin(), fold.end()));
        for (const auto r : fold) ++seen[r];
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    for (std::int32_t label = 0; label < 3; ++label) {
        std::size_t least = 103;
        std::size_t most = 0;
        for (const auto& fold : folds) {
            const auto n = static_cast<std::size_t>(
                std::count_if(fold.begin(), fold.end(), [&](std::uint32_t r) { return table.columns[2]->codes[r] == label; }));
            least = std::min(least, n);
            most = std::max(most, n);
        }
        CHECK(most - least <= 1);
    }
    CHECK(rows_without(rows, folds[0]).size() == 103 - folds[0].size());
    CHECK_FALSE(make_folds(table, rows, 1, Rng(1)));
    CHECK_FALSE(make_folds(table, rows, 104, Rng(1)));
    // Every beginning of a growing order has about the shares of the whole.
    const RowList order = growing_order(table, rows, Rng(5));
    CHECK(order.size() == 103);
    for (std::int32_t label = 0; label < 3; ++label) {
        const auto all = std::count(table.columns[2]->codes.begin(), table.columns[2]->codes.end(), label);
        const auto half =
            std::count_if(order.begin(), order.begin() + 50, [&](std::uint32_t r) { return table.columns[2]->codes[r] == label; });
        CHECK(std::abs(static_cast<double>(half) - static_cast<double>(all) * 50 / 103) <= 1.5);
    }
}

TEST_CASE("two threads give the bytes of one") {
    const Table table = some_table(90, 3);
    const LearnerPtr learners[] = {*baseline_learner.make({}), make_lazy(*baseline_learner.make({}), 5, {})};
    std::vector<std::vector<CrossValidation>> results;
    std::vector<LearningCurve> curves;
    std::vector<std::vector<std::string>> notes(2);
    for (const unsigned threads : {1U, 2U}) {
        Run run;
        run.threads = threads;
        run.note = [&](std::string text) { notes[threads - 1].push_back(std::move(text)); };
        results.push_back(*cross_validate(learners, table, {.k = 7}, {}, run));
        curves.push_back(*learning_curve(*learners[1], table, {}, {.k = 4}, {}, run));
    }
    for (std::size_t l = 0; l < 2; ++l) {
        const auto& a = std::get<LabelOutcomes>(results[0][l].held_out);
        const auto& b = std::get<LabelOutcomes>(results[1][l].held_out);
        CHECK(a.predicted == b.predicted);
        CHECK(a.probabilities == b.probabilities);
        CHECK(results[0][l].scores == results[1][l].scores);
    }
    for (std::size_t i = 0; i < curves[0].points.size(); ++i) CHECK(curves[0].points[i].test->mean == curves[1].points[i].test->mean);
    CHECK(notes[0] == notes[1]);
    CHECK(results[0][1].scores != results[0][0].scores);
}

TEST_CASE("a stop request ends it") {
    const Table table = some_table(30, 2);
    StopSource source;
    Run run;
    run.stop = source.get_token();
    source.request_stop();
    const LearnerPtr one[] = {*baseline_learner.make({})};
    const auto done = cross_validate(one, table, {.k = 3}, {}, run);
    REQUIRE_FALSE(done);
    CHECK(done.fault().code.text() == "E-STOP");
}

TEST_CASE("updating checks what it is given") {
    const Table table = some_table(30, 2);
    Run run;
    auto model = train(**baseline_learner.make({}), {.table = &table, .rows = {}}, {}, run);
    REQUIRE(model);
    Table strange = table;
    auto target = std::make_shared<Column>(*table.columns[2]);
    target->domain = make_domain({Label::of_text("c0"), Label::of_text("new")});
    strange.columns[2] = target;
    auto refused = update(**model, {.table = &strange, .rows = {}}, {}, run);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().code.text() == "E-LABEL");
    Table narrow = table;
    narrow.columns.erase(narrow.columns.begin());
    narrow.target = 1;
    REQUIRE_FALSE(update(**model, {.table = &narrow, .rows = {}}, {}, run));
    // Columns in another order, labels in another order: the same rows.
    Table turned = table;
    auto swapped = std::make_shared<Column>(*table.columns[2]);
    swapped->domain = make_domain({table.columns[2]->domain->labels()[1], table.columns[2]->domain->labels()[0]});
    for (auto& code : swapped->codes) code = 1 - code;
    turned.columns = {swapped, table.columns[1], table.columns[0]};
    turned.target = 0;
    auto a = update(**model, {.table = &table, .rows = {}}, {}, run);
    auto b = update(**model, {.table = &turned, .rows = {}}, {}, run);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(scores_of(std::get<LabelOutcomes>(*evaluate(**a, {.table = &table, .rows = {}}, {}, run))).log_loss ==
          scores_of(std::get<LabelOutcomes>(*evaluate(**b, {.table = &table, .rows = {}}, {}, run))).log_loss);
}
