// A Gaussian process over rows of doubles in a file (row by row, the target last), with all parameters learned: gaussian_process FILE ROWS
// COLUMNS. Prints processor seconds and the log evidence. gaussian_process.py runs it next to scikit-learn.

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "runtime/data/columns.hpp"
#include "runtime/instance/gaussian_process.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: gaussian_process FILE ROWS COLUMNS\n", stderr);
        return 2;
    }
    const std::size_t rows = std::stoul(argv[2]);
    const std::size_t columns = std::stoul(argv[3]);
    std::vector<double> values(rows * columns);
    std::ifstream(argv[1], std::ios::binary).read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
    std::vector<ColumnPtr> made;
    for (std::size_t c = 0; c < columns; ++c) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(c);
        column->kind = ColumnKind::numeric;
        for (std::size_t r = 0; r < rows; ++r) column->values.push_back(values[r * columns + c]);
        made.push_back(std::move(column));
    }
    const TablePtr table = make_table(std::move(made), columns - 1, rows);
    Run run;
    const std::clock_t start = std::clock();
    const auto model = make_gaussian_process({.scaling = AxisScale::none})->fit({.table = table.get(), .rows = {}}, {}, run);
    const double elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!model) return 1;
    std::printf("%.4f %.9f\n", elapsed, dynamic_cast<const GaussianProcess&>(**model).log_evidence());
    return 0;
}
