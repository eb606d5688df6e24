#pragma once
// Units that are linear in their inputs: the perceptron, the linear unit and logistic regression.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/prob/learning/training_rows.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

enum class Steps { batch, stochastic };

/// Where training starts: by name ("intercept" and the terms), all in order with the intercept first, or by label; none: zeros.
struct LinearStart {
    std::vector<std::pair<std::string, Number>> named;
    std::vector<Number> in_order;
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, Number>>>> by_label;  ///< logistic, several labels
};

struct LinearOptions {
    std::optional<Number> rate;  ///< none: chosen from the data (perceptron: 0.1; logistic: Newton's method)
    std::optional<std::size_t> epochs;
    std::optional<Steps> steps;  ///< perceptron: stochastic unless said; the others: batch
    LinearStart start;
    std::optional<double> tolerance;  ///< training ends when no weight moves by more in an epoch; perceptron: at this share of wrong rows
    std::optional<Scaling> scale;     ///< of the numeric columns
    /// logistic by Newton's method: adds ½·ridge·Σ w² of standardised columns to the loss; none: a small one where the likelihood has no
    /// maximum
    std::optional<double> ridge;
};

/// The result of training, for every learner here.
struct LinearFit {
    std::vector<std::vector<Number>> units;  ///< the intercept, then one for each term; several labels: one for each label but the first
    double loss = 0;
    std::vector<double> history;  ///< loss at the start and after each epoch
    /// As `units`, by the curvature of the likelihood at its maximum; empty if training did not end there. Logistic only.
    std::vector<std::vector<double>> standard_errors = {};
    double ridge = 0;  ///< that was added to the loss; logistic only
};

/// A sum of the weights of rows, such as the loss of a perceptron: a count where they are counts.
Number counted_weight(double sum);

/// The numbers behind both models below.
class LinearPart {
public:
    LinearPart(const Schema& schema, LinearFit fit);
    const LinearFit& fit() const { return fit_; }
    const std::vector<DesignTerm>& terms() const { return terms_; }
    /// Row i's sum of unit u: exact where the weights and cells are and the double is too near 0 to trust.
    double sum(const Matrix& x, std::size_t i, std::size_t u) const;
    Json saved_fit() const;
    Parts sum_written(const TableView& row, std::size_t unit) const;  ///< "1 + 2 * 3" of a row, as numbers
    /// The weights; with several units, those of each label. Where they have standard errors, z and p too.
    ModelPart weights_part(const Schema& schema) const;

protected:
    std::vector<DesignTerm> terms_;
    LinearFit fit_;
    std::vector<std::vector<double>> reals_;
};

/// perceptron and logistic.
class LinearClassifier final : public Classifier, public LinearPart {
public:
    enum class Kind { perceptron, logistic };
    LinearClassifier(Kind kind, Schema schema, std::size_t rows, LinearFit fit);
    std::string_view kind() const override { return kind_ == Kind::perceptron ? "perceptron" : "logistic"; }
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override;
    bool gives_probabilities() const override { return kind_ != Kind::perceptron; }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override;
    Result<Answer> ask(const Query& query, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

private:
    bool positive(const TableView& rows, const Matrix& x, std::size_t i) const;
    Kind kind_;
};

/// linear_unit, and logistic fitted to frequencies.
class LinearRegressor final : public Regressor, public LinearPart {
public:
    enum class Link { identity, logistic };
    LinearRegressor(Link link, Schema schema, std::size_t rows, LinearFit fit);
    std::string_view kind() const override { return link_ == Link::identity ? "linear_unit" : "logistic"; }
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

private:
    Link link_;
};

LearnerPtr make_perceptron(LinearOptions options);
LearnerPtr make_linear_unit(LinearOptions options);
LearnerPtr make_logistic(LinearOptions options);
Result<ModelPtr> load_linear(std::string_view kind, const Json& json);

// --- what the trainers share ------------------------------------------------------------------------------------------

/// The coefficients that training starts from; E-PARAMETER if a name is not a term or the list has another length.
Result<std::vector<Number>> starting_weights(const LinearStart& start, std::span<const DesignTerm> terms);
std::vector<Number> as_numbers(std::span<const double> xs);
/// "w = (intercept −0.1, a 0.2)": for traces.
std::string weights_text(std::span<const Number> weights, std::span<const DesignTerm> terms);
std::string short_number(const Number& n);
/// How the output of a unit comes from its weighted sum.
struct Link {
    std::string name;  ///< of the output in formulas
    std::function<double(double)> value;
    std::function<Parts(double)> written = nullptr;  ///< none: the sum itself
};
struct BatchTrace {
    Number rate;
    std::span<const double> targets;
    Link output;
    std::size_t steps = 0;  ///< that training may take
};
/// The first batch steps of a small table, number by number.
void tell_batch_steps(DerivationWriter& out, const TrainingRows& data, const BatchTrace& told, std::vector<double> weights);
/// "Row 3, <1, 0>:" and the weighted sum of a unit for it.
void tell_row(DerivationWriter& out, std::size_t row, std::span<const double> x, std::span<const double> weights);
constexpr std::size_t row_steps_told = 6;  ///< single steps that a trace writes out

}  // namespace credence::rt
