#pragma once
// A target as a weighted sum of columns: what least squares and its relatives give.

#include <string>
#include <vector>

#include "runtime/data/design.hpp"
#include "runtime/prob/predictor.hpp"

namespace credence::rt {

/// Of a fit by least squares. Numbers are exact where the table was small and exact.
struct LinearFit {
    std::vector<DesignTerm> terms;  ///< of the features, in their order
    Number intercept;
    std::vector<Number> coefficients;        ///< one a term; 0 where the term was left out
    std::vector<std::size_t> left_out;       ///< terms that the ones before them determine
    std::vector<Number> residuals;           ///< y − ŷ of each row learned from
    Number squared_error;                    ///< Σ w e²
    Number squared_total;                    ///< Σ w (y − ȳ)²
    Number degrees;                          ///< Σ w − number of coefficients: the freedom that is left
    std::vector<double> unscaled_variances;  ///< diagonal of (XᵀWX)⁻¹, the intercept first

    bool is_exact() const { return intercept.is_exact(); }
    double sigma() const;                         ///< √(Σ w e² / degrees); 0 where no freedom is left
    std::optional<Number> r2() const;             ///< none where the target is constant
    std::vector<double> standard_errors() const;  ///< the intercept first
};

class LinearModel final : public Regressor {
public:
    LinearModel(Schema schema, std::size_t rows, std::string kind, LinearFit fit);
    const LinearFit& fit() const { return fit_; }
    std::string_view kind() const override { return kind_; }
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override;
    Result<std::optional<Rational>> exact_prediction(const TableView& rows, Run& run) const override;
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override;
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override;
    Result<Json> save() const override;

private:
    std::string kind_;
    LinearFit fit_;
};
Result<ModelPtr> load_linear_model(const Json& json);

}  // namespace credence::rt
