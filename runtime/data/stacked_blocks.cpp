#include "runtime/data/stacked_blocks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/stack.hpp"

namespace credence::rt {

namespace {

/// How a file's columns become those of all.
struct StackedFile {
    RowBlocksPtr blocks;
    std::vector<std::size_t> from;                 ///< by column of all: the file's
    std::vector<std::vector<std::int32_t>> codes;  ///< of label columns: by the file's code + 1, that of all
    std::size_t first_part = 0;
    std::size_t first_row = 0;
};

ColumnPtr recoded(const ColumnPtr& own, const Column& kind, const std::vector<std::int32_t>& codes) {
    auto out = std::make_shared<Column>();
    out->name = kind.name;
    out->kind = kind.kind;
    out->domain = kind.domain;
    if (kind.kind == ColumnKind::numeric) {  // over a column in which the file has nothing at all
        if (own->kind == ColumnKind::numeric) return own;
        out->values.assign(own->rows(), missing_value);
        return out;
    }
    out->codes.reserve(own->codes.size());
    for (const auto code : own->codes) out->codes.push_back(codes[static_cast<std::size_t>(code + 1)]);
    return out;
}

class StackedBlocks final : public RowBlocks {
public:
    StackedBlocks(std::vector<StackedFile> files, TablePtr head, std::size_t rows, std::size_t parts, std::size_t bytes)
        : RowBlocks(counted(files.size(), "file"), std::move(head), rows, parts, bytes), files_(std::move(files)) {}

    Status read(std::size_t part, std::span<const char> wanted, Progress& progress, const Run& run, const Use& use) const override {
        const auto behind =
            std::upper_bound(files_.begin(), files_.end(), part, [](std::size_t p, const StackedFile& f) { return p < f.first_part; });
        const StackedFile& file = *(behind - 1);
        std::vector<char> own(wanted.size(), 0);
        for (std::size_t c = 0; c < wanted.size(); ++c) own[file.from[c]] = wanted[c];
        return file.blocks->read(part - file.first_part, own, progress, run, [&](const Table& block, std::size_t first) -> Status {
            Table out;
            out.target = head().target;
            out.row_count = block.row_count;
            for (std::size_t c = 0; c < file.from.size(); ++c)
                out.columns.push_back(recoded(block.columns[file.from[c]], *head().columns[c], file.codes[c]));
            return use(out, file.first_row + first);
        });
    }
    RowBlocksPtr with_target(TablePtr head) const override {
        return std::make_shared<const StackedBlocks>(files_, std::move(head), rows(), parts(), bytes());
    }

private:
    std::vector<StackedFile> files_;
};

StackedFile fitted(RowBlocksPtr blocks, const Table& all) {
    StackedFile out{.blocks = std::move(blocks), .from = {}, .codes = {}};
    for (const auto& column : all.columns) {
        out.from.push_back(*out.blocks->head().find(column->name));
        auto& codes = out.codes.emplace_back(1, -1);
        const Column& own = *out.blocks->head().columns[out.from.back()];
        if (column->kind != ColumnKind::label || own.kind != ColumnKind::label) continue;
        for (const auto& label : own.domain->labels()) codes.push_back(static_cast<std::int32_t>(*column->domain->find(label)));
    }
    return out;
}

}  // namespace

Result<RowBlocksPtr> stacked_blocks(std::vector<RowBlocksPtr> files, std::span<const std::string> names) {
    std::vector<TablePtr> heads;
    for (const auto& file : files) heads.push_back(std::make_shared<const Table>(file->head()));
    TRY(check_same_columns(heads, names));
    if (const auto mixed = mixed_columns(heads); !mixed.empty())
        return Fault{.code = "E-TABLE",
                     .message = fmt::format("{} holds numbers in some of these files and labels in others", mixed[0]),
                     .hint = fmt::format("types: {{{}: label}}", mixed[0])};
    TablePtr head = stacked(heads);
    std::vector<StackedFile> fits;
    std::size_t rows = 0;
    std::size_t parts = 0;
    std::size_t bytes = 0;
    for (auto& file : files) {
        auto& fit = fits.emplace_back(fitted(std::move(file), *head));
        fit.first_row = rows;
        fit.first_part = parts;
        rows += fit.blocks->rows();
        parts += fit.blocks->parts();
        bytes += fit.blocks->bytes();
    }
    return RowBlocksPtr(std::make_shared<const StackedBlocks>(std::move(fits), std::move(head), rows, parts, bytes));
}

}  // namespace credence::rt
