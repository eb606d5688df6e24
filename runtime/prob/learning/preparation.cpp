#include "runtime/prob/learning/preparation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/learning/preparation_files.hpp"

namespace credence::rt {

Result<ModelPtr> Preparation::fit(const TableView&, std::span<const double>, Run&) const {
    return Fault{.code = "E-TRAIN",
                 .message = fmt::format("{}() prepares rows for a learner, and predicts nothing", name()),
                 .hint = fmt::format("a learner follows it: {}() |> knn()", name())};
}

// --- impute -----------------------------------------------------------------------------------------------------------

Result<TablePtr> Fills::apply(const Table& table) const { return with_fills(table, fills_); }

std::vector<std::string> Fills::lines() const {
    std::vector<std::string> out;
    for (const auto& fill : fills_)
        if (fill.otherwise) out.push_back(fmt::format("a missing {} becomes {}", fill.column, fill.otherwise->text()));
    return out;
}

namespace {

class Imputation final : public Preparation {
public:
    Imputation(std::vector<std::string> columns, ImputeOptions options) : columns_(std::move(columns)), options_(options) {}
    std::string_view name() const override { return "impute"; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> weights, Run&) const override {
        auto fills = TRY(column_fills(rows, weights, columns_, options_));
        return LearnedPreparationPtr(std::make_shared<const Fills>(std::move(fills)));
    }

private:
    std::vector<std::string> columns_;
    ImputeOptions options_;
};

}  // namespace

LearnerPtr make_imputation(std::vector<std::string> columns, ImputeOptions options) {
    return std::make_shared<const Imputation>(std::move(columns), options);
}

// --- scale ------------------------------------------------------------------------------------------------------------

Result<TablePtr> Scales::apply(const Table& table) const {
    auto out = table.columns;
    for (const auto& field : fields_) {
        const auto found = table.find(field.name);
        if (!found) continue;
        if (out[*found]->kind != ColumnKind::numeric)
            return Fault{.code = "E-TYPE", .message = fmt::format("{} was numeric in training, and has labels here", field.name)};
        out[*found] = scaled(out[*found], field);
    }
    return make_table(std::move(out), table.target, table.rows());
}

std::vector<std::string> Scales::lines() const {
    std::vector<std::string> out;
    for (const auto& f : fields_)
        out.push_back(fmt::format("{0} becomes ({0} - {1:.6g}) / {2:.6g}", f.name, f.scale->offset, f.scale->unit));
    return out;
}

namespace {

class ScalingStep final : public Preparation {
public:
    ScalingStep(std::vector<std::string> columns, Scaling method) : columns_(std::move(columns)), method_(method) {}
    std::string_view name() const override { return "scale"; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> weights, Run&) const override {
        std::vector<Field> fields;
        const Table& table = *rows.table;
        for (const auto& name : columns_) TRY(find_numeric(table, name, "only numbers can be scaled"));
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = *table.columns[c];
            const bool meant = columns_.empty() ? column.kind == ColumnKind::numeric && table.target != c : contains(columns_, column.name);
            if (meant)
                fields.push_back({column.name, ColumnKind::numeric, nullptr, std::nullopt, scale_of(column, rows, weights, method_)});
        }
        return LearnedPreparationPtr(std::make_shared<const Scales>(std::move(fields)));
    }

private:
    std::vector<std::string> columns_;
    Scaling method_;
};

}  // namespace

LearnerPtr make_scaling(std::vector<std::string> columns, Scaling method) {
    return std::make_shared<const ScalingStep>(std::move(columns), method);
}

// --- encode -----------------------------------------------------------------------------------------------------------

Result<TablePtr> Encoded::apply(const Table& table) const {
    std::vector<std::string> names;
    Table known = table;
    for (const auto& field : fields_) {
        const auto found = table.find(field.name);
        if (!found) continue;
        names.push_back(field.name);
        const auto aligned = TRY(align(Schema{.features = {field}, .target = {}}, table));
        known.columns[*found] = aligned.columns[0];
    }
    if (names.empty()) return make_table(table.columns, table.target, table.rows());
    return encode(known, names);
}

std::vector<std::string> Encoded::lines() const {
    std::vector<std::string> out;
    for (const auto& f : fields_) out.push_back(fmt::format("{} becomes {} columns of 0 and 1", f.name, f.domain->size()));
    return out;
}

namespace {

class Encoding final : public Preparation {
public:
    explicit Encoding(std::vector<std::string> columns) : columns_(std::move(columns)) {}
    std::string_view name() const override { return "encode"; }
    Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double>, Run&) const override {
        const Table& table = *rows.table;
        TRY(find_columns(table, columns_));
        std::vector<Field> fields;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const Column& column = *table.columns[c];
            if (table.target == c && contains(columns_, column.name))
                return Fault{.code = "E-TABLE", .message = fmt::format("{} is the target, and stays as it is", column.name)};
            if (table.target == c || column.kind != ColumnKind::label) continue;
            if (columns_.empty() || contains(columns_, column.name)) fields.push_back({column.name, column.kind, column.domain});
        }
        return LearnedPreparationPtr(std::make_shared<const Encoded>(std::move(fields)));
    }

private:
    std::vector<std::string> columns_;
};

}  // namespace

LearnerPtr make_encoding(std::vector<std::string> columns) { return std::make_shared<const Encoding>(std::move(columns)); }

}  // namespace credence::rt
