#pragma once
// The data of benchmarks as tables.

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/data/columns.hpp"
#include "runtime/data/csv.hpp"
#include "runtime/data/table_ops.hpp"

namespace credence::bench {

/// Columns x0, x1, … from a file of doubles, row by row.
inline std::vector<rt::ColumnPtr> read_doubles(const char* path, std::size_t rows, std::size_t columns) {
    std::vector<double> values(rows * columns);
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
    std::vector<rt::ColumnPtr> out;
    for (std::size_t c = 0; c < columns; ++c) {
        auto column = std::make_shared<rt::Column>();
        column->name = "x" + std::to_string(c);
        column->kind = rt::ColumnKind::numeric;
        for (std::size_t r = 0; r < rows; ++r) column->values.push_back(values[r * columns + c]);
        out.push_back(std::move(column));
    }
    return out;
}

/// A CSV file with that target; null, with a message, if it cannot be read.
inline rt::TablePtr read_table(const char* path, const char* target) {
    auto table = rt::load_csv(path, {});
    auto out = table ? rt::with_target(**table, std::string(target)) : rt::Result<rt::TablePtr>(std::move(table).fault());
    if (out) return *out;
    std::fprintf(stderr, "%s\n", out.fault().message.c_str());
    return nullptr;
}

}  // namespace credence::bench
