// discretize() in front of a learner, and rows repeated by their weights, for preparations that count rows.

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/preparation_files.hpp"

namespace credence::rt {

Result<TablePtr> repeated_rows(const TableView& rows, std::span<const double> weights, std::string_view name) {
    constexpr std::size_t most = 10'000'000;
    std::vector<std::uint32_t> which;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double times = weights.empty() ? 1 : weights[i];
        if (times != std::floor(times) || times > static_cast<double>(most - which.size()))
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("{}() counts rows, and a row counts {:.6g} times here", name, times),
                         .hint = "weights in front of it are whole numbers, not too large"};
        which.insert(which.end(), static_cast<std::size_t>(times), static_cast<std::uint32_t>(rows.row(i)));
    }
    return take_rows(*rows.table, which);
}

Result<TablePtr> Discretized::apply(const Table& table) const {
    TablePtr out = make_table(table.columns, table.target, table.rows());
    for (const auto& c : columns_)
        if (table.find(c.column)) out = TRY(discretize(*out, c.column, c.cuts));
    return out;
}

std::vector<std::string> Discretized::lines() const {
    std::vector<std::string> out;
    for (const auto& c : columns_) {
        std::vector<std::string> cuts;
        for (const auto& cut : c.cuts) cuts.push_back(fmt::format("{:.6g}", cut.real()));
        out.push_back(fmt::format("{} is cut at {}", c.column, joined(cuts, ", ")));
    }
    return out;
}

namespace {

class Discretizing final : public Preparation {
public:
    Discretizing(std::vector<std::string> columns, DiscretizeOptions options)
        : columns_(std::move(columns)), options_(std::move(options)) {}
    std::string_view name() const override { return "discretize"; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> weights, Run&) const override {
        const TablePtr table = TRY(repeated_rows(rows, weights, name()));
        for (const auto& column : columns_) {
            const std::size_t found = TRY(find_numeric(*table, column, "only numbers can be cut into bins"));
            if (table->target == found)
                return Fault{.code = "E-TABLE", .message = fmt::format("{} is the target, and stays as it is", column)};
        }
        std::vector<Discretized::Cut> out;
        for (std::size_t c = 0; c < table->columns.size(); ++c) {
            const Column& column = *table->columns[c];
            if (table->target == c || column.kind != ColumnKind::numeric) continue;
            if (!columns_.empty() && !contains(columns_, column.name)) continue;
            auto cuts = options_.cuts;
            if (cuts.empty()) cuts = TRY(cut_points(*table, column.name, options_.bins, options_.method));
            out.push_back({column.name, std::move(cuts)});
        }
        return LearnedPreparationPtr(std::make_shared<const Discretized>(std::move(out)));
    }

private:
    std::vector<std::string> columns_;
    DiscretizeOptions options_;
};

}  // namespace

LearnerPtr make_discretizing(std::vector<std::string> columns, DiscretizeOptions options) {
    return std::make_shared<const Discretizing>(std::move(columns), std::move(options));
}

}  // namespace credence::rt
