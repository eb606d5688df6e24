// A Gaussian process over rows of doubles in a file (row by row, the target last), with all parameters learned: gaussian_process FILE ROWS
// COLUMNS. Prints processor seconds and the log evidence. gaussian_process.py runs it next to scikit-learn.

#include <cstdio>
#include <ctime>
#include <string>

#include "runtime/instance/gaussian_process.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "tests/bench/tables.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: gaussian_process FILE ROWS COLUMNS\n", stderr);
        return 2;
    }
    const std::size_t rows = std::stoul(argv[2]);
    const std::size_t columns = std::stoul(argv[3]);
    const TablePtr table = make_table(credence::bench::read_doubles(argv[1], rows, columns), columns - 1, rows);
    Run run;
    const std::clock_t start = std::clock();
    const auto model = make_gaussian_process({.scaling = AxisScale::none})->fit({.table = table.get(), .rows = {}}, {}, run);
    const double elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!model) return 1;
    std::printf("%.4f %.9f\n", elapsed, dynamic_cast<const GaussianProcess&>(**model).log_evidence());
    return 0;
}
