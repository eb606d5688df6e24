// A learner behind preparations, and the models that it trains.

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/learning/preparation_files.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/predictor_of.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

Result<TablePtr> PipelinePart::prepare(const Table& table) const {
    TablePtr out = make_table(table.columns, table.target, table.rows());
    for (const auto& step : steps_) out = TRY(step->apply(*out));
    return out;
}

/// Only the rows asked for are made ready: a fold is a small part of its table.
Result<Table> PipelinePart::prepared_rows(const TableView& rows) const {
    std::vector<std::uint32_t> which;
    for (std::size_t i = 0; i < rows.size(); ++i) which.push_back(static_cast<std::uint32_t>(rows.row(i)));
    const auto taken = TRY(take_rows(*rows.table, which));
    const auto ready = TRY(prepare(*taken));
    auto out = TRY(align(predictor().schema(), *ready));
    TRY(predictor().check_cells({.table = &out, .rows = {}}));
    return out;
}

Result<Derivation> PipelinePart::explained(const Predictor&, const TableView& rows, Run& run) const {
    DerivationWriter out;
    for (const auto& step : steps_) out.note(fmt::format("{}: {}.", step->kind(), joined(step->lines(), "; ")));
    Derivation all = std::move(out).take();
    const Table ready = TRY(prepared_rows(rows));
    auto inner = TRY(predictor().explain_prediction({.table = &ready, .rows = {}}, run));
    all.insert(all.end(), inner.begin(), inner.end());
    return all;
}

Result<Json> PipelinePart::saved_part() const {
    Json steps = Json::array();
    for (const auto& step : steps_) steps.push_back(Json{{"kind", std::string(step->kind())}, {"step", step->save()}});
    auto model = TRY(inner_->save());
    return Json{{"steps", std::move(steps)}, {"kind", std::string(inner_->kind())}, {"model", std::move(model)}};
}

ModelParts PipelinePart::listed_parts(const Schema&, std::size_t) const {
    std::vector<std::string> names;
    for (const auto& step : steps_) names.emplace_back(step->kind());
    names.push_back(fmt::format("{}, {}", inner_->kind(), inner_->description()));
    ModelParts out{words_part("steps", joined(names, " |> "))};
    for (auto& part : inner_->parts()) out.push_back(std::move(part));
    return out;
}

namespace {

class PipelineClassifier final : public PredictorOf<Classifier, PipelinePart> {
public:
    using PredictorOf::PredictorOf;
    bool gives_probabilities() const override { return classifier().gives_probabilities(); }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        const Table ready = TRY(prepared_rows(rows));
        return classifier().probabilities({.table = &ready, .rows = {}}, out, run);
    }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override {
        const Table ready = TRY(prepared_rows(rows));
        return classifier().classify({.table = &ready, .rows = {}}, out, run);
    }

private:
    const Classifier& classifier() const { return dynamic_cast<const Classifier&>(*inner_); }
};

class PipelineRegressor final : public PredictorOf<Regressor, PipelinePart> {
public:
    using PredictorOf::PredictorOf;
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        const Table ready = TRY(prepared_rows(rows));
        return regressor().predict({.table = &ready, .rows = {}}, out, run);
    }
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override {
        const Table ready = TRY(prepared_rows(rows));
        return regressor().distribution({.table = &ready, .rows = {}}, run);
    }

private:
    const Regressor& regressor() const { return dynamic_cast<const Regressor&>(*inner_); }
};

Result<ModelPtr> pipeline_model(Schema schema, std::size_t rows, std::vector<LearnedPreparationPtr> steps, ModelPtr inner) {
    if (dynamic_cast<const Classifier*>(inner.get()))
        return ModelPtr(std::make_shared<const PipelineClassifier>(std::move(schema), rows, std::move(steps), std::move(inner)));
    if (dynamic_cast<const Regressor*>(inner.get()))
        return ModelPtr(std::make_shared<const PipelineRegressor>(std::move(schema), rows, std::move(steps), std::move(inner)));
    return Fault{.code = "E-TRAIN",
                 .message = fmt::format("a {} does not predict a target, and preparations are for models that do", inner->kind())};
}

