#pragma once
// Whole files in and out, and the check that a text is UTF-8.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/result.hpp"
#include "runtime/data/file_path.hpp"

namespace credence::rt {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }  ///< within a line

/// The bytes of a file. Read, not mapped: a file that shrinks meanwhile must not end the program.
struct FileText {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;

    std::string_view view() const { return {bytes.get(), size}; }
};

/// What may be read: files alone, which have an end, or pipes and devices too, as a script may come from one.
enum class Readable { files, anything };
inline constexpr std::size_t most_file_bytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 32U : 31U);
inline constexpr std::size_t most_script_bytes = std::size_t{1} << 26U;
/// E-FILE when there is none, when it is a folder, when it is larger than `most`, or when it cannot be read.
Result<FileText> read_file(const FilePath& file, Readable readable = Readable::files, std::size_t most = most_file_bytes);

/// Atomic: a new file in the same folder, synced and renamed, and the folder synced, so that a reader sees the old text or the new.
/// What is not a regular file (a pipe, /dev/stdout) is written to directly, where no root is given.
Status write_file(const FilePath& file, std::string_view text);

std::string_view without_bom(std::string_view text);

/// The position of the first byte that is not valid UTF-8 (Unicode 15, table 3-7: no surrogates, no overlong forms).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Counted from 1.
std::size_t line_of(std::string_view text, std::size_t offset);

/// E-TEXT with the line, when the text is not UTF-8.
Status check_utf8(std::string_view text);

/// The fault of a reader, with the name of the file in front.
Fault in_file(const FilePath& file, Fault fault);

}  // namespace credence::rt
