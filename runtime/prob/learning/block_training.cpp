#include "runtime/prob/learning/block_training.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/distinct_rows.hpp"

namespace credence::rt {

namespace {

Status check_target(const Learner& learner, const RowBlocks& rows) {
    const Table& head = rows.head();
    if (learner.target() == TargetKind::none) return Done{};
    if (!head.target) {
        const std::string last = head.columns.empty() ? "Column" : head.columns.back()->name;
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} needs a target column, and this table has none", learner.name()),
                     .hint = fmt::format("load(…, target: {}, stream: true)", last)};
    }
    const Column& target = *head.columns[*head.target];
    if (learner.target() == TargetKind::number && target.kind == ColumnKind::label)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} predicts numbers, and {} has labels", learner.name(), target.name),
                     .hint = "a classifier predicts labels"};
    if (learner.target() == TargetKind::label && target.kind == ColumnKind::numeric)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} predicts labels, and {} has numbers", learner.name(), target.name),
                     .hint = fmt::format("read its numbers as labels: load(…, types: {{{}: label}}, stream: true)", target.name)};
    return Done{};
}

}  // namespace

KnownRows::KnownRows(const Table& block, std::span<const std::size_t> columns) {
    all_ = std::none_of(columns.begin(), columns.end(), [&](std::size_t c) { return block.columns[c]->missing_count() > 0; });
    if (!all_)
        for (std::size_t i = 0; i < block.row_count; ++i)
            if (std::none_of(columns.begin(), columns.end(), [&](std::size_t c) { return block.columns[c]->is_missing(i); }))
                rows_.push_back(static_cast<std::uint32_t>(i));
    size_ = all_ ? block.row_count : rows_.size();
    left_out_ = block.row_count - size_;
}

Status note_left_out(std::string_view learner, const std::string& columns, std::size_t left_out, std::size_t used, const Run& run) {
    if (left_out > 0 && run.note)
        run.note(fmt::format("{} without a value of {} {} left out", counted(left_out, "row"), columns, left_out == 1 ? "was" : "were"));
    if (used == 0) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", learner)};
    return Done{};
}

Result<ModelPtr> train(const Learner& learner, const RowBlocks& rows, Run& run) {
    TRY(check_target(learner, rows));
    if (rows.rows() == 0) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", learner.name())};
    if (const auto* by_blocks = dynamic_cast<const LearnsFromBlocks*>(&learner)) return by_blocks->fit_blocks(rows, run);
    const std::vector<char> all(rows.head().columns.size(), 1);
    const auto counted = TRY(distinct_rows(rows, all, std::string(learner.name()), run));
    Table known = *counted.table;
    std::vector<double> times(counted.times.begin(), counted.times.end());
    if (learner.target() != TargetKind::none) {
        const std::size_t target[] = {*known.target};
        const KnownRows with_target(known, target);
        double left_out = 0;
        for (std::size_t i = 0; i < times.size(); ++i)
            if (known.columns[target[0]]->is_missing(i)) left_out += std::exchange(times[i], 0.0);  // rows of weight 0 go without a note
        TRY(note_left_out(learner.name(), known.columns[target[0]]->name, static_cast<std::size_t>(left_out), with_target.size(), run));
    }
    return train(learner, {.table = &known, .rows = {}}, times, run);
}

}  // namespace credence::rt
