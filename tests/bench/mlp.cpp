// Trains a network on a CSV file of digits: mlp TRAIN TEST TARGET BATCH RATE MOMENTUM EPOCHS. Prints the seconds of training and the
// accuracy on TEST. mlp.py runs it next to scikit-learn's MLPClassifier.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/data/csv.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/gradient/neural.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 8) {
        std::fputs("usage: mlp TRAIN TEST TARGET BATCH RATE MOMENTUM EPOCHS\n", stderr);
        return 2;
    }
    Run run;
    run.rng = Rng(1);
    CsvOptions csv;
    NeuralOptions options;
    options.hidden = {64};
    options.loss = Loss::cross_entropy;
    options.batch = std::stoul(argv[4]);
    options.rate = std::stod(argv[5]);
    options.momentum = std::stod(argv[6]);
    options.epochs = std::stoul(argv[7]);
    const auto table = load_csv(argv[1], csv);
    const auto test = load_csv(argv[2], csv);
    if (!table || !test) return 1;
    const auto targeted = with_target(**table, argv[3]);
    if (!targeted) return 1;
    const auto labelled = as_labels(**targeted, argv[3]);
    if (!labelled) return 1;
    const auto start = std::chrono::steady_clock::now();
    const auto model = train(*make_neural(options), {.table = labelled->get(), .rows = {}}, {}, run);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!model) return std::fprintf(stderr, "%s\n", model.fault().message.c_str()), 1;
    const auto& net = dynamic_cast<const NeuralClassifier&>(**model);
    const auto aligned = align(net.schema(), **test);
    std::vector<std::int32_t> codes((*test)->row_count);
    if (!aligned || !net.classify({.table = &*aligned, .rows = {}}, codes, run)) return 1;
    std::size_t right = 0;
    const Column& truth = *(*test)->columns[*(*test)->find(argv[3])];
    for (std::size_t i = 0; i < codes.size(); ++i)
        right += truth.label(i) == (*net.schema().target.domain)[static_cast<std::size_t>(codes[i])];
    std::printf("%.4f %.4f %.6f\n", elapsed.count(), static_cast<double>(right) / static_cast<double>(codes.size()), net.network().loss);
    return 0;
}
