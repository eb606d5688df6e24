#pragma once
// What packs and unpacks: zlib and Zstandard, or Boost where there is no zlib (in the browser).

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace credence::rt {

/// Unpacks members (of gzip) or frames (of Zstandard), one after the other.
class Unpacking {
public:
    enum class State { inside, between, damaged };  ///< of the members: a file ends between two
    virtual ~Unpacking() = default;
    /// Takes what it can off the front of both: at least one becomes empty, but at the end of a member or where it is damaged.
    virtual State advance(std::string_view& packed, std::span<char>& room) = 0;
};

/// False if the sink refused.
using Sink = std::function<bool(std::string_view)>;
struct Codec {
    std::string_view ending;                 ///< ".gz"
    std::string_view name;                   ///< "gzip"; also of the program whose -t tests a file
    std::unique_ptr<Unpacking> (*unpack)();  ///< null: this build does not know how
    bool (*pack)(std::string_view text, const Sink& sink);
};
extern const Codec gzip_codec;
extern const Codec zstd_codec;

}  // namespace credence::rt
