// Principal components of 100,000 x 50 numbers from a file of doubles (row by row): pca FILE ROWS COLUMNS [threads]. Prints seconds and the
// first eigenvalue. pca.py runs it next to scikit-learn.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/features/pca.hpp"
#include "tests/bench/tables.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: pca FILE ROWS COLUMNS [threads]\n", stderr);
        return 2;
    }
    const std::size_t rows = std::stoul(argv[2]);
    const std::size_t columns = std::stoul(argv[3]);
    const TablePtr table = make_table(credence::bench::read_doubles(argv[1], rows, columns), std::nullopt, rows);
    Run run;
    run.threads = argc > 4 ? static_cast<unsigned>(std::stoul(argv[4])) : 1;
    PcaOptions options;
    options.k = 10;
    const auto start = std::chrono::steady_clock::now();
    const auto pc = principal_components(*table, options, run);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!pc) return 1;
    std::printf("%.4f %.9f %.9f\n", elapsed.count(), (*pc)->eigenvalues[0], (*pc)->eigenvalues[9]);
    return 0;
}
