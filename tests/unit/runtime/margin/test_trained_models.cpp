// Every model of gradient training and margins comes back from a file as it was, and is the same bytes for one thread and two.

#include <catch2/catch.hpp>
#include "tests/support/json.hpp"

#include "runtime/data/columns.hpp"
#include "runtime/features/pca.hpp"
#include "runtime/gradient/linear.hpp"
#include "runtime/gradient/neural.hpp"
#include "runtime/margin/svm.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

enum class Target { two, three, number };

/// x and y at random, a label column, and a target that depends on them.
TablePtr random_table(Target target, std::size_t rows) {
    Rng rng(7);
    ColumnBuilder x("x"), y("y"), colour("colour"), t("t");
    for (std::size_t i = 0; i < rows; ++i) {
        const double a = std::round(rng.normal() * 100) / 100;
        const double b = std::round(rng.normal() * 100) / 100;
        const bool red = rng.uniform() < 0.5;
        const double s = a - b + (red ? 0.7 : 0) + 0.5 * rng.normal();
        x.add(Label::of_number(Number(Rational::from_decimal(a))));
        y.add(Label::of_number(Number(Rational::from_decimal(b))));
        colour.add(Label::of_text(red ? "red" : "blue"));
        if (target == Target::number)
            t.add(Label::of_number(Number(Rational::from_decimal(std::round(s * 1000) / 1000))));
        else
            t.add(Label::of_text(s < -0.5 ? "low" : s > 1 && target == Target::three ? "high" : "middle"));
    }
    std::vector<ColumnPtr> columns;
    for (auto* builder : {&x, &y, &colour, &t}) columns.push_back(*std::move(*builder).finish());
    return make_table(std::move(columns), 3, rows);
}

std::string saved_text(const Learner& learner, const Table& table, unsigned threads) {
    Run run;
    run.rng = Rng(3);
    run.threads = threads;
    const auto model = train(learner, {.table = &table, .rows = {}}, {}, run);
    REQUIRE(model);
    const auto json = (*model)->save();
    REQUIRE(json);
    return json->dump();
}

template <class Load>
void comes_back(const LearnerPtr& learner, Target target, Load load) {
    const TablePtr table = random_table(target, 120);
    const std::string text = saved_text(*learner, *table, 1);
    INFO(learner->name());
    CHECK(saved_text(*learner, *table, 2) == text);
    const auto back = load(*Json::parse(text));
    REQUIRE(back);
    CHECK((*back)->save()->dump() == text);
    Run run;
    const auto again = train(*learner, {.table = table.get(), .rows = {}}, {}, run);
    REQUIRE(again);
    const auto aligned = align((*back)->predictor()->schema(), *table);
    REQUIRE(aligned);
    const TableView view{.table = &*aligned, .rows = {}};
    if (const auto* classifier = dynamic_cast<const Classifier*>(back->get())) {
        std::vector<std::int32_t> codes(120);
        REQUIRE(classifier->classify(view, codes, run));
        std::size_t right = 0;
        for (std::size_t i = 0; i < 120; ++i) right += codes[i] == table->columns[3]->codes[i];
        CHECK(right > 80);
    } else {
        std::vector<double> numbers(120);
        REQUIRE(dynamic_cast<const Regressor&>(**back).predict(view, numbers, run));
        double error = 0;
        for (std::size_t i = 0; i < 120; ++i) error += std::pow(numbers[i] - table->columns[3]->values[i], 2);
        CHECK(error / 120 < 0.5);  // the noise has variance 0.25, the target about 2.4
    }
    // A damaged file is a fault, not a crash.
    const Json whole = *Json::parse(text);
    CHECK_FALSE(load(credence::test::changed(whole, whole.keys()[0])));
}

}  // namespace

TEST_CASE("linear models, networks and machines come back from their files; threads change nothing") {
    const auto linear = [](std::string_view kind) { return [kind](const Json& json) { return load_linear(kind, json); }; };
    const auto machine = [](std::string_view kind) { return [kind](const Json& json) { return load_svm(kind, json); }; };
    LinearOptions few;
    few.epochs = 50;
    comes_back(make_perceptron(few), Target::two, linear("perceptron"));
    comes_back(make_linear_unit({}), Target::number, linear("linear_unit"));
    comes_back(make_logistic({}), Target::two, linear("logistic"));
    comes_back(make_logistic({}), Target::three, linear("logistic"));
    NeuralOptions neural;
    neural.hidden = {4, 3};
    neural.epochs = 60;
    neural.restarts = 3;
    comes_back(make_neural(neural), Target::number, load_neural);
    neural.loss = Loss::cross_entropy;
    neural.validation = 0.2;
    comes_back(make_neural(neural), Target::three, load_neural);
    SvmOptions svm;
    comes_back(make_svm(svm), Target::two, machine("svm"));
    svm.kernel.kind = Kernel::Kind::rbf;
    svm.probability = true;
    comes_back(make_svm(svm), Target::three, machine("svm"));
    svm.multiclass = Multiclass::one_vs_rest;
    comes_back(make_svm(svm), Target::three, machine("svm"));
    svm.probability = false;
    comes_back(make_svr(svm), Target::number, machine("svr"));
}

TEST_CASE("principal components: threads, files, and the way there and back") {
    const TablePtr table = random_table(Target::number, 5000);
    Run run;
    const auto one = principal_components(*table, {}, run);
    run.threads = 2;
    const auto two = principal_components(*table, {}, run);
    REQUIRE(one);
    REQUIRE(two);
    CHECK((*one)->save()->dump() == (*two)->save()->dump());
    const auto back = load_pca(*Json::parse((*one)->save()->dump()));
    REQUIRE(back);
    const auto turned = dynamic_cast<const PrincipalComponents&>(**back).transform(*table);
    REQUIRE(turned);
    const auto again = (*one)->back(**turned);
    REQUIRE(again);
    for (std::size_t i = 0; i < 5000; i += 100) {
        CHECK((*again)->columns[0]->values[i] == Approx(table->columns[0]->values[i]).margin(1e-12));
        CHECK((*again)->columns[1]->values[i] == Approx(table->columns[1]->values[i]).margin(1e-12));
    }
}
