#include "runtime/core/ranks.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/parcel.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

/// Goes before the bytes, so that no rank waits for what another does not send.
struct Ranks::Header {
    enum class Doing : std::uint32_t { gathering, stopping, ending };

    Doing doing = Doing::gathering;
    std::uint32_t failed = 0;
    std::uint64_t step = 0;
    std::uint64_t purpose = 0;
    std::uint64_t bytes = 0;
};

struct Ranks::Meeting {
    std::vector<Header> headers;
    std::vector<std::string> bytes;
};

Ranks::Ranks(std::unique_ptr<RankLink> link) : link_(std::move(link)), rank_(link_->rank()), size_(link_->size()) {
    hosts_ = gather(link_->host(), purpose_of("hosts"));
}

std::string Ranks::name(std::size_t rank) const { return fmt::format("rank {} of {} (on {})", rank, size_, hosts_[rank]); }

Ranks::Meeting Ranks::meet(const Header& own, std::string_view bytes) {
    Meeting out;
    out.headers.resize(size_);
    const std::vector<std::size_t> header_sizes(size_, sizeof(Header));
    link_->gather(reinterpret_cast<const char*>(&own), header_sizes, reinterpret_cast<char*>(out.headers.data()));
    std::vector<std::size_t> sizes;
    for (const auto& header : out.headers) sizes.push_back(header.bytes);
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    out.bytes.resize(size_);
    if (total == 0) return out;
    const std::unique_ptr<char[]> all(new char[total]);
    link_->gather(bytes.data(), sizes, all.get());
    bytes_sent_ += bytes.size();
    const char* at = all.get();
    for (std::size_t r = 0; r < size_; at += sizes[r++]) out.bytes[r].assign(at, sizes[r]);
    return out;
}

std::vector<std::string> Ranks::gather(std::string_view own, std::uint64_t purpose, bool stopped) {
    if (ended_) throw RanksEnded(*ended_);
    const Header header{stopped ? Header::Doing::stopping : Header::Doing::gathering, 0, step_++, purpose, own.size()};
    auto met = meet(header, own);
    const auto end = [&](FaultCode code, std::string message) {
        ended_ = std::make_unique<RanksEnded>(code, std::move(message));
        throw RanksEnded(*ended_);
    };
    for (std::size_t r = 0; r < size_; ++r) {  // what ended first in the order of the ranks is what all of them say
        const Header& other = met.headers[r];
        if (other.doing == Header::Doing::ending && other.failed) {
            RankEnd how;
            ParcelReader(met.bytes[r]).get(how.code).get(how.message);
            end(how.code.empty() ? "E-STOP" : how.code, fmt::format("{}: {}", name(r), how.message));
        }
        if (other.doing == Header::Doing::stopping)
            end("E-STOP", stopped ? stopped_fault().message : fmt::format("{} was stopped", name(r)));
    }
    for (std::size_t r = 0; r < size_; ++r) {
        const Header& other = met.headers[r];
        if (other.doing == Header::Doing::ending || other.step != met.headers[0].step || other.purpose != met.headers[0].purpose)
            end("E-STOP", fmt::format("{} does something else than {}: are script, data and program the same there?",
                                      name(r == 0 ? size_ - 1 : r), name(0)));
    }
    return std::move(met.bytes);
}

std::string Ranks::from_first(std::string_view own, std::uint64_t purpose) {
    return std::move(gather(is_first() ? own : std::string_view(), purpose).front());
}

std::vector<RankEnd> Ranks::finish(const RankEnd& own) {
    Parcel parcel;
    parcel.put(own.code).put(own.message);
    const Header header{Header::Doing::ending, own.failed ? 1U : 0U, step_, 0, parcel.bytes().size()};
    for (;;) {
        const auto met = meet(header, parcel.bytes());
        if (!std::all_of(met.headers.begin(), met.headers.end(), [](const Header& h) { return h.doing == Header::Doing::ending; }))
            continue;
        std::vector<RankEnd> out(size_);
        for (std::size_t r = 0; r < size_; ++r) {
            out[r].failed = met.headers[r].failed != 0;
            ParcelReader(met.bytes[r]).get(out[r].code).get(out[r].message);
        }
        return out;
    }
}

std::uint64_t purpose_of(std::string_view name, std::uint64_t a, std::uint64_t b) {
    std::uint64_t out = 0x9e3779b97f4a7c15U;
    const auto add = [&out](std::uint64_t word) {
        out = (out ^ word) * 0xbf58476d1ce4e5b9U;
        out ^= out >> 31U;
    };
    for (const char c : name) add(static_cast<unsigned char>(c));
    add(a);
    add(b);
    return out;
}

}  // namespace credence::rt
