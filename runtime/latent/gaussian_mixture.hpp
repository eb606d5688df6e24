#pragma once
// Mixtures of normals over the numeric columns of a table: learner and model.

#include "runtime/latent/gaussian_em.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

/// What is learned, in the units of the table.
struct GaussianMixture {
    CovarianceKind kind = CovarianceKind::full;
    std::vector<double> weights;
    Matrix means;                     ///< component × column
    std::vector<Matrix> covariances;  ///< one for each component, of any kind written out
    std::vector<double> history;      ///< log-likelihood by iteration
    double rows = 0;
    std::size_t free_parameters = 0;

    double log_likelihood() const { return history.back(); }
};

/// A start in the units of the table; what is left out follows from the data.
struct GaussianStart {
    Matrix means;
    std::vector<Matrix> covariances;  ///< one for each component, or none
    std::vector<double> weights;      ///< or none
};

struct GaussianMixtureOptions {
    std::size_t k = 2;
    CovarianceKind kind = CovarianceKind::full;
    std::optional<double> sd;                    ///< known, in all directions
    std::optional<std::vector<double>> weights;  ///< known
    std::optional<GaussianStart> init;
    std::size_t restarts = 5;
    std::size_t iterations = 500;
    double tolerance = 1e-9;
    double regularise = 1e-6;  ///< least variance in any direction, as a share of the data's
};

class GaussianMixtureModel : public Classifier {
public:
    using Classifier::Classifier;
    virtual const GaussianMixture& mixture() const = 0;
    /// ln of the density of a row over the columns that are not missing (NaN), and the shares of the components.
    virtual double log_density(std::span<const double> row, std::span<double> shares) const = 0;
};
LearnerPtr make_gaussian_mixture(GaussianMixtureOptions options);
ModelPtr make_gaussian_mixture_model(Schema schema, std::size_t rows, GaussianMixture mixture);
Result<ModelPtr> load_gaussian_mixture(const Json& json);

std::string_view covariance_name(CovarianceKind kind);
std::optional<CovarianceKind> covariance_kind(std::string_view name);

}  // namespace credence::rt
