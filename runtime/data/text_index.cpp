#include "runtime/data/text_index.hpp"

#include <cassert>

namespace credence::rt {

namespace {

constexpr unsigned first_bits = 6;
constexpr std::uint64_t upper_half = 0xFFFFFFFF00000000U;

}  // namespace

TextIndex::TextIndex() : entries_(std::size_t{1} << first_bits), shift_(64 - first_bits) {}

std::uint64_t TextIndex::hash_long(std::string_view text) {
    std::uint64_t hash = text.size();
    for (; text.size() > 8; text.remove_prefix(8)) hash = mix(hash ^ word(text.data(), 8)) ^ (hash >> 31U);
    return mix(hash ^ word(text.data(), text.size()));
}

void TextIndex::place(const Entry& entry) {
    const std::size_t last = entries_.size() - 1;
    // the lower half of the hash is not kept: the table stays below 2^32 entries
    std::size_t at = (entry.hash_and_code & upper_half) >> shift_;
    while (entries_[at].size != no_entry) at = (at + 1) & last;
    entries_[at] = entry;
}

void TextIndex::insert(std::string_view text, std::int32_t code) {
    assert(find(text) == unknown);
    if (2 * (used_ + 1) > entries_.size()) {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        --shift_;
        for (const auto& entry : old)
            if (entry.size != no_entry) place(entry);
    }
    Key key = key_of(text);
    if (text.size() > short_text) {
        key.high = long_texts_.size();
        long_texts_.emplace_back(text);
    }
    place({key.low, key.high, text.size(), (key.hash & upper_half) | static_cast<std::uint32_t>(code)});
    ++used_;
}

}  // namespace credence::rt
