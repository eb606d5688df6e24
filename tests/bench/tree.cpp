// Times decision trees: tree TRAIN.csv TEST.csv TARGET [multiway|binary] [repeats] prints the seconds of each fit, then the accuracy on
// the test rows and the size. tree.py runs it next to scikit-learn.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/classify/tree_model.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "tests/bench/tables.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: tree TRAIN.csv TEST.csv TARGET [multiway|binary] [repeats]\n", stderr);
        return 2;
    }
    const TablePtr train_rows = credence::bench::read_table(argv[1], argv[3]);
    const TablePtr test_rows = credence::bench::read_table(argv[2], argv[3]);
    if (!train_rows || !test_rows) return 1;
    TreeSettings settings;
    settings.splits = argc > 4 && std::string(argv[4]) == "binary" ? LabelSplits::binary : LabelSplits::multiway;
    const int repeats = argc > 5 ? std::stoi(argv[5]) : 1;
    const LearnerPtr learner = make_decision_tree(settings);
    Run run;
    ModelPtr model;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        auto fitted = train(*learner, {.table = train_rows.get(), .rows = {}}, {}, run);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (!fitted) {
            std::fprintf(stderr, "%s\n", fitted.fault().message.c_str());
            return 1;
        }
        model = *fitted;
        std::printf("%.6f\n", elapsed.count());
    }
    const auto& tree = dynamic_cast<const DecisionTree&>(*model);
    auto rows = align(tree.schema(), *test_rows);
    if (!rows) return 1;
    std::vector<std::int32_t> codes(rows->row_count);
    if (!tree.classify({.table = &*rows, .rows = {}}, codes, run)) return 1;
    std::size_t right = 0;
    const Column& target = *test_rows->columns[*test_rows->target];
    for (std::size_t i = 0; i < codes.size(); ++i)
        right += (*tree.schema().target.domain)[static_cast<std::size_t>(codes[i])] == target.label(i);
    std::printf("accuracy %.4f nodes %zu depth %zu\n", static_cast<double>(right) / static_cast<double>(codes.size()),
                tree.tree().nodes.size(), tree.tree().depth());
    return 0;
}
