// Times EM for a mixture of normals from a given start: gaussian_mixture ROWS.f64 MEANS.f64 COLUMNS KIND ITERATIONS THREADS → seconds and
// log-likelihood a row, for tests/bench/gaussian_mixture.py. Both files hold doubles, row by row.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/prob/learning/learning.hpp"

namespace {

credence::rt::Matrix read(const char* path, std::size_t columns) {
    credence::rt::Matrix out;
    out.columns = columns;
    if (std::FILE* file = std::fopen(path, "rb")) {
        double x = 0;
        while (std::fread(&x, sizeof x, 1, file) == 1) out.values.push_back(x);
        std::fclose(file);
    }
    out.rows = out.values.size() / columns;
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace credence::rt;
    if (argc != 7) return 2;
    const std::size_t d = std::strtoul(argv[3], nullptr, 10);
    const Matrix rows = read(argv[1], d);
    Table table;
    table.row_count = rows.rows;
    for (std::size_t j = 0; j < d; ++j) {
        auto column = std::make_shared<Column>();
        column->name = "x" + std::to_string(j);
        column->kind = ColumnKind::numeric;
        for (std::size_t i = 0; i < rows.rows; ++i) column->values.push_back(rows(i, j));
        table.columns.push_back(std::move(column));
    }
    GaussianMixtureOptions options;
    GaussianStart start{read(argv[2], d), {}, {}};
    options.k = start.means.rows;
    Matrix identity(d, d);
    for (std::size_t j = 0; j < d; ++j) identity(j, j) = 1;
    start.covariances.assign(options.k, identity);
    options.init = std::move(start);
    const auto kind = covariance_kind(argv[4]);
    if (!kind) return 2;
    options.kind = *kind;
    options.iterations = std::strtoul(argv[5], nullptr, 10);
    options.tolerance = -1;  // all of them
    Run run;
    run.threads = static_cast<unsigned>(std::strtoul(argv[6], nullptr, 10));
    const auto begin = std::chrono::steady_clock::now();
    auto model = train(*make_gaussian_mixture(options), {.table = &table, .rows = {}}, {}, run);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!model) return 1;
    const auto& mixture = dynamic_cast<const GaussianMixtureModel&>(**model).mixture();
    std::printf("%.6f %.12f\n", took.count(), mixture.log_likelihood() / mixture.rows);
}
