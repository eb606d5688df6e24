#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>

#include "runtime/data/inflate.hpp"

namespace credence::rt {

namespace {

namespace zlib = boost::beast::zlib;

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t out = 0;
    for (std::size_t i = 4; i-- > 0;) out = out << 8U | static_cast<unsigned char>(bytes[i]);
    return out;
}

enum GzipFlag : unsigned { header_crc = 2, extra_field = 4, file_name = 8, comment = 16 };

/// How long the header is (RFC 1952, 2.3); nothing where this is none, or where it is cut short.
std::optional<std::size_t> header_size(std::string_view bytes) {
    constexpr std::size_t fixed = 10;
    if (bytes.size() < fixed || !bytes.starts_with("\x1f\x8b\x08")) return std::nullopt;
    const auto flags = static_cast<unsigned char>(bytes[3]);
    std::size_t at = fixed;
    if (flags & extra_field) {
        if (bytes.size() < at + 2) return std::nullopt;
        at += 2 + (static_cast<unsigned char>(bytes[at]) | static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8U);
    }
    for (const unsigned text : {file_name, comment}) {
        if (!(flags & text)) continue;
        const auto end = bytes.find('\0', at);
        if (end == std::string_view::npos) return std::nullopt;
        at = end + 1;
    }
    if (flags & header_crc) at += 2;
    return at <= bytes.size() ? std::optional(at) : std::nullopt;
}

void make_room(FileText& text, std::size_t& room) {
    if (text.size < room) return;
    auto more = std::make_unique<char[]>(room * 2);
    std::memcpy(more.get(), text.bytes.get(), text.size);
    text.bytes = std::move(more);
    room *= 2;
}

}  // namespace

Result<FileText> gunzipped(std::string_view bytes, const std::string& path) {
    constexpr std::size_t trailer = 8;  // CRC-32 and size
    std::size_t room = std::max<std::size_t>(1U << 16U, bytes.size() * 4);
    FileText out{std::make_unique<char[]>(room), 0};
    do {
        const auto header = header_size(bytes);
        if (!header) return damaged_gzip(path, "is not compressed by gzip, or damaged");
        bytes.remove_prefix(*header);
        const std::size_t begin = out.size;
        zlib::inflate_stream inflate;
        zlib::z_params step;
        step.next_in = bytes.data();
        step.avail_in = bytes.size();
        for (;;) {
            make_room(out, room);
            step.next_out = out.bytes.get() + out.size;
            step.avail_out = room - out.size;
            boost::beast::error_code error;
            inflate.write(step, zlib::Flush::sync, error);
            out.size = room - step.avail_out;
            if (error == zlib::error::end_of_stream) break;
            if (error == zlib::error::need_buffers && step.avail_in == 0) return damaged_gzip(path, "is cut short");
            if (error && error != zlib::error::need_buffers) return damaged_gzip(path, "is not compressed by gzip, or damaged");
        }
        bytes.remove_prefix(bytes.size() - step.avail_in);
        if (bytes.size() < trailer) return damaged_gzip(path, "is cut short");
        boost::crc_32_type sum;
        sum.process_bytes(out.bytes.get() + begin, out.size - begin);
        if (sum.checksum() != little_endian(bytes) || static_cast<std::uint32_t>(out.size - begin) != little_endian(bytes.substr(4)))
            return damaged_gzip(path, "is damaged");
        bytes.remove_prefix(trailer);
    } while (!bytes.empty());
    return out;
}

}  // namespace credence::rt
