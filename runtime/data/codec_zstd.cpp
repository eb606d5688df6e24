#include <zstd.h>

#include <new>
#include <vector>

#include "runtime/data/codec.hpp"

namespace credence::rt {

namespace {

class ZstdUnpacking : public Unpacking {
public:
    ZstdUnpacking() {
        if (!context_) throw std::bad_alloc();
    }
    State advance(std::string_view& packed, std::span<char>& room) override {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        ZSTD_outBuffer out{room.data(), room.size(), 0};
        const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
        packed.remove_prefix(in.pos);
        room = room.subspan(out.pos);
        if (ZSTD_isError(status)) return State::damaged;
        return status == 0 ? State::between : State::inside;
    }

private:
    std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

std::unique_ptr<Unpacking> unpack_zstd() { return std::make_unique<ZstdUnpacking>(); }

/// With the size and a checksum in the frame.
bool pack_zstd(std::string_view text, const Sink& sink) {
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(context.get(), text.size());
    std::vector<char> piece(ZSTD_CStreamOutSize());
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::size_t left = 1;
    while (left != 0) {
        ZSTD_outBuffer out{piece.data(), piece.size(), 0};
        left = ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
        if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can fail here
        if (!sink({piece.data(), out.pos})) return false;
    }
    return true;
}

}  // namespace

const Codec zstd_codec{".zst", "zstd", unpack_zstd, pack_zstd};

}  // namespace credence::rt
