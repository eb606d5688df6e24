// Times forests and boosted trees: ensembles TRAIN.csv TEST.csv TARGET forest|boosted THREADS [repeats [rounds]] prints the seconds of
// processor time of each fit, those of predicting the test rows, and the accuracy. ensembles.py runs it next to scikit-learn and XGBoost.

#include <cstdio>
#include <ctime>
#include <string>

#include "runtime/ensembles/boosted.hpp"
#include "runtime/ensembles/forest.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "tests/bench/tables.hpp"

namespace {

using namespace credence::rt;

/// Of all threads: other programs on the machine do not count.
double seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fputs("usage: ensembles TRAIN.csv TEST.csv TARGET forest|boosted THREADS [repeats [rounds]]\n", stderr);
        return argc == 1 ? 0 : 2;
    }
    const TablePtr train_rows = credence::bench::read_table(argv[1], argv[3]);
    const TablePtr test_rows = credence::bench::read_table(argv[2], argv[3]);
    if (!train_rows || !test_rows) return 1;
    BoostedOptions boosting;
    if (argc > 7) boosting.rounds = static_cast<std::size_t>(std::stoi(argv[7]));
    const LearnerPtr learner = std::string(argv[4]) == "forest" ? make_random_forest({}) : make_boosted_trees(boosting);
    const int repeats = argc > 6 ? std::stoi(argv[6]) : 1;
    Run run;
    run.threads = static_cast<unsigned>(std::stoi(argv[5]));
    ModelPtr model;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::clock();
        auto fitted = train(*learner, {.table = train_rows.get(), .rows = {}}, {}, run);
        if (!fitted) {
            std::fprintf(stderr, "%s\n", fitted.fault().message.c_str());
            return 1;
        }
        std::printf("%.6f\n", seconds_since(start));
        model = *fitted;
    }
    const auto& classifier = dynamic_cast<const Classifier&>(*model);
    const auto start = std::clock();
    auto rows = align(classifier.schema(), *test_rows);
    if (!rows) return 1;
    std::vector<std::int32_t> codes(rows->row_count);
    if (!classifier.classify({.table = &*rows, .rows = {}}, codes, run)) return 1;
    const double predicting = seconds_since(start);
    std::size_t right = 0;
    const Column& target = *test_rows->columns[*test_rows->target];
    for (std::size_t i = 0; i < codes.size(); ++i)
        right += (*classifier.schema().target.domain)[static_cast<std::size_t>(codes[i])] == target.label(i);
    std::printf("predict %.6f accuracy %.4f\n", predicting, static_cast<double>(right) / static_cast<double>(codes.size()));
    return 0;
}
