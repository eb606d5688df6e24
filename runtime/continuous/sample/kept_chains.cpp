#include "runtime/continuous/sample/kept_chains.hpp"

#include <algorithm>

namespace credence::rt {

KeptChains::ChainsPtr KeptChains::find(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    return found == entries_.end() ? nullptr : found->chains;
}

void KeptChains::keep(Key key, ChainsPtr chains) {
    std::size_t bytes = key.tape.bytes();
    for (const auto& chain : *chains) bytes += chain.draws.size() * sizeof(double);
    if (bytes > most_bytes) return;
    const std::lock_guard lock(mutex_);
    std::size_t total = bytes;
    for (const auto& entry : entries_) total += entry.bytes;
    while (total > most_bytes) {
        total -= entries_.front().bytes;
        entries_.erase(entries_.begin());
    }
    entries_.push_back({std::move(key), std::move(chains), bytes});
}

}  // namespace credence::rt
