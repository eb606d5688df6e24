// In place of zlib and Zstandard in the browser: gzip is unpacked, and nothing is packed.

#include <cstdint>
#include <optional>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>

#include "runtime/data/codec.hpp"

namespace credence::rt {

namespace {

namespace zlib = boost::beast::zlib;

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t out = 0;
    for (std::size_t i = 4; i-- > 0;) out = out << 8U | static_cast<unsigned char>(bytes[i]);
    return out;
}

enum GzipFlag : unsigned { header_crc = 2, extra_field = 4, file_name = 8, comment = 16 };

/// How long the header is (RFC 1952, 2.3); nothing if this is none, or where it is cut short.
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

/// Unpacks one member after the other: a header, what it holds, a trailer.
class BoostInflating : public Unpacking {
public:
    State advance(std::string_view& packed, std::span<char>& room) override {
        constexpr std::size_t longest_header = 1U << 17U;
        constexpr std::size_t trailer = 8;  // CRC-32 and size
        if (packed.empty()) return State::inside;
        if (part_ == Part::header) {
            const std::size_t before = kept_.size();
            kept_ += packed.substr(0, longest_header - before);
            const auto header = header_size(kept_);
            if (!header) {
                packed.remove_prefix(kept_.size() - before);
                const bool fits = std::string_view("\x1f\x8b\x08").starts_with(std::string_view(kept_).substr(0, 3));
                return fits && kept_.size() < longest_header ? State::inside : State::damaged;
            }
            packed.remove_prefix(*header - before);
            kept_.clear();
            part_ = Part::data;
        }
        if (part_ == Part::data) {
            if (!inflate(packed, room)) return State::damaged;
            if (part_ == Part::data) return State::inside;
        }
        const std::size_t taken = std::min(trailer - kept_.size(), packed.size());
        kept_ += packed.substr(0, taken);
        packed.remove_prefix(taken);
        if (kept_.size() < trailer) return State::inside;
        const bool whole = sum_.checksum() == little_endian(kept_) && size_ == little_endian(std::string_view(kept_).substr(4));
        *this = BoostInflating();
        return whole ? State::between : State::damaged;
    }

private:
    enum class Part { header, data, trailer };

    bool inflate(std::string_view& packed, std::span<char>& room) {
        zlib::z_params step;
        step.next_in = packed.data();
        step.avail_in = packed.size();
        step.next_out = room.data();
        step.avail_out = room.size();
        boost::beast::error_code error;
        inflate_->write(step, zlib::Flush::sync, error);
        const std::size_t made = room.size() - step.avail_out;
        sum_.process_bytes(room.data(), made);
        size_ += static_cast<std::uint32_t>(made);
        packed.remove_prefix(packed.size() - step.avail_in);
        room = room.subspan(made);
        if (error == zlib::error::end_of_stream) part_ = Part::trailer;
        return !error || error == zlib::error::end_of_stream || error == zlib::error::need_buffers;
    }

    Part part_ = Part::header;
    std::string kept_;  ///< of a header or a trailer that comes in pieces
    std::unique_ptr<zlib::inflate_stream> inflate_ = std::make_unique<zlib::inflate_stream>();
    boost::crc_32_type sum_;
    std::uint32_t size_ = 0;
};

std::unique_ptr<Unpacking> unpack_gzip() { return std::make_unique<BoostInflating>(); }

}  // namespace

const Codec gzip_codec{".gz", "gzip", unpack_gzip, nullptr};
const Codec zstd_codec{".zst", "zstd", nullptr, nullptr};

}  // namespace credence::rt
