#include "runtime/data/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "runtime/core/run.hpp"
#include "runtime/data/same_file.hpp"

namespace credence::rt {

namespace {

/// Length of the well-formed sequence at text[i], 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) -> unsigned { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
    const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

bool ascii_block(const char* bytes) {
    std::uint64_t words[8];
    std::memcpy(words, bytes, sizeof words);
    std::uint64_t any = 0;
    for (const auto word : words) any |= word;
    return (any & 0x8080808080808080U) == 0;
}

}  // namespace

namespace {

Result<FileText> read_own_file(const FilePath& file, Readable readable, std::size_t most) {
    const auto too_large = [&] {
        return Fault{.code = "E-FILE",
                     .message = fmt::format("'{}' has more than {} MB, which is the most that is read", file.path, most >> 20U)};
    };
    std::size_t capacity = std::size_t{1} << 16U;
    std::optional<Descriptor> opened;
    if (readable == Readable::files) {
        auto data = TRY(open_data(file));
        struct stat info = {};
        if (::fstat(data.get(), &info) != 0) return file_fault("read", file, errno);
        if (info.st_size > 0) capacity = static_cast<std::size_t>(info.st_size) + 1;
        opened.emplace(std::move(data));
    } else {
        opened.emplace(open_path(file, O_RDONLY));
        // Refusals have the same message as for any other file.
        if (!opened->is_open() || is_folder(file)) {
            auto data = TRY(open_data(file));
            opened.emplace(std::move(data));
        }
    }
    if (capacity > most) return too_large();

    // the size is a promise only of regular files, and may be outdated even there: so read until the end comes
    FileText text{std::unique_ptr<char[]>(new char[capacity]), 0};
    for (;;) {
        if (text.size == capacity) {
            if (capacity >= most) return too_large();
            auto larger = std::unique_ptr<char[]>(new char[capacity * 2]);
            std::memcpy(larger.get(), text.bytes.get(), text.size);
            text.bytes = std::move(larger);
            capacity *= 2;
        }
        const ssize_t got = ::read(opened->get(), text.bytes.get() + text.size, capacity - text.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_fault("read", file, errno);
        if (got == 0) return text;
        text.size += static_cast<std::size_t>(got);
    }
}

}  // namespace

Result<FileText> read_file(const FilePath& file, Readable readable, std::size_t most) {
    FilePath own = file;
    own.ranks = nullptr;  // what the ranks compare is the whole text
    auto text = read_own_file(own, readable, most);
    if (file.ranks) TRY(agreed(file, text ? Status(Done{}) : Status(text.fault()), text ? state_of(text->view()) : FileState{}));
    return text;
}

std::string_view without_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    constexpr std::size_t block = 64;
    std::size_t i = 0;
    while (i < text.size()) {
        if (i + block <= text.size() && ascii_block(text.data() + i)) {
            i += block;
            continue;
        }
        const std::size_t stop = std::min(text.size(), i + block);
        while (i < stop) {
            const std::size_t length = utf8_length(text, i);
            if (length == 0) return i;
            i += length;
        }
    }
    return std::nullopt;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

Status check_utf8(std::string_view text) {
    const auto bad = first_invalid_utf8(text);
    if (!bad) return Done{};
    const bool wide = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
    return Fault{
        .code = "E-TEXT",
        .message = "line " + std::to_string(line_of(text, *bad)) + " is not UTF-8",
        .hint = wide ? "it looks like UTF-16: save it as UTF-8" : "save it as UTF-8; an older table may be in Latin-1 or Windows-1252"};
}

Fault in_file(const FilePath& file, Fault fault) {
    if (fault.code != stopped_fault().code) fault.message = file.path + ": " + fault.message;
    return fault;
}

}  // namespace credence::rt
