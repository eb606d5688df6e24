#pragma once
// Rows that are read again for each pass, block after block: tables larger than memory.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/parcels.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/data/table.hpp"

namespace credence::rt {

class RowBlocks {
public:
    /// `head`: the columns with their kinds and all their labels, and no rows. `parts` depends on the file alone.
    RowBlocks(std::string name, TablePtr head, std::size_t rows, std::size_t parts, std::size_t bytes)
        : name_(std::move(name)), head_(std::move(head)), rows_(rows), parts_(parts), bytes_(bytes) {}
    virtual ~RowBlocks() = default;

    const std::string& name() const { return name_; }  ///< of the file, for messages
    const Table& head() const { return *head_; }
    std::size_t rows() const { return rows_; }
    std::size_t parts() const { return parts_; }
    std::size_t bytes() const { return bytes_; }  ///< of the file

    /// Calls use(block, first) for the blocks of a part in their order, where `first` is the number of rows before the block in the whole
    /// file. Of columns that are not wanted (one flag each; none: all are) every cell is missing. Any thread may call it.
    using Use = std::function<Status(const Table& block, std::size_t first)>;
    virtual Status read(std::size_t part, std::span<const char> wanted, Progress& progress, const Run& run, const Use& use) const = 0;
    /// The same rows with another target.
    virtual std::shared_ptr<const RowBlocks> with_target(TablePtr head) const = 0;

    std::size_t next_pass() const { return ++passes_; }

private:
    std::string name_;
    TablePtr head_;
    std::size_t rows_;
    std::size_t parts_;
    std::size_t bytes_;
    mutable std::atomic<std::size_t> passes_ = 0;
};
using RowBlocksPtr = std::shared_ptr<const RowBlocks>;

/// What a part of a pass adds up, or why it does not.
template <class Slot>
struct PassSlot {
    Slot sums;
    std::optional<Fault> fault = {};

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.sums);
        visit(self.fault);
    }
};

/// Reads all rows once, the parts shared among threads and ranks: add(slot, block, first) for each block, with one copy of `empty` for each
/// part. Gives the slots in the order of the parts.
template <class Slot, class Add>
Result<std::vector<Slot>> pass(const RowBlocks& rows, std::span<const char> wanted, const Slot& empty, const Run& run, Add&& add) {
    std::vector<PassSlot<Slot>> slots(rows.parts(), PassSlot<Slot>{empty});
    const std::string name = "pass " + std::to_string(rows.next_pass());
    Progress progress(run, name, rows.bytes(), "bytes");
    spread_chunks(run, {.n = rows.parts()}, slots, [&](std::size_t part, std::size_t, std::size_t) {
        const Status done = rows.read(part, wanted, progress, run,
                                      [&](const Table& block, std::size_t first) -> Status { return add(slots[part].sums, block, first); });
        if (!done) slots[part].fault = done.fault();
    });
    std::vector<Slot> out;
    out.reserve(slots.size());
    for (auto& slot : slots) {
        if (slot.fault) return *std::move(slot.fault);
        out.push_back(std::move(slot.sums));
    }
    return out;
}

}  // namespace credence::rt
