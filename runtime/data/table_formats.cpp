#include "runtime/data/table_formats.hpp"

#include <filesystem>

#include "runtime/data/arff.hpp"
#include "runtime/data/compressed.hpp"
#include "runtime/data/csv_blocks.hpp"
#include "runtime/data/jsonl.hpp"

namespace credence::rt {

namespace {

Result<TablePtr> read_arff_file(const FilePath& file, const CsvOptions& options) { return load_arff(file, options.run); }
Result<TablePtr> read_jsonl_file(const FilePath& file, const CsvOptions& options) { return load_jsonl(file, {.run = options.run}); }

Status write_csv_file(const Table& table, const FilePath& file) { return save_csv(table, file, ','); }
Status write_tsv_file(const Table& table, const FilePath& file) { return save_csv(table, file, '\t'); }
Status write_arff_file(const Table& table, const FilePath& file) {
    return write_data_file(file, write_arff(table, std::filesystem::path(data_name(file.path)).stem().string()));
}
Status write_jsonl_file(const Table& table, const FilePath& file) { return write_data_file(file, write_jsonl(table)); }

constexpr DatabaseFormat sqlite{load_sqlite, save_sqlite};

// clang-format off
constexpr TableFormat all_table_formats[] = {
    {".csv", "CSV", load_csv, write_csv_file, nullptr, open_csv_blocks},
    {".tsv", "TSV", load_csv, write_tsv_file, nullptr, open_csv_blocks},
    {".txt", "", load_csv, nullptr, nullptr, open_csv_blocks},
    {".data", "", load_csv, nullptr, nullptr, open_csv_blocks},
    {".arff", "ARFF", read_arff_file, write_arff_file},
    {".jsonl", "JSON-lines", read_jsonl_file, write_jsonl_file},
    {".ndjson", "", read_jsonl_file, write_jsonl_file},
    {".db", "SQLite", nullptr, nullptr, &sqlite},
    {".sqlite", "", nullptr, nullptr, &sqlite},
    {".sqlite3", "", nullptr, nullptr, &sqlite},
};
// clang-format on

}  // namespace

std::span<const TableFormat> table_formats() { return all_table_formats; }

}  // namespace credence::rt