class PreparedLearner final : public Learner {
public:
    PreparedLearner(std::vector<PreparationPtr> steps, LearnerPtr inner) : steps_(std::move(steps)), inner_(std::move(inner)) {}
    std::string_view name() const override { return inner_->name(); }
    TargetKind target() const override { return inner_->target(); }
    TargetKind target_for(const Column& numbers) const override { return inner_->target_for(numbers); }
    bool single_threaded() const override { return inner_->single_threaded(); }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        if (inner_->target() == TargetKind::none)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("{} predicts no target, and preparations are for learners that do", inner_->name())};
        std::vector<LearnedPreparationPtr> learned;
        const TablePtr ready = TRY(prepared(rows, weights, learned, run));
        auto model = TRY(train(*inner_, {.table = ready.get(), .rows = {}}, weights, run));
        Schema schema = schema_of(*rows.table);
        schema.target = model->predictor() ? model->predictor()->schema().target : schema.target;
        return pipeline_model(std::move(schema), rows.size(), std::move(learned), std::move(model));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        std::vector<LearnedPreparationPtr> learned;
        const TablePtr ready = TRY(prepared(rows, weights, learned, run));
        DerivationWriter out;
        for (const auto& step : learned) out.note(fmt::format("{}: {}.", step->kind(), joined(step->lines(), "; ")));
        Derivation all = std::move(out).take();
        const auto& part = dynamic_cast<const PipelinePart&>(fitted);
        auto inner = TRY(explain_training(*inner_, {.table = ready.get(), .rows = {}}, weights, *part.inner(), run));
        all.insert(all.end(), inner.begin(), inner.end());
        return all;
    }

private:
    /// The rows of the view made ready, each preparation having learned from what those before it made of them.
    Result<TablePtr> prepared(const TableView& rows, std::span<const double> weights, std::vector<LearnedPreparationPtr>& learned,
                              Run& run) const {
        std::vector<std::uint32_t> which;
        for (std::size_t i = 0; i < rows.size(); ++i) which.push_back(static_cast<std::uint32_t>(rows.row(i)));
        TablePtr table = TRY(take_rows(*rows.table, which));
        for (const auto& step : steps_) {
            auto one = TRY(step->learn({.table = table.get(), .rows = {}}, weights, run));
            table = TRY(one->apply(*table));
            learned.push_back(std::move(one));
        }
        return table;
    }

    std::vector<PreparationPtr> steps_;
    LearnerPtr inner_;
};

}  // namespace

LearnerPtr prepared_by(std::vector<PreparationPtr> steps, LearnerPtr learner) {
    UnweightedLearner parts = unweighted(std::move(learner));
    LearnerPtr out = std::make_shared<const PreparedLearner>(std::move(steps), std::move(parts.learner));
    return parts.column.empty() ? out : weighted_by(std::move(out), std::move(parts.column));
}

Result<ModelPtr> load_pipeline(const Json& json, const LoadModel& load, const LoadPreparation& load_step) {
    auto schema = TRY(read_schema(json, "schema"));
    const std::size_t rows = TRY(read_count(json, "rows"));
    const Json* part = TRY(read_member(json, "pipeline"));
    const Json* list = TRY(read_member(*part, "steps"));
    if (!list->is_array()) return damaged("'steps' is not a list");
    std::vector<LearnedPreparationPtr> steps;
    for (const auto& item : *list) {
        const std::string kind = TRY(read_text(item, "kind"));
        const Json* step = TRY(read_member(item, "step"));
        auto prepared = TRY(load_step(kind, *step));
        steps.push_back(std::move(prepared));
    }
    const std::string kind = TRY(read_text(*part, "kind"));
    if (kind == PipelinePart::part_kind) return damaged("a pipeline holds another");
    const Json* model = TRY(read_member(*part, "model"));
    auto inner = TRY(load(kind, *model));
    const Predictor* predictor = inner->predictor();
    if (!predictor || predictor->schema().target.name != schema.target.name || predictor->schema().target.kind != schema.target.kind)
        return damaged("the model behind the preparations has another target");
    if (schema.target.domain && schema.target.domain->labels() != predictor->schema().target.domain->labels())
        return damaged("the model behind the preparations has other labels");
    return pipeline_model(std::move(schema), rows, std::move(steps), std::move(inner));
}

}  // namespace credence::rt
