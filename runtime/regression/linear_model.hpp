#pragma once
// A target as a weighted sum of terms of the columns: what least squares and its relatives give.

#include <string>
#include <utility>

#include "runtime/prob/models/predictor.hpp"
#include "runtime/regression/fit.hpp"

namespace credence::rt {

enum class IntervalOf { mean, observation };

class LinearModel : public Regressor {
public:
    LinearModel(Schema schema, std::size_t rows, std::string kind, RegressionFit fit);
    const RegressionFit& fit() const { return fit_; }
    std::string_view kind() const override { return kind_; }
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
    Attempt<Rational> exact_prediction(const TableView& rows, Run& run) const override;
    /// The noise around the prediction, with the weights taken as known.
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;
    ModelParts parts() const override;

    /// The spread of the noise, and of each weight, the intercept first.
    virtual double sigma() const { return fit_.sigma(); }
    virtual std::vector<double> standard_errors() const { return fit_.standard_errors(); }
    /// Where the mean at a row (size 1), or one more observation there, lies with probability `level`, the uncertainty of the weights
    /// counted: Student's t with the degrees that are left. Under other noise than normal the mean's interval is that for many rows, an
    /// observation's that of the noise alone. Low, high.
    virtual Result<std::pair<double, double>> interval(const TableView& row, double level, IntervalOf of, Run& run) const;

protected:
    /// xᵀ (XᵀWX + Λ)⁻¹ x of a row.
    double leverage(const TableView& row) const;
    double prediction(const TableView& row) const;
    Number mean_at(const TableView& row, Run& run) const;  ///< the same as a fraction where that is a short one

private:
    std::string kind_;
    RegressionFit fit_;
};
Result<ModelPtr> load_linear_model(const Json& json);

Json saved(const RegressionFit& fit);
Result<RegressionFit> read_fit(const Json& json, const char* key, const Schema& schema);

}  // namespace credence::rt
