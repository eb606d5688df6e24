#include "runtime/data/compressed.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "runtime/data/codec.hpp"
#include "runtime/data/file_write.hpp"
#include "runtime/data/same_file.hpp"

namespace credence::rt {

namespace {

const Codec* codec_of(const std::string& path) {
    const std::string ending = file_ending(path);
    for (const Codec* codec : {&gzip_codec, &zstd_codec})
        if (ending == codec->ending) return codec;
    return nullptr;
}

Fault unknown_codec(const Codec& codec, std::string_view what) {
    return {.code = "E-FILE", .message = fmt::format("this build {} no {} files", what, codec.ending)};
}

class PlainSource : public DataSource {
public:
    PlainSource(FilePath file, Descriptor data) : file_(std::move(file)), data_(std::move(data)) {}
    Result<std::size_t> read(std::span<char> room) override {
        std::size_t filled = 0;
        while (filled < room.size()) {
            const ssize_t got = ::read(data_.get(), room.data() + filled, room.size() - filled);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return file_fault("read", file_, errno);
            if (got == 0) break;
            filled += static_cast<std::size_t>(got);
        }
        position_ += filled;
        return filled;
    }
    std::size_t position() const override { return position_; }

private:
    FilePath file_;
    Descriptor data_;
    std::size_t position_ = 0;
};

class PackedSource : public DataSource {
public:
    PackedSource(const FilePath& file, Descriptor data, const Codec& codec)
        : packed_(file, std::move(data)), path_(file.path), codec_(codec), unpacking_(codec.unpack()), piece_(1U << 18U) {}

    Result<std::size_t> read(std::span<char> room) override {
        const std::size_t wanted = room.size();
        while (!room.empty()) {
            if (left_.empty()) {
                const std::size_t got = TRY(packed_.read(piece_));
                left_ = {piece_.data(), got};
                ended_ = got == 0;
            }
            if (ended_ && state_ == Unpacking::State::between) break;
            const std::size_t before = room.size();
            state_ = unpacking_->advance(left_, room);
            if (state_ == Unpacking::State::damaged) return damaged(fmt::format("is not compressed by {}, or damaged", codec_.name));
            if (ended_ && state_ == Unpacking::State::inside && room.size() == before) return damaged("is cut short");
        }
        return wanted - room.size();
    }
    std::size_t position() const override { return packed_.position() - left_.size(); }

private:
    Fault damaged(const std::string& what) const {
        return {.code = "E-FILE",
                .message = path_ + " " + what,
                .hint = fmt::format("{} -t tests such a file; without {} in its name it is read as it is", codec_.name, codec_.ending)};
    }

    PlainSource packed_;
    std::string path_;
    const Codec& codec_;
    std::unique_ptr<Unpacking> unpacking_;
    std::vector<char> piece_;
    std::string_view left_;  ///< of the piece
    Unpacking::State state_ = Unpacking::State::inside;
    bool ended_ = false;
};

}  // namespace

bool is_compressed(const std::string& path) { return codec_of(path) != nullptr; }

std::string data_name(const std::string& path) {
    const Codec* codec = codec_of(path);
    return codec ? path.substr(0, path.size() - codec->ending.size()) : path;
}

std::string data_ending(const std::string& path) { return file_ending(data_name(path)); }

Result<std::unique_ptr<DataSource>> open_data_source(const FilePath& file) {
    const Codec* codec = codec_of(file.path);
    if (codec && !codec->unpack) return unknown_codec(*codec, "reads");
    auto data = TRY(open_data(file));
    if (codec) return std::unique_ptr<DataSource>(std::make_unique<PackedSource>(file, std::move(data), *codec));
    return std::unique_ptr<DataSource>(std::make_unique<PlainSource>(file, std::move(data)));
}

namespace {

Result<FileText> read_packed_file(const FilePath& file, std::size_t most) {
    const auto source = TRY(open_data_source(file));
    std::size_t room = std::size_t{1} << 20U;
    FileText out{std::unique_ptr<char[]>(new char[room]), 0};
    for (;;) {
        out.size += TRY(source->read({out.bytes.get() + out.size, room - out.size}));
        if (out.size < room) return out;
        if (room >= most)
            return Fault{.code = "E-FILE",
                         .message = fmt::format("'{}' unpacks to more than {} MB, which is the most that is read", file.path, most >> 20U)};
        auto larger = std::unique_ptr<char[]>(new char[room * 2]);
        std::memcpy(larger.get(), out.bytes.get(), out.size);
        out.bytes = std::move(larger);
        room *= 2;
    }
}

}  // namespace

Result<FileText> read_data_file(const FilePath& file, std::size_t most) {
    if (!is_compressed(file.path)) return read_file(file, Readable::files, most);
    FilePath own = file;
    own.ranks = nullptr;
    auto text = read_packed_file(own, most);
    if (file.ranks) TRY(agreed(file, text ? Status(Done{}) : Status(text.fault()), text ? state_of(text->view()) : FileState{}));
    return text;
}

Status write_data_file(const FilePath& file, std::string_view text) {
    const Codec* codec = codec_of(file.path);
    if (!codec) return write_file(file, text);
    if (!codec->pack) return unknown_codec(*codec, "writes");
    return write_file(file, Producer([&](const Sink& sink) { return codec->pack(text, sink); }));
}

}  // namespace credence::rt
