#include "runtime/data/table_formats.hpp"

#include <filesystem>

#include "runtime/data/arff.hpp"
#include "runtime/data/jsonl.hpp"
#include "runtime/data/text_file.hpp"

namespace credence::rt {

namespace {

Result<TablePtr> read_arff_file(const std::string& path, const CsvOptions& options) { return load_arff(path, options.run); }
Result<TablePtr> read_jsonl_file(const std::string& path, const CsvOptions& options) { return load_jsonl(path, {.run = options.run}); }

Status write_csv_file(const Table& table, const std::string& path) { return save_csv(table, path, ','); }
Status write_tsv_file(const Table& table, const std::string& path) { return save_csv(table, path, '\t'); }
Status write_arff_file(const Table& table, const std::string& path) {
    return write_file(path, write_arff(table, std::filesystem::path(path).stem().string()));
}
Status write_jsonl_file(const Table& table, const std::string& path) { return write_file(path, write_jsonl(table)); }

// clang-format off
constexpr TableFormat all_table_formats[] = {
    {".csv", "CSV", load_csv, write_csv_file},
    {".tsv", "TSV", load_csv, write_tsv_file},
    {".txt", "", load_csv, nullptr},
    {".data", "", load_csv, nullptr},
    {".arff", "ARFF", read_arff_file, write_arff_file},
    {".jsonl", "JSON-lines", read_jsonl_file, write_jsonl_file},
    {".ndjson", "", read_jsonl_file, write_jsonl_file},
};
// clang-format on

}  // namespace

std::span<const TableFormat> table_formats() { return all_table_formats; }

}  // namespace credence::rt
