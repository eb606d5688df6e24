#include "runtime/prob/models/distinct_rows.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/bits.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_cells = std::size_t{4} << 20U;  // 32 MB of them

/// Rows of words, each once with how often and where it was seen first, found by their hash.
class RowCounter {
public:
    explicit RowCounter(std::size_t width = 0) : width_(width) {}

    /// False where there is no room for another row.
    bool add(const std::uint64_t* row, std::int64_t times, std::uint64_t first) {
        if (2 * (counts_.size() + 1) > places_.size()) grow();
        std::uint32_t& place = places_[find(row)];
        if (place == 0) {
            if ((counts_.size() + 1) * std::max<std::size_t>(width_, 1) > most_cells) return false;
            keys_.insert(keys_.end(), row, row + width_);
            counts_.push_back(0);
            firsts_.push_back(first);
            place = static_cast<std::uint32_t>(counts_.size());
        }
        counts_[place - 1] += times;
        firsts_[place - 1] = std::min(firsts_[place - 1], first);
        return true;
    }
    bool add(const RowCounter& more) {
        for (std::size_t i = 0; i < more.size(); ++i)
            if (!add(more.row(i), more.counts_[i], more.firsts_[i])) return false;
        return true;
    }
    /// The rows in the order in which they were seen first.
    std::vector<std::size_t> order() const {
        std::vector<std::size_t> out(size());
        std::iota(out.begin(), out.end(), std::size_t{0});
        std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return firsts_[a] < firsts_[b]; });
        return out;
    }
    std::size_t size() const { return counts_.size(); }
    const std::uint64_t* row(std::size_t i) const { return keys_.data() + i * width_; }
    std::int64_t times(std::size_t i) const { return counts_[i]; }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.width_);
        visit(self.keys_);
        visit(self.counts_);
        visit(self.firsts_);
    }

private:
    /// Where the row is, or the free place where it would be.
    std::size_t find(const std::uint64_t* row) const {
        std::uint64_t hash = 0x9e3779b97f4a7c15U;
        for (std::size_t k = 0; k < width_; ++k) {
            hash = (hash ^ row[k]) * 0xbf58476d1ce4e5b9U;
            hash ^= hash >> 29U;
        }
        std::size_t at = hash & (places_.size() - 1);
        while (places_[at] != 0 && !std::equal(row, row + width_, keys_.data() + (places_[at] - 1) * width_))
            at = (at + 1) & (places_.size() - 1);
        return at;
    }
    void grow() {
        places_.assign(std::max<std::size_t>(64, 2 * places_.size()), 0);
        for (std::size_t i = 0; i < counts_.size(); ++i) places_[find(keys_.data() + i * width_)] = static_cast<std::uint32_t>(i + 1);
    }

    std::size_t width_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::int64_t> counts_;
    std::vector<std::uint64_t> firsts_;
    std::vector<std::uint32_t> places_ = {};  ///< 1 + the number of the row; 0: free; a power of two of them
};

std::uint64_t word_of(const Column& column, std::size_t row) {
    if (column.kind == ColumnKind::label) return static_cast<std::uint64_t>(column.codes[row] + 1);
    const double value = column.values[row] + 0.0;  // −0 becomes 0
    return std::isnan(value) ? ~std::uint64_t{0} : bits_of(value);
}

ColumnPtr column_of(const Column& kind, const RowCounter& rows, std::span<const std::size_t> order, std::size_t place) {
    auto out = std::make_shared<Column>();
    out->name = kind.name;
    out->kind = kind.kind;
    out->domain = kind.domain;
    const bool counted = place != std::string::npos;
    for (const auto i : order) {
        const std::uint64_t word = counted ? rows.row(i)[place] : 0;
        if (kind.kind == ColumnKind::label)
            out->codes.push_back(static_cast<std::int32_t>(word) - 1);
        else
            out->values.push_back(!counted || word == ~std::uint64_t{0} ? missing_value : double_of(word));
    }
    return out;
}

}  // namespace

Result<DistinctRows> distinct_rows(const RowBlocks& rows, std::span<const char> wanted, const std::string& purpose, const Run& run) {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < wanted.size(); ++c)
        if (wanted[c]) columns.push_back(c);
    const auto too_many = [&] {
        return Fault{.code = "E-COST",
                     .message = fmt::format("{} counts the different rows of {}, and these are more than {}", purpose, rows.name(),
                                            most_cells / std::max<std::size_t>(columns.size(), 1)),
                     .hint = "load the table without stream: true; or discretize its numbers in the file"};
    };
    RowCounter all(columns.size());  // of the parts that this rank reads
    std::mutex guard;
    struct Nothing {};
    const auto add = [&](Nothing&, const Table& block, std::size_t first) -> Status {
        std::vector<std::uint64_t> words(columns.size() * block.row_count);
        for (std::size_t k = 0; k < columns.size(); ++k)
            for (std::size_t i = 0; i < block.row_count; ++i) words[i * columns.size() + k] = word_of(*block.columns[columns[k]], i);
        RowCounter own(columns.size());
        for (std::size_t i = 0; i < block.row_count; ++i)
            if (!own.add(words.data() + i * columns.size(), 1, first + i)) return too_many();
        const std::lock_guard lock(guard);
        return all.add(own) ? Status(Done{}) : Status(too_many());
    };
    const bool spread = spreads(run, {.n = rows.parts()});
    TRY(pass(rows, wanted, Nothing{}, run, add));
    if (spread) {
        Parcel parcel;
        parcel.put(all);
        all = RowCounter(columns.size());
        for (const auto& bytes : run.ranks->gather(parcel.bytes(), purpose_of("different rows"), run.stopped())) {
            RowCounter theirs;
            ParcelReader(bytes).get(theirs);
            if (!all.add(theirs)) return too_many();
        }
    }
    const auto order = all.order();
    DistinctRows out;
    auto table = std::make_shared<Table>();
    table->target = rows.head().target;
    table->row_count = all.size();
    for (std::size_t c = 0, k = 0; c < wanted.size(); ++c)
        table->columns.push_back(column_of(*rows.head().columns[c], all, order, wanted[c] ? k++ : std::string::npos));
    out.table = std::move(table);
    for (const auto i : order) out.times.push_back(all.times(i));
    return out;
}

}  // namespace credence::rt
