#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "runtime/data/codec.hpp"

namespace credence::rt {

namespace {

constexpr int gzip_format = 16 + MAX_WBITS;

/// zlib counts what it is given in 32 bits.
uInt counted_by_zlib(std::size_t bytes) { return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max())); }
Bytef* only_read(const char* bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes)); }

class Inflating : public Unpacking {
public:
    Inflating() {
        if (inflateInit2(&stream_, gzip_format) != Z_OK) throw std::bad_alloc();
    }
    ~Inflating() override { inflateEnd(&stream_); }
    Inflating(const Inflating&) = delete;
    Inflating& operator=(const Inflating&) = delete;

    State advance(std::string_view& packed, std::span<char>& room) override {
        stream_.next_in = only_read(packed.data());
        stream_.avail_in = counted_by_zlib(packed.size());
        stream_.next_out = reinterpret_cast<Bytef*>(room.data());
        stream_.avail_out = counted_by_zlib(room.size());
        const uInt in = stream_.avail_in;
        const uInt out = stream_.avail_out;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        packed.remove_prefix(in - stream_.avail_in);
        room = room.subspan(out - stream_.avail_out);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        if (status == Z_STREAM_END) return inflateReset(&stream_) == Z_OK ? State::between : State::damaged;
        return status == Z_OK || status == Z_BUF_ERROR ? State::inside : State::damaged;
    }

private:
    z_stream stream_{};
};

std::unique_ptr<Unpacking> unpack_gzip() { return std::make_unique<Inflating>(); }

/// Without a time in the header, so that the same table makes the same file.
bool pack_gzip(std::string_view text, const Sink& sink) {
    constexpr std::size_t piece = 1U << 18U;
    constexpr int usual_memory = 8;
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, deflateEnd);
    std::vector<char> out(piece);
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        if (stream.avail_in == 0) {
            stream.next_in = only_read(text.data());
            stream.avail_in = counted_by_zlib(text.size());
            text.remove_prefix(stream.avail_in);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = counted_by_zlib(out.size());
        status = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
        if (!sink({out.data(), out.size() - stream.avail_out})) return false;
    }
    return true;
}

}  // namespace

const Codec gzip_codec{".gz", "gzip", unpack_gzip, pack_gzip};

}  // namespace credence::rt
