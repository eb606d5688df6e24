// Local lines: 1,000 queries over 100,000 points in three dimensions with k = 50. Training (the index) and prediction, one thread.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "runtime/core/rng.hpp"
#include "runtime/instance/lwr.hpp"
#include "runtime/prob/learning/learning.hpp"

using namespace credence::rt;

namespace {

Table random_table(std::size_t rows, Rng& rng) {
    Table out;
    out.row_count = rows;
    std::vector<std::shared_ptr<Column>> columns;
    for (const char* name : {"a", "b", "c", "y"}) {
        auto column = std::make_shared<Column>();
        column->name = name;
        column->kind = ColumnKind::numeric;
        column->values.resize(rows);
        columns.push_back(std::move(column));
    }
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t c = 0; c < 3; ++c) columns[c]->values[i] = rng.uniform();
        columns[3]->values[i] = std::sin(4 * columns[0]->values[i]) + columns[1]->values[i] * columns[1]->values[i] + 0.1 * rng.normal();
    }
    out.columns.assign(columns.begin(), columns.end());
    out.target = 3;
    return out;
}

}  // namespace

int main() {
    Rng rng(11);
    const Table data = random_table(100'000, rng);
    Table queries = random_table(1'000, rng);
    queries.columns.pop_back();
    queries.target.reset();
    LwrOptions options;
    options.k = 50;
    options.default_k = false;
    double least_train = 1e9;
    double least_predict = 1e9;
    double error = 0;
    for (int round = 0; round < 7; ++round) {
        Run run;
        const auto start = std::chrono::steady_clock::now();
        const auto model = train(*make_lwr(options), {.table = &data, .rows = {}}, {}, run);
        const auto middle = std::chrono::steady_clock::now();
        std::vector<double> out(queries.row_count);
        if (!model || !dynamic_cast<const Regressor&>(**model).predict({.table = &queries, .rows = {}}, out, run)) return 1;
        const auto end = std::chrono::steady_clock::now();
        least_train = std::min(least_train, std::chrono::duration<double>(middle - start).count());
        least_predict = std::min(least_predict, std::chrono::duration<double>(end - middle).count());
        error = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double truth = std::sin(4 * queries.columns[0]->values[i]) + std::pow(queries.columns[1]->values[i], 2);
            error += (out[i] - truth) * (out[i] - truth) / static_cast<double>(out.size());
        }
    }
    std::printf("train %.4f s, 1,000 predictions %.4f s, root mean square error to the truth %.4f\n", least_train, least_predict,
                std::sqrt(error));
}
