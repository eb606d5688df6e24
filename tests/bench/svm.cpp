// Trains a support vector machine on a CSV file: svm TRAIN TEST TARGET C SIGMA [threads]; SIGMA 0: a linear kernel. Prints the seconds of
// loading and training, the support vectors and the accuracy on TEST. svm.py runs it next to libsvm's svm-train.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/data/csv.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/margin/svm.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fputs("usage: svm TRAIN TEST TARGET C SIGMA [threads]\n", stderr);
        return 2;
    }
    Run run;
    run.threads = argc > 6 ? static_cast<unsigned>(std::stoul(argv[6])) : 1;
    CsvOptions csv;
    csv.threads = run.threads;
    SvmOptions options;
    options.c = std::stod(argv[4]);
    options.kernel.sigma = std::stod(argv[5]);
    options.kernel.kind = options.kernel.sigma > 0 ? Kernel::Kind::rbf : Kernel::Kind::linear;
    const auto start = std::chrono::steady_clock::now();
    const auto loaded = load_csv(argv[1], csv);
    if (!loaded) return std::fprintf(stderr, "%s\n", loaded.fault().message.c_str()), 1;
    const auto table = with_target(**loaded, argv[3]);
    if (!table) return std::fprintf(stderr, "%s\n", table.fault().message.c_str()), 1;
    const auto model = train(*make_svm(options), {.table = table->get(), .rows = {}}, {}, run);
    if (!model) return std::fprintf(stderr, "%s\n", model.fault().message.c_str()), 1;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const auto& svm = dynamic_cast<const SvmClassifier&>(**model);
    const auto test = load_csv(argv[2], csv);
    if (!test) return 1;
    const auto aligned = align(svm.schema(), **test);
    std::vector<std::int32_t> codes((*test)->row_count);
    if (!aligned || !svm.classify({.table = &*aligned, .rows = {}}, codes, run)) return 1;
    std::size_t right = 0;
    const Column& truth = *(*test)->columns[*(*test)->find(argv[3])];
    for (std::size_t i = 0; i < codes.size(); ++i)
        right += truth.label(i) == (*svm.schema().target.domain)[static_cast<std::size_t>(codes[i])];
    std::printf("%.4f %zu %.4f\n", elapsed.count(), svm.margin_model().vectors.rows,
                static_cast<double>(right) / static_cast<double>(codes.size()));
    return 0;
}
