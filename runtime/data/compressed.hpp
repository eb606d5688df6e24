#pragma once
// Files of data, compressed by gzip (.gz) or Zstandard (.zst) or not.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/data/text_file.hpp"

namespace credence::rt {

/// The unpacked bytes of a file, piece by piece.
class DataSource {
public:
    virtual ~DataSource() = default;
    /// Fills `room`; less only at the end. E-FILE if the file is damaged or cut short.
    virtual Result<std::size_t> read(std::span<char> room) = 0;
    /// How much of the file itself has been read.
    virtual std::size_t position() const = 0;
};
Result<std::unique_ptr<DataSource>> open_data_source(const FilePath& file);

/// All unpacked bytes of a file, up to `most`.
Result<FileText> read_data_file(const FilePath& file, std::size_t most = most_file_bytes);
/// Written atomically, and compressed where the name says so.
Status write_data_file(const FilePath& file, std::string_view text);

bool is_compressed(const std::string& path);
/// "t.csv" of "t.csv.gz" and of "t.csv".
std::string data_name(const std::string& path);
/// ".csv" of both.
std::string data_ending(const std::string& path);

}  // namespace credence::rt
