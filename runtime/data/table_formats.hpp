#pragma once
// Tables in files: a format is its reader, its writer and one line of the table in table_formats.cpp.

#include <span>
#include <string>
#include <string_view>

#include "runtime/data/csv.hpp"
#include "runtime/data/database.hpp"
#include "runtime/data/file_path.hpp"
#include "runtime/data/row_blocks.hpp"

namespace credence::rt {

struct TableFormat {
    std::string_view ending;  ///< ".csv"
    std::string_view name;    ///< "CSV"; empty if another ending has the same format
    /// Formats that say more about their columns than a text file read only `run` of the options.
    Result<TablePtr> (*read)(const FilePath& file, const CsvOptions& options);
    Status (*write)(const Table& table, const FilePath& file);  ///< null: only read
    const DatabaseFormat* database = nullptr;                   ///< of files with several tables, in place of both
    /// Rows that are read again for each pass (stream: true); null where the format has none.
    Result<RowBlocksPtr> (*blocks)(const FilePath& file, const CsvOptions& options) = nullptr;
};
std::span<const TableFormat> table_formats();

}  // namespace credence::rt
