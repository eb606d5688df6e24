#pragma once
// EM for mixtures of normals over several columns. Rows are kept in blocks, column by column inside a block, so that the densities and
// the weighted sums are computed for four rows at a time without a copy.

#include "runtime/core/lane_vector.hpp"
#include "runtime/core/linalg.hpp"
#include "runtime/prob/learning/em.hpp"

namespace credence::rt {

enum class CovarianceKind { full, diagonal, spherical, tied };

/// Rows centred and scaled: by column, or for spherical covariances by one number for all.
struct GaussianRows {
    static constexpr std::size_t block = 64;

    std::size_t rows = 0;
    std::size_t dims = 0;
    LaneVector values;   ///< block × column × row of the block; rows beyond the last are 0
    LaneVector weights;  ///< by row; 0 beyond the last
    double total = 0;    ///< of the weights
    std::vector<double> centre;
    std::vector<double> scale;
    double log_scale = 0;  ///< Σ ln scale: a density of the scaled rows is e^log_scale times that of the rows

    std::size_t blocks() const { return (rows + block - 1) / block; }
    double at(std::size_t row, std::size_t column) const { return values.data()[(row / block * dims + column) * block + row % block]; }
};
GaussianRows gaussian_rows(const Matrix& rows, std::span<const double> weights, CovarianceKind kind);
/// Other rows in the same units.
GaussianRows scaled_alike(const Matrix& rows, const GaussianRows& units);

/// Over the scaled rows. Covariances: full k·d·d, tied d·d, diagonal k·d, spherical k.
struct GaussianParameters {
    std::vector<double> weights;
    std::vector<double> means;  ///< k·d
    std::vector<double> covariances;
};

struct GaussianSettings {
    std::size_t k = 1;
    CovarianceKind kind = CovarianceKind::full;
    std::optional<std::vector<double>> weights;  ///< known
    std::optional<double> variance;              ///< known, of the scaled rows: then kind is spherical
    double floor = 1e-6;                         ///< least variance in any direction, as a share of the data's
};

/// What the rows add up to in a step: of each component the weight, Σ (x − mean) and the sums of products, and over all of them the
/// log-likelihood in the scaled units.
struct GaussianSums {
    std::vector<double> values;
    double log_likelihood = 0;
    double total = 0;  ///< weight of the rows

    void add(const GaussianSums& more);
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.values);
        visit(self.log_likelihood);
        visit(self.total);
    }
};
GaussianSums gaussian_sums(const GaussianRows& rows, const GaussianParameters& now, const GaussianSettings& settings, const Run& run);
/// The same of rows that are elsewhere.
using GaussianPass = std::function<Result<GaussianSums>(const GaussianParameters& now, Run& run)>;

class GaussianProblem {
public:
    /// With a pass, `rows` tell only the units and where the starts are.
    GaussianProblem(const GaussianRows& rows, const GaussianSettings& settings, std::optional<GaussianParameters> init,
                    GaussianPass pass = {})
        : rows_(&rows), settings_(&settings), init_(std::move(init)), pass_(std::move(pass)) {}

    GaussianParameters start(std::size_t restart, Rng& rng) const;
    Result<double> step(const GaussianParameters& now, GaussianParameters& next, Run& run) const;
    bool spurious(const GaussianParameters& p) const;

private:
    const GaussianRows* rows_;
    const GaussianSettings* settings_;
    std::optional<GaussianParameters> init_;
    GaussianPass pass_;
};

/// The numbers that densities are computed from: the inverses of the Cholesky factors (or of the standard deviations), and the logarithms
/// of weight and normalising constant.
struct GaussianFactors {
    std::vector<double> inverse;   ///< full k·d·d lower triangular (tied: the same k times), diagonal and spherical k·d
    std::vector<double> constant;  ///< ln weight − d/2 ln 2π − ln |Σ|/2
};
GaussianFactors gaussian_factors(const GaussianParameters& p, std::size_t k, std::size_t d, CovarianceKind kind);

/// How many numbers are free.
std::size_t gaussian_free_parameters(const GaussianSettings& settings, std::size_t d);

}  // namespace credence::rt
