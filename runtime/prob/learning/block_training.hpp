#pragma once
// Learning from rows that are read in blocks.

#include "runtime/data/row_blocks.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

/// A learner that adds up what it needs block by block. Others learn from the different rows and how often each was seen.
class LearnsFromBlocks {
public:
    virtual ~LearnsFromBlocks() = default;
    /// As Learner::fit, but rows without a target value are still among the blocks (KnownRows).
    virtual Result<ModelPtr> fit_blocks(const RowBlocks& rows, Run& run) const = 0;
};

/// As train of a table (learning.hpp), with the same checks and notes.
Result<ModelPtr> train(const Learner& learner, const RowBlocks& rows, Run& run);

/// The rows of a block that have all the cells which are needed.
class KnownRows {
public:
    /// Those with a value in each of these columns.
    KnownRows(const Table& block, std::span<const std::size_t> columns);
    TableView view(const Table& table) const { return {.table = &table, .rows = rows_, .all = all_}; }
    std::size_t size() const { return size_; }
    std::size_t left_out() const { return left_out_; }

private:
    std::vector<std::uint32_t> rows_;
    bool all_ = true;
    std::size_t size_ = 0;
    std::size_t left_out_ = 0;
};

/// "12 rows without a value of Y were left out"; E-EMPTY where no row is left to learn from.
Status note_left_out(std::string_view learner, const std::string& columns, std::size_t left_out, std::size_t used, const Run& run);

}  // namespace credence::rt
