#include "runtime/prob/models/blocks_model.hpp"

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/models/distinct_rows.hpp"
#include "runtime/prob/models/empirical.hpp"
#include "runtime/prob/models/empirical_counts.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/queries/independent_rows.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

namespace {

Fault needs_memory(std::string_view what, Origin origin) {
    return {.code = "E-QUERY",
            .message = fmt::format("{} needs the rows in memory, and these are read in blocks", what),
            .origin = origin,
            .hint = "load the table without stream: true"};
}

class BlocksModel final : public Model {
public:
    explicit BlocksModel(RowBlocksPtr blocks) : blocks_(std::move(blocks)) {
        for (const auto& column : blocks_->head().columns)
            variables_.push_back({.variable = {.name = column->name, .domain = column->domain}});
    }
    std::string_view kind() const override { return blocks_kind; }
    const Variables& variables() const override { return variables_; }
    std::vector<MethodInfo> engines() const override { return table_engines(); }
    const RowBlocksPtr& blocks() const { return blocks_; }
    std::string description() const override {
        return fmt::format("{} of {} from {}, read in blocks", counted(blocks_->rows(), "row"), counted(variables_.size(), "column"),
                           blocks_->name());
    }
    ModelParts parts() const override {
        std::vector<std::string> names, kinds;
        std::vector<double> labels;
        for (const auto& column : blocks_->head().columns) {
            names.push_back(column->name);
            kinds.emplace_back(column->kind == ColumnKind::label ? "label" : "number");
            labels.push_back(column->domain ? static_cast<double>(column->domain->size()) : 0);
        }
        PartTable columns;
        columns.names("column", names).names("kind", kinds).numbers("labels", labels);
        return {std::move(columns).part("columns"), count_part("rows", blocks_->rows())};
    }

    Result<Answer> ask(const Query& query, Run& run) const override {
        if (asks_for_rows(query)) return needs_memory("the probability of a list or a table", query.origin);
        const auto named = named_columns(query);
        return counted_model(named, query.origin, run, [&](const Model& model) { return model.ask(query, run); });
    }
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override {
        const std::vector<char> all(variables_.size(), 1);
        const auto counted = TRY(distinct_rows(*blocks_, all, "sample", run));
        return make_empirical_model(counted.table, counted.times)->sample(n, given, run);
    }
    Result<Derivation> explain(const Query& query, const Answer&, Run&) const override {
        return needs_memory("a derivation", query.origin);
    }

    /// Over the different rows of the columns that the quantities need; those that queries name beside them have to be few, too.
    Result<ModelPtr> with_quantities(const ModelPtr&, const std::vector<NamedQuantity>& quantities, Run& run) const override {
        const std::vector<char> all(variables_.size(), 1);
        const auto counted = TRY(distinct_rows(*blocks_, all, "an expression over columns", run));
        const ModelPtr model = make_empirical_model(counted.table, counted.times);
        return model->with_quantities(model, quantities, run);
    }

private:
    template <class Ask>
    Result<Answer> counted_model(std::span<const Slot> named, Origin origin, Run& run, Ask&& ask) const {
        std::vector<char> wanted(variables_.size(), 0);
        for (const auto slot : named) wanted[slot] = 1;
        auto counted = distinct_rows(*blocks_, wanted, "the query", run);
        if (!counted) {
            Fault fault = std::move(counted).fault();
            if (fault.origin == Origin::none) fault.origin = origin;
            return fault;
        }
        return ask(*make_empirical_model(counted->table, std::move(counted->times)));
    }

    RowBlocksPtr blocks_;
    Variables variables_;
};

}  // namespace

ModelPtr make_blocks_model(RowBlocksPtr blocks) { return std::make_shared<const BlocksModel>(std::move(blocks)); }

RowBlocksPtr blocks_of(const Model& model) {
    const auto* table = dynamic_cast<const BlocksModel*>(&model);
    return table ? table->blocks() : nullptr;
}

}  // namespace credence::rt
