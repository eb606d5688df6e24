#pragma once
// The rows of a regression, and weights fitted to them: by least squares, least absolute error, or under Student's t.

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/run.hpp"
#include "runtime/regression/terms.hpp"

namespace credence::rt {

/// The rows that are learned from: no cell missing.
struct Observed {
    const Table* table = nullptr;
    std::vector<ColumnPtr> features;
    const Column* target = nullptr;
    std::vector<std::uint32_t> rows;  ///< of the table
    std::vector<double> weights;      ///< one for each row, or none
    std::vector<Term> terms;

    TableView view() const { return {.table = table, .rows = rows, .all = false}; }
    double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
    double total_weight() const;
    std::vector<double> targets() const;
};
Result<Observed> observe(const TableView& rows, std::span<const double> weights, std::size_t degree, Products products);

/// Of what the target is off the plane.
struct Noise {
    enum class Kind { normal, laplace, student_t };
    Kind kind = Kind::normal;
    Number degrees = {};  ///< nu, of student_t
};

/// Weights and what they leave. Numbers are exact where the table was small and exact.
struct RegressionFit {
    std::vector<Term> terms;
    std::vector<Number> weights;             ///< the intercept first; 0 if the term was left out
    std::vector<std::size_t> left_out;       ///< terms that the ones before them determine
    std::vector<Number> residuals;           ///< y − ŷ of each row learned from
    std::vector<double> fitted = {};         ///< ŷ of each of them, for pictures
    std::vector<double> inputs = {};         ///< of a single column of numbers its cells, for pictures
    Number squared_error;                    ///< Σ w e²
    Number squared_total;                    ///< Σ w (y − ȳ)²
    Number rows;                             ///< Σ w
    Number degrees;                          ///< rows − number of coefficients (ridge: of effective ones): the freedom that is left
    Number penalty;                          ///< Σ λ w²
    std::vector<double> unscaled_variances;  ///< diagonal of (XᵀWX + Λ)⁻¹, the intercept first
    double log_determinant = 0;              ///< ln |XᵀWX + Λ|

    Basis basis;                   ///< in which doubles are computed
    std::vector<double> in_basis;  ///< the weights there
    Matrix covariance;             ///< (XᵀWX + Λ)⁻¹ there

    Noise noise;
    Number absolute_error = {};  ///< Σ w |e|, of laplace
    double scale = 0;            ///< of laplace and student_t noise, by maximum likelihood
    bool converged = true;       ///< of student_t
    bool only_one = true;        ///< of laplace: no other weights have the same sum of errors
    std::size_t steps = 0;       ///< of laplace: rows exchanged; of student_t: rounds
    double log_likelihood = 0;   ///< at the most probable spread; +∞ where there is no noise

    bool is_exact() const;
    double sigma() const;                         ///< √(Σ w e² / degrees), 0 if no freedom is left; the scale of other noise
    std::optional<Number> r2() const;             ///< none where the target is constant
    std::vector<double> standard_errors() const;  ///< the intercept first; of other noise than normal: for many rows
};

/// Minimises Σ w e² + Σ λ_j w_j². `penalties`: one for each coefficient, the intercept first; or none.
Result<RegressionFit> least_squares_fit(const Observed& data, std::span<const Number> penalties, const Run& run);
/// Minimises Σ w |e|: a vertex of the linear program, which goes through as many rows as there are weights.
Result<RegressionFit> least_absolute_fit(const Observed& data, const Run& run);
/// The most probable weights and scale under Student's t with `degrees`.
Result<RegressionFit> student_t_fit(const Observed& data, const Number& degrees, const Run& run);

/// Keeps what pictures of a finished fit need of the rows: `fitted` and `inputs`.
void remember_rows(const Observed& data, RegressionFit& fit);

/// Whether cells, penalties and the amount of work allow fractions.
bool can_be_exact(const Observed& data, std::span<const Number> penalties, const Run& run);
/// Variance of each term over the rows (by weight, not by degrees of freedom), the intercept's 0 first.
std::vector<Number> term_variances(const Observed& data, const Run& run);

/// The weights of the columns themselves, and their variances, from those in the basis.
void raw_weights(RegressionFit& fit);
/// Residuals and sums of weights that were found in the basis, and the weights of the columns themselves. `x` begins with the rows' terms
/// in the basis, `y` with their targets.
void complete_fit(const Observed& data, const Matrix& x, std::span<const double> y, RegressionFit& fit);
/// A fault where the weights, or the sums of squares that everything else is read off, are beyond the range of doubles.
Status within_range(const RegressionFit& fit);
/// The same, and where those sums are too small for it though the targets differ.
Status within_range(const RegressionFit& fit, const Observed& data);
/// ln of the greatest density of the residuals under normal noise.
double normal_log_likelihood(const RegressionFit& fit);

}  // namespace credence::rt
