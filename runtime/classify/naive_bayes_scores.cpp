#include "runtime/classify/naive_bayes_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/classify/naive_bayes_counts.hpp"
#include "runtime/core/parallel.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t rows_a_block = 512;  ///< the scores of a block stay in the first-level cache
constexpr std::size_t rows_a_task = 1U << 15U;

/// Classes as a constant where they are few: the inner loop is then unrolled into one or two vector additions.
template <std::size_t Classes>
void add_codes(const double* table, const std::int32_t* codes, std::size_t n, std::size_t classes, double* scores) {
    const std::size_t k = Classes > 0 ? Classes : classes;
    for (std::size_t i = 0; i < n; ++i) {
        const double* from = table + static_cast<std::size_t>(codes[i] + 1) * k;
        double* to = scores + i * k;
        for (std::size_t c = 0; c < k; ++c) to[c] += from[c];
    }
}

void add_table(const ScoreTable& table, const std::int32_t* codes, std::size_t n, std::size_t classes, double* scores) {
    const double* t = table.by_code.data();
    switch (classes) {
        case 2:
            return add_codes<2>(t, codes, n, classes, scores);
        case 3:
            return add_codes<3>(t, codes, n, classes, scores);
        case 4:
            return add_codes<4>(t, codes, n, classes, scores);
        case 5:
            return add_codes<5>(t, codes, n, classes, scores);
        default:
            return add_codes<0>(t, codes, n, classes, scores);
    }
}

void add_normal(const ScoreTable& table, const double* values, std::size_t n, std::size_t classes, double* scores) {
    for (std::size_t i = 0; i < n; ++i) {
        const double x = values[i];
        if (std::isnan(x)) continue;
        for (std::size_t c = 0; c < classes; ++c) {
            const double z = (x - table.mean[c]) * table.inverse_sd[c];
            scores[i * classes + c] += table.log_norm[c] - z * z / 2;
        }
    }
}

}  // namespace

void score_rows(const Scores& tables, const TableView& rows, unsigned threads,
                const std::function<void(std::size_t, std::span<const double>)>& use) {
    const std::size_t k = tables.classes;
    parallel_chunks(rows.size(), rows_a_task, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> scores(rows_a_block * k);
        std::array<std::int32_t, rows_a_block> codes{};
        std::array<double, rows_a_block> values{};
        for (std::size_t first = begin; first < end; first += rows_a_block) {
            const std::size_t n = std::min(rows_a_block, end - first);
            for (std::size_t i = 0; i < n; ++i)
                std::copy(tables.prior.begin(), tables.prior.end(), scores.begin() + static_cast<std::ptrdiff_t>(i * k));
            for (std::size_t f = 0; f < tables.features.size(); ++f) {
                const ScoreTable& table = tables.features[f];
                const Column& column = *rows.table->columns[f];
                if (column.kind == ColumnKind::label) {
                    const std::int32_t* from = column.codes.data() + first;
                    if (!rows.all) {
                        for (std::size_t i = 0; i < n; ++i) codes[i] = column.codes[rows.row(first + i)];
                        from = codes.data();
                    }
                    add_table(table, from, n, k, scores.data());
                    continue;
                }
                for (std::size_t i = 0; i < n; ++i) values[i] = column.values[rows.row(first + i)];
                if (!table.mean.empty()) {
                    add_normal(table, values.data(), n, k, scores.data());
                    continue;
                }
                for (std::size_t i = 0; i < n; ++i)
                    codes[i] = std::isnan(values[i]) ? -1 : static_cast<std::int32_t>(bin_of(values[i], table.cuts));
                add_table(table, codes.data(), n, k, scores.data());
            }
            use(first, std::span<const double>(scores).first(n * k));
        }
    });
}

std::int32_t best_class(std::span<const double> scores) {
    double best = -std::numeric_limits<double>::infinity();
    for (const double s : scores) best = std::max(best, s);
    if (!(best > -std::numeric_limits<double>::infinity())) return -1;
    const double equal = best - 1e-12 * std::max(1.0, std::abs(best));
    std::int32_t c = 0;
    while (!(scores[static_cast<std::size_t>(c)] >= equal)) ++c;
    return c;
}

}  // namespace credence::rt
