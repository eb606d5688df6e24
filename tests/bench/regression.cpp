// Times one least-squares fit: regression FILE.csv TARGET → seconds and the weights, for tests/bench/regression.py.

#include <chrono>
#include <cstdio>
#include <string>

#include "runtime/data/csv.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/regression/regression.hpp"

int main(int argc, char** argv) {
    using namespace credence::rt;
    if (argc != 3) return 2;
    auto loaded = load_csv(argv[1], {});
    if (!loaded) return 1;
    auto table = with_target(**loaded, std::string(argv[2]));
    if (!table) return 1;
    Run run;
    const auto start = std::chrono::steady_clock::now();
    auto model = train(*make_regression({}), {.table = table->get(), .rows = {}}, {}, run);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!model) return 1;
    const auto& fit = dynamic_cast<const LinearModel&>(**model).fit();
    std::printf("%.6f", took.count());
    for (std::size_t t = 1; t < fit.weights.size(); ++t) std::printf(" %.17g", fit.weights[t].real());
    std::printf("\n");
}
