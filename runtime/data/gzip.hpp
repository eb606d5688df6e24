#pragma once
// Files of data, compressed by gzip or not.

#include <string>

#include "runtime/data/text_file.hpp"

namespace credence::rt {

/// The bytes of a file; where its name ends in .gz, what they stand for. E-FILE where that is damaged or cut short.
Result<FileText> read_data_file(const FilePath& file);

/// ".csv" of "t.csv" and of "t.csv.gz".
std::string data_ending(const std::string& path);

}  // namespace credence::rt
