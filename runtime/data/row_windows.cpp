#include "runtime/data/row_windows.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/data/csv_scan.hpp"

namespace credence::rt {

Result<ByteRange> ByteRange::unpacked(const FilePath& file, std::size_t begin) {
    auto source = TRY(open_data_source(file));
    ByteRange out(std::move(source));
    std::vector<char> skipped(begin);
    TRY(out.source_->read(skipped));
    return out;
}

Result<std::size_t> ByteRange::read(std::span<char> room) {
    if (source_) return source_->read(room);
    std::size_t done = 0;
    const std::size_t wanted = std::min(room.size(), end_ - at_);
    while (done < wanted) {
        const ssize_t got = ::pread(file_->get(), room.data() + done, wanted - done, static_cast<off_t>(at_ + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_fault("read", std::string(name_), errno);
        if (got == 0) return Fault{.code = "E-FILE", .message = "'" + std::string(name_) + "' has become shorter since it was opened"};
        done += static_cast<std::size_t>(got);
    }
    at_ += done;
    return done;
}

/// How much of the text is rows whose end is seen.
std::size_t RowWindows::whole_rows(std::string_view text, bool ended) const {
    if (ended) return text.size();
    const auto last = text.rfind('\n');
    if (last == std::string_view::npos) return 0;
    const std::string_view lines = text.substr(0, last + 1);
    if (lines.find('"') == std::string_view::npos) return lines.size();
    CsvScanner scanner(lines, separator_);
    std::vector<Cell> cells;
    std::size_t sure = 0;
    constexpr std::size_t at_once = 256;
    while (const std::size_t rows = scanner.read(at_once, 0, cells)) {
        // Before a quote that is open at the end of the lines, the last row may lack its end as well. Other problems are for the reader.
        if (scanner.problem()) return scanner.problem()->open_quote ? scanner.row_offset(rows - 1) : lines.size();
        sure = scanner.position();
    }
    return scanner.problem() && scanner.problem()->open_quote ? sure : lines.size();
}

Result<std::string_view> RowWindows::next() {
    std::memmove(buffer_.data(), buffer_.data() + given_, filled_ - given_);
    filled_ -= given_;
    before_ += given_;
    given_ = 0;
    for (;;) {
        if (!ended_) {
            const std::size_t room = buffer_.size() - filled_;
            const std::size_t got = TRY(bytes_.read(std::span(buffer_).subspan(filled_)));
            filled_ += got;
            ended_ = got < room;
        }
        const std::string_view text(buffer_.data(), filled_);
        given_ = whole_rows(text, ended_);
        if (given_ > 0 || ended_) {
            any_quotes_ = any_quotes_ || text.substr(0, given_).find('"') != std::string_view::npos;
            return text.substr(0, given_);
        }
        if (buffer_.size() >= largest_size)
            return Fault{.code = "E-TABLE", .message = "has a row of more than 64 MB", .hint = "a quote may have been left open"};
        buffer_.resize(buffer_.size() * 2);
    }
}

}  // namespace credence::rt
