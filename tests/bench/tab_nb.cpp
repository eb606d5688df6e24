// Times naive Bayes on a table of labels: tab_nb FILE [threads] [repeats] prints "fit predict total" in seconds, a line a repeat, then the
// accuracy on the rows it learned from. `total` counts the loading too. tab_nb.py runs it next to scikit-learn.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/classify/naive_bayes.hpp"
#include "runtime/data/csv.hpp"
#include "runtime/prob/learning/learning.hpp"

int main(int argc, char** argv) {
    using namespace credence::rt;
    if (argc < 2) {
        std::fputs("usage: tab_nb FILE [threads] [repeats]\n", stderr);
        return 2;
    }
    Run run;
    run.threads = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1;
    const int repeats = argc > 3 ? std::stoi(argv[3]) : 1;
    const auto seconds = [last = std::chrono::steady_clock::now()]() mutable {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> out = now - last;
        last = now;
        return out.count();
    };
    double accuracy = 0;
    for (int i = 0; i < repeats; ++i) {
        auto clock = seconds;
        clock();
        CsvOptions options;
        options.threads = run.threads;
        auto loaded = load_csv(argv[1], options);
        if (!loaded) {
            std::fprintf(stderr, "%s\n", loaded.fault().message.c_str());
            return 1;
        }
        Table table = **loaded;
        table.target = table.columns.size() - 1;
        const double load = clock();
        NaiveBayesSettings settings;
        settings.m = 1;
        const TableView view{.table = &table, .rows = {}};
        auto model = train(*make_naive_bayes(settings), view, {}, run);
        if (!model) {
            std::fprintf(stderr, "%s\n", model.fault().message.c_str());
            return 1;
        }
        const double fit = clock();
        const auto& classifier = dynamic_cast<const Classifier&>(**model);
        auto rows = align(classifier.schema(), table);
        std::vector<std::int32_t> out(table.row_count);
        if (!rows || !classifier.classify({.table = &*rows, .rows = {}}, out, run)) return 1;
        const double predict = clock();
        std::printf("%.4f %.4f %.4f\n", fit, predict, load + fit + predict);
        std::size_t right = 0;
        const auto& truth = table.columns[*table.target]->codes;
        for (std::size_t r = 0; r < out.size(); ++r) right += out[r] == truth[r] ? 1 : 0;
        accuracy = static_cast<double>(right) / static_cast<double>(out.size());
    }
    std::printf("accuracy %.5f\n", accuracy);
    return 0;
}
