#pragma once
// Linear regression with a prior: the posterior of the weights, of the noise, and of what comes next; the evidence of the model.

#include <optional>

#include "runtime/regression/regression.hpp"

namespace credence::rt {

/// w_j ~ normal(0, sigma / sqrt(lambda_j)); sigma known, or 1 / sigma² ~ gamma(shape, rate). A lambda of 0 is a flat prior, shape and rate
/// of 0 the prior 1 / sigma².
struct BayesOptions {
    std::size_t degree = 1;
    Products products = Products::all;
    Penalty penalty{Number(Rational(1, 100)), true};  ///< by default weights up to some ten sigma for a column of variance 1
    Number intercept_lambda = Number(0);
    std::optional<Number> sigma;
    Number shape = Number(0);
    Number rate = Number(0);
};
LearnerPtr make_bayes_regression(BayesOptions options);

class BayesRegression final : public LinearModel {
public:
    /// `data`: the rows learned from, features first; `weights`: one for each row, or none; `penalties`: λ of each coefficient.
    BayesRegression(Schema schema, BayesOptions options, std::vector<Number> penalties, TablePtr data, std::vector<double> weights,
                    RegressionFit fit);

    const BayesOptions& options() const { return options_; }
    const Number& shape() const { return shape_; }  ///< of the posterior of 1 / sigma²
    const Number& rate() const { return rate_; }
    /// Of each weight, the intercept first: normal where sigma is known, else Student's t. E-UNDEFINED if the rows do not determine it.
    Result<DistributionPtr> weight(std::size_t coefficient) const;
    /// Of 1 / sigma²: gamma.
    Result<DistributionPtr> precision() const;
    /// ln P(D): all weights and spreads averaged out.
    Result<double> log_evidence() const;
    /// P(D | a) / P(D | b) as its logarithm; both must have learned from the same targets, with the same improper parts of their priors.
    static Result<double> log_bayes_factor(const BayesRegression& a, const BayesRegression& b);

    double sigma() const override;  ///< as given, or sqrt(rate / shape)
    std::vector<double> standard_errors() const override;
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override;
    Result<std::pair<double, double>> interval(const TableView& row, double level, IntervalOf of, Run& run) const override;
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;  ///< the posterior of each weight
    Derivation explain_training() const;

private:
    /// Where the plane, or an observation, is at a row: normal or Student's t.
    Result<DistributionPtr> predictive(const TableView& row, IntervalOf of) const;
    Result<DistributionPtr> around(const Number& mean, double unscaled_variance) const;
    std::size_t flat() const;  ///< coefficients without a prior

    BayesOptions options_;
    std::vector<Number> penalties_;
    TablePtr data_;
    std::vector<double> row_weights_;
    Number shape_;
    Number rate_;
};
Result<ModelPtr> load_bayes_regression(const Json& json);

}  // namespace credence::rt
