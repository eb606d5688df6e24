#pragma once
// Stretches of whole rows out of a text file that is read piece by piece.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/data/compressed.hpp"

namespace credence::rt {

/// Bytes of a file from one place to another, or of what a compressed file stands for.
class ByteRange {
public:
    ByteRange(const Descriptor& file, std::string_view name, std::size_t begin, std::size_t end)
        : file_(&file), name_(name), at_(begin), end_(end) {}
    /// From `begin` to the end of what it unpacks to.
    static Result<ByteRange> unpacked(const FilePath& file, std::size_t begin);

    /// Fills `room`; less only at the end.
    Result<std::size_t> read(std::span<char> room);

private:
    explicit ByteRange(std::unique_ptr<DataSource> source) : source_(std::move(source)) {}

    const Descriptor* file_ = nullptr;
    std::string_view name_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::unique_ptr<DataSource> source_;
};

/// Whole rows of a CSV file, about a megabyte at a time. A line end inside quotes does not end a row.
class RowWindows {
public:
    RowWindows(ByteRange bytes, char separator) : bytes_(std::move(bytes)), separator_(separator), buffer_(first_size) {}
    /// The next rows, until the next call; empty at the end. E-TABLE where a row is larger than any is.
    Result<std::string_view> next();
    std::size_t position() const { return before_; }  ///< bytes before the window
    bool any_quotes() const { return any_quotes_; }   ///< in what was given so far

private:
    static constexpr std::size_t first_size = std::size_t{1} << 20U;
    static constexpr std::size_t largest_size = std::size_t{1} << 26U;
    std::size_t whole_rows(std::string_view text, bool ended) const;

    ByteRange bytes_;
    char separator_;
    std::vector<char> buffer_;
    std::size_t filled_ = 0;
    std::size_t given_ = 0;
    std::size_t before_ = 0;
    bool ended_ = false;
    bool any_quotes_ = false;
};

}  // namespace credence::rt
