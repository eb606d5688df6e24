#include "runtime/data/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace credence::rt {

namespace {

/// What inflate still has to give, piece by piece. A file may hold several members, one after the other.
class Inflating {
public:
    Inflating() { started_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
    ~Inflating() {
        if (started_) inflateEnd(&stream_);
    }
    Inflating(const Inflating&) = delete;
    Inflating& operator=(const Inflating&) = delete;

    Result<FileText> all_of(std::string_view bytes, const std::string& path) {
        std::size_t room = std::max<std::size_t>(1U << 16U, bytes.size() * 4);
        FileText out{std::make_unique<char[]>(room), 0};
        if (!started_) return damaged_gzip(path, "cannot be unpacked");
        for (;;) {
            feed(bytes);
            if (out.size == room) {
                auto more = std::make_unique<char[]>(room * 2);
                std::memcpy(more.get(), out.bytes.get(), room);
                out.bytes = std::move(more);
                room *= 2;
            }
            const std::size_t free = std::min<std::size_t>(room - out.size, std::numeric_limits<uInt>::max());
            stream_.next_out = reinterpret_cast<Bytef*>(out.bytes.get() + out.size);
            stream_.avail_out = static_cast<uInt>(free);
            const int status = inflate(&stream_, Z_NO_FLUSH);
            out.size += free - stream_.avail_out;
            if (status == Z_STREAM_END) {
                if (stream_.avail_in == 0 && bytes.empty()) return out;
                if (inflateReset(&stream_) != Z_OK) return damaged_gzip(path, "is damaged");
            } else if (status == Z_BUF_ERROR && stream_.avail_in == 0 && bytes.empty()) {
                return damaged_gzip(path, "is cut short");
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                return damaged_gzip(path, "is not compressed by gzip, or damaged");
            }
        }
    }

private:
    /// zlib counts what it is given in 32 bits.
    void feed(std::string_view& bytes) {
        if (stream_.avail_in > 0 || bytes.empty()) return;
        const std::size_t piece = std::min<std::size_t>(bytes.size(), 1U << 30U);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // it is only read
        stream_.avail_in = static_cast<uInt>(piece);
        bytes.remove_prefix(piece);
    }

    z_stream stream_{};
    bool started_ = false;
};

}  // namespace

Result<FileText> gunzipped(std::string_view bytes, const std::string& path) { return Inflating().all_of(bytes, path); }

}  // namespace credence::rt
