// Trains linear machines on texts: text_svm TRAIN TEST [threads], each a file of lines "label TAB text". Prints the seconds of loading and
// training, and the accuracy on TEST. text_svm.py runs it next to liblinear.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/data/csv.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/margin/text_svm.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: text_svm TRAIN TEST [threads]\n", stderr);
        return 2;
    }
    Run run;
    run.threads = argc > 3 ? static_cast<unsigned>(std::stoul(argv[3])) : 1;
    CsvOptions csv;
    csv.header = false;
    csv.separator = '\t';
    csv.threads = run.threads;
    const auto start = std::chrono::steady_clock::now();
    const auto loaded = load_csv(argv[1], csv);
    if (!loaded) return std::fprintf(stderr, "%s\n", loaded.fault().message.c_str()), 1;
    const auto table = with_target(**loaded, "column1");
    if (!table) return 1;
    const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
    const auto model = train(*make_text_svm({}), {.table = table->get(), .rows = {}}, {}, run);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!model) return std::fprintf(stderr, "%s\n", model.fault().message.c_str()), 1;
    const auto& svm = dynamic_cast<const TextSvmModel&>(**model);
    const auto test = load_csv(argv[2], csv);
    if (!test) return 1;
    const auto aligned = align(svm.schema(), **test);
    std::vector<std::int32_t> codes((*test)->row_count);
    if (!aligned || !svm.classify({.table = &*aligned, .rows = {}}, codes, run)) return 1;
    std::size_t right = 0;
    const Column& truth = *(*test)->columns[0];
    for (std::size_t i = 0; i < codes.size(); ++i)
        right += truth.label(i) == (*svm.schema().target.domain)[static_cast<std::size_t>(codes[i])];
    std::printf("%.4f %.4f %.4f %zu\n", elapsed.count(), loading.count(), static_cast<double>(right) / static_cast<double>(codes.size()),
                svm.weights().words().size());
    return 0;
}
