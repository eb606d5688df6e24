#include "runtime/data/same_file.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/core/parcels.hpp"
#include "runtime/core/ranks.hpp"

namespace credence::rt {

namespace {

bool shared(const FilePath& file) { return file.ranks && file.ranks->size() > 1 && !inside_chunk(); }

struct Found {
    std::optional<Fault> fault;
    FileState state;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.fault);
        visit(self.state);
    }
};

bool same(const Found& a, const Found& b) {
    if (a.fault || b.fault) return a.fault && b.fault && a.fault->code == b.fault->code && a.fault->message == b.fault->message;
    return a.state.size == b.state.size && a.state.hash == b.state.hash;
}

Fault differs(const FilePath& file, const std::vector<Found>& found) {
    const Ranks& ranks = *file.ranks;
    for (std::size_t r = 0; r < found.size(); ++r) {
        if (!found[r].fault) continue;
        Fault out = *found[r].fault;
        out.message = fmt::format("{}: {}", ranks.name(r), out.message);
        out.hint = "every rank reads the file: put it where all machines find it under the same name";
        return out;
    }
    const auto other = std::find_if(found.begin(), found.end(), [&](const Found& f) { return !same(f, found[0]); });
    const auto r = static_cast<std::size_t>(other - found.begin());
    const bool as_long = found[r].state.size == found[0].state.size;
    return {.code = "E-FILE",
            .message = fmt::format(
                "'{}' is not the same file on {} and {}: {}", file.path, ranks.name(0), ranks.name(r),
                as_long ? "some bytes differ" : fmt::format("it has {} bytes and {} bytes", found[0].state.size, found[r].state.size)),
            .hint = "every rank reads the file: put one copy where all machines find it"};
}

}  // namespace

FileState state_of(std::string_view text) {
    // Four sums at a time, so that the multiplications do not wait for each other.
    std::uint64_t sums[4] = {1, 2, 3, 4};
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    const auto mix = [](std::uint64_t sum, std::uint64_t word) {
        sum = (sum ^ word) * odd;
        return sum ^ sum >> 29U;
    };
    std::size_t at = 0;
    for (; at + 32 <= text.size(); at += 32) {
        std::uint64_t words[4];
        std::memcpy(words, text.data() + at, sizeof words);
        for (int i = 0; i < 4; ++i) sums[i] = mix(sums[i], words[i]);
    }
    for (; at < text.size(); ++at) sums[0] = mix(sums[0], static_cast<unsigned char>(text[at]));
    return {text.size(), mix(mix(sums[0], sums[1]), mix(sums[2], sums[3]))};
}

Status agreed(const FilePath& file, Status own, FileState state) {
    if (!shared(file)) return own;
    Parcel parcel;
    parcel.put(Found{own ? std::nullopt : std::optional(own.fault()), state});
    const auto all = file.ranks->gather(parcel.bytes(), purpose_of("file"));
    std::vector<Found> found(all.size());
    for (std::size_t r = 0; r < all.size(); ++r) ParcelReader(all[r]).get(found[r]);
    if (!std::all_of(found.begin(), found.end(), [&](const Found& f) { return same(f, found[0]); })) return differs(file, found);
    return own;
}

Status by_first_rank(const FilePath& file, const std::function<Status()>& write) {
    if (!shared(file)) return write();
    Ranks& ranks = *file.ranks;
    return unpacked_status(ranks.from_first(ranks.is_first() ? packed(write()) : std::string(), purpose_of("write")));
}

}  // namespace credence::rt
