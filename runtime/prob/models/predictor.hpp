#pragma once
// Models that predict a target column from the others: what they saw in training, and how queries and rows reach them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/attempt.hpp"
#include "runtime/prob/model.hpp"

namespace credence::rt {

struct FieldScale {
    double offset = 0;
    double unit = 1;
};

/// A column as training saw it.
struct Field {
    std::string name;
    ColumnKind kind = ColumnKind::label;
    DomainPtr domain;  ///< of a label column; null: any text
    /// Of a feature: the number, or the place of the label in the domain, that a missing cell becomes before the model sees it.
    std::optional<double> fill = {};
    /// Of a numeric feature that the model sees as (cell − offset) / unit.
    std::optional<FieldScale> scale = {};
};

/// The features in the order of the table, and the target.
struct Schema {
    std::vector<Field> features;
    Field target;
};
Schema schema_of(const Table& table);  ///< of a table that has a target

/// The table's columns put in the order of the schema's features, label cells recoded to its domains (a label that training never saw is
/// a missing cell; `unseen` counts them, where given). Columns that fit are shared, not copied. A column of the schema that the table does
/// not have is all missing; other missing cells are filled in where the field says with what (`filled` counts them, where given). A numeric
/// feature over a label column is an E-TYPE fault.
Result<Table> align(const Schema& schema, const Table& table, std::size_t* unseen = nullptr, std::size_t* filled = nullptr);
/// The column with its missing cells filled in as the field says; the same column where nothing is missing.
ColumnPtr filled(const ColumnPtr& column, const Field& field);
/// The column with its numbers scaled as the field says; the same column where it says nothing.
ColumnPtr scaled(const ColumnPtr& column, const Field& field);

/// Which features of the schema the table has, one flag each.
std::vector<char> features_in(const Schema& schema, const Table& table);

class Predictor : public Model {
public:
    explicit Predictor(Schema schema, std::size_t rows_seen);

    const Schema& schema() const { return schema_; }
    std::size_t rows_seen() const { return rows_seen_; }
    const Variables& variables() const override { return variables_; }  ///< the features, then the target; numeric ones are real-valued
    const Predictor* predictor() const override { return this; }
    std::string description() const override;
    std::vector<MethodInfo> engines() const override { return {exact_engine, MethodInfo{.name = kind()}}; }
    /// Default: no joint distribution to draw from.
    Result<TablePtr> sample(std::size_t n, const Clause& given, Run& run) const override;
    /// `explain P(…) in model`: the derivation of the prediction for the evidence.
    Result<Derivation> explain(const Query& query, const Answer& answer, Run& run) const override;

    /// Whether missing feature cells are understood; where not, predicting one is an E-MISSING fault that names the columns.
    virtual bool takes_missing() const { return false; }
    /// Whether it judges rows with values it never saw: such a value is any value (?) and equals no other. In its rows a column's domain
    /// may go on after the values of the schema.
    virtual bool judges_unseen() const { return false; }
    /// Of a model that takes missing cells but is not asked with some columns only: those not given (one flag a feature) that the
    /// prediction of a row depends on. A cell that is marked missing is given. Default: none, the model makes do with what there is.
    virtual std::vector<std::size_t> columns_needed(const Table& rows, std::size_t row, std::span<const char> given) const;
    /// The derivation of one row's prediction (rows.size() == 1, aligned).
    virtual Result<Derivation> explain_prediction(const TableView& rows, Run& run) const = 0;

    /// The one row (aligned to the schema) that a query's evidence describes; a fault where it is not an assignment of features.
    Result<Table> row_of_evidence(const Query& query) const;
    /// E-MISSING if a cell of the aligned rows is missing and the model does not take that.
    Status check_cells(const TableView& rows) const;
    /// The same where only some columns were given, and one of the others is needed.
    Status check_given(const TableView& rows, std::span<const char> given) const;

protected:
    Schema schema_;
    std::size_t rows_seen_ = 0;
    Variables variables_;
};

/// Rows given to the functions below are aligned to the schema's features (`align`), and checked (`check_cells`).
class Classifier : public Predictor {
public:
    using Predictor::Predictor;
    /// P(label | row): rows × labels of the target's domain, row by row, each row summing to one.
    virtual Status probabilities(const TableView& rows, std::span<double> out, Run& run) const = 0;
    /// Codes in the target's domain. Default: the most probable label, the first declared among equals.
    virtual Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const;
    /// Whether those are more than 1 for the predicted label and 0 for the others.
    virtual bool gives_probabilities() const { return true; }
    /// The same as fractions, where the model's numbers allow it (rows.size() == 1). Default: not applicable.
    virtual Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const;

    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;  ///< default: the probabilities
};

class Regressor : public Predictor {
public:
    using Predictor::Predictor;
    virtual Status predict(const TableView& rows, std::span<double> out, Run& run) const = 0;
    /// The same as a fraction, where the model's numbers allow it (rows.size() == 1). Default: not applicable.
    virtual Attempt<Rational> exact_prediction(const TableView& rows, Run& run) const;
    /// The distribution of the target for one row: answers P(Y | …). Default: an E-QUERY fault, the model has no noise.
    virtual Result<DistributionPtr> distribution(const TableView& rows, Run& run) const;

    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;  ///< default: the number
};

}  // namespace credence::rt
