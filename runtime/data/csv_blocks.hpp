#pragma once
// CSV files in blocks.

#include "runtime/data/csv.hpp"
#include "runtime/data/row_blocks.hpp"

namespace credence::rt {

/// Reads the file once to learn the kinds of its columns and their labels; the run of the options is needed. As load_csv, but a column may
/// have only so many labels (E-COST). A compressed file is one part.
Result<RowBlocksPtr> open_csv_blocks(const FilePath& path, const CsvOptions& options);

}  // namespace credence::rt
