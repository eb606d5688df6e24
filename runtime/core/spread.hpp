#pragma once
// Loops whose chunks are shared among the threads of all ranks. Where a run has no ranks, they are the loops of parallel.hpp.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "runtime/core/parallel.hpp"
#include "runtime/core/parcel.hpp"
#include "runtime/core/ranks.hpp"
#include "runtime/core/run.hpp"

namespace credence::rt {

using ChunkBody = std::function<void(std::size_t chunk_index, std::size_t begin, std::size_t end)>;

/// A loop over 0 … n − 1 in chunks.
struct SpreadLoop {
    std::size_t n = 0;
    std::size_t chunk = 1;
    /// Elementary operations of the whole loop, roughly. Where they take less time than an exchange, each rank does them all.
    double cost = std::numeric_limits<double>::infinity();
    std::optional<unsigned> threads = {};  ///< of each rank; left out: those of the run

    std::size_t chunks() const { return n / chunk + (n % chunk != 0 ? 1 : 0); }
};

/// The chunks of one rank: neighbours, about as many for each.
struct ChunkShare {
    std::size_t first = 0;
    std::size_t last = 0;  ///< behind the last one
};
inline ChunkShare chunks_of(std::size_t rank, std::size_t ranks, std::size_t chunks) {
    return {chunks * rank / ranks, chunks * (rank + 1) / ranks};
}

/// Whether the loop is shared among ranks. Within a chunk of another loop it is not: there, each rank does the whole of an inner loop.
inline bool spreads(const Run& run, const SpreadLoop& loop) {
    constexpr double least_cost = 1e6;  // about a millisecond
    return run.ranks && run.ranks->size() > 1 && loop.chunks() > 1 && loop.cost >= least_cost && !inside_chunk();
}

inline void parallel_share(const Run& run, const SpreadLoop& loop, const ChunkBody& body) {
    const ChunkShare share = chunks_of(run.ranks->rank(), run.ranks->size(), loop.chunks());
    if (share.first >= share.last) return;
    const std::size_t start = share.first * loop.chunk;
    parallel_chunks(std::min(loop.n, share.last * loop.chunk) - start, loop.chunk, loop.threads.value_or(run.threads),
                    [&](std::size_t i, std::size_t begin, std::size_t end) { body(share.first + i, start + begin, start + end); });
}

/// As parallel_chunks with a body that writes only to slots[i]; afterwards every rank has every slot. One slot for each chunk.
template <class Slot>
void spread_chunks(const Run& run, const SpreadLoop& loop, std::vector<Slot>& slots, const ChunkBody& body) {
    assert(slots.size() == loop.chunks());
    if (!spreads(run, loop)) return parallel_chunks(loop.n, loop.chunk, loop.threads.value_or(run.threads), body);
    Ranks& ranks = *run.ranks;
    parallel_share(run, loop, body);
    Parcel parcel;
    const ChunkShare own = chunks_of(ranks.rank(), ranks.size(), slots.size());
    for (std::size_t i = own.first; i < own.last; ++i) parcel.put(slots[i]);
    const auto all = ranks.gather(parcel.bytes(), purpose_of("chunks", loop.n, loop.chunk), run.stopped());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (r == ranks.rank()) continue;
        const ChunkShare others = chunks_of(r, ranks.size(), slots.size());
        ParcelReader reader(all[r]);
        for (std::size_t i = others.first; i < others.last; ++i) reader.get(slots[i]);
    }
}

/// As parallel_chunks with a body that writes only to the numbers of its rows, `out.size() / n` for each; afterwards every rank has all.
template <PlainBytes T>
void spread_rows(const Run& run, const SpreadLoop& loop, std::span<T> out, const ChunkBody& body) {
    if (!spreads(run, loop)) return parallel_chunks(loop.n, loop.chunk, loop.threads.value_or(run.threads), body);
    Ranks& ranks = *run.ranks;
    const std::size_t each = out.size() / loop.n;
    const auto part = [&](std::size_t rank) {
        const ChunkShare share = chunks_of(rank, ranks.size(), loop.chunks());
        const std::size_t begin = std::min(loop.n, share.first * loop.chunk);
        return out.subspan(begin * each, (std::min(loop.n, share.last * loop.chunk) - begin) * each);
    };
    parallel_share(run, loop, body);
    const auto own = part(ranks.rank());
    const auto all =
        ranks.gather({reinterpret_cast<const char*>(own.data()), own.size_bytes()}, purpose_of("rows", loop.n, loop.chunk), run.stopped());
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (r != ranks.rank()) ParcelReader(all[r]).take(part(r).data(), part(r).size_bytes());
}

}  // namespace credence::rt
