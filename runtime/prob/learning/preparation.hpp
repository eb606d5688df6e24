#pragma once
// What prepares rows for a learner: learned from its training rows, and applied in the same way to the rows that it predicts. A learner
// with its preparations is a learner, so that folds and grids learn both from the training rows alone.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/data/impute.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// What a preparation learned.
class LearnedPreparation {
public:
    virtual ~LearnedPreparation() = default;
    virtual std::string_view kind() const = 0;  ///< "scale"
    /// The table made ready; columns that it does not have are left alone.
    virtual Result<TablePtr> apply(const Table& table) const = 0;
    virtual std::vector<std::string> lines() const = 0;  ///< for people: what becomes of which column
    virtual Json save() const = 0;
};
using LearnedPreparationPtr = std::shared_ptr<const LearnedPreparation>;

/// A learner by name only: it learns how to prepare rows, and predicts nothing.
class Preparation : public Learner {
public:
    TargetKind target() const override { return TargetKind::none; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override;  ///< E-TRAIN
    virtual Result<LearnedPreparationPtr> learn(const TableView& rows, std::span<const double> row_weights, Run& run) const = 0;
};
using PreparationPtr = std::shared_ptr<const Preparation>;

LearnerPtr make_imputation(std::vector<std::string> columns, ImputeOptions options);
LearnerPtr make_scaling(std::vector<std::string> columns, Scaling method);
LearnerPtr make_encoding(std::vector<std::string> columns);
/// Numeric columns as labels of bins: cut by the training rows, or at the points given.
struct DiscretizeOptions {
    std::size_t bins = 0;
    Binning method = Binning::width;
    std::vector<Number> cuts;  ///< given: these
};
LearnerPtr make_discretizing(std::vector<std::string> columns, DiscretizeOptions options);

/// The rows of a view, each as often as its weight says: for preparations that count rows. E-TRAIN if a weight is not a whole number.
Result<TablePtr> repeated_rows(const TableView& rows, std::span<const double> weights, std::string_view name);

/// The learner behind these preparations, the first of which sees the rows first. `counts:` of the learner counts for all of them.
LearnerPtr prepared_by(std::vector<PreparationPtr> steps, LearnerPtr learner);

/// A model whose rows are prepared first: kind "pipeline".
class PipelinePart {
public:
    static constexpr const char* part_kind = "pipeline";
    static constexpr const char* part_key = "pipeline";
    virtual ~PipelinePart() = default;
    const ModelPtr& inner() const { return inner_; }
    const std::vector<LearnedPreparationPtr>& steps() const { return steps_; }
    /// The table as the model behind the preparations sees it.
    Result<TablePtr> prepare(const Table& table) const;

protected:
    PipelinePart(std::vector<LearnedPreparationPtr> steps, ModelPtr inner) : steps_(std::move(steps)), inner_(std::move(inner)) {}
    const Predictor& predictor() const { return *inner_->predictor(); }
    /// Rows of the original columns as rows of the model behind.
    Result<Table> prepared_rows(const TableView& rows) const;
    Result<Derivation> explained(const Predictor& model, const TableView& rows, Run& run) const;
    Result<Json> saved_part() const;
    ModelParts listed_parts(const Schema& schema, std::size_t rows) const;

    std::vector<LearnedPreparationPtr> steps_;
    ModelPtr inner_;
};

/// How a model of some kind is read back.
using LoadModel = std::function<Result<ModelPtr>(std::string_view kind, const Json& json)>;
/// How what a preparation of some kind learned is read back.
using LoadPreparation = std::function<Result<LearnedPreparationPtr>(std::string_view kind, const Json& json)>;
Result<ModelPtr> load_pipeline(const Json& json, const LoadModel& load, const LoadPreparation& load_step);

}  // namespace credence::rt
