#pragma once
// Gaussian process regression: the target is a smooth function of the columns plus noise (Rasmussen and Williams 2006, chapters 2, 4, 5).

#include <optional>
#include <vector>

#include "runtime/instance/metric.hpp"
#include "runtime/prob/models/predictor.hpp"
#include "runtime/prob/models/residuals.hpp"

namespace credence::rt {

/// How the covariance of two values of the function falls with the distance r of their rows, in units of the length rho:
/// alpha² exp(−r²/2), alpha² (1 + √3 r) exp(−√3 r), alpha² (1 + √5 r + 5 r²/3) exp(−√5 r).
enum class GpKernel { rbf, matern32, matern52 };

/// Standard deviations of the function and of the noise, and the length on which the function changes: one, or one for each coordinate.
struct GpParameters {
    double alpha = 1;
    std::vector<double> rho = {1};
    double sigma = 1;
};

struct GpOptions {
    GpKernel kernel = GpKernel::rbf;
    std::optional<double> alpha = {};  ///< what is not given is learned: the values under which the rows are most probable
    std::optional<double> rho = {};
    bool rho_each = false;  ///< learn a length for each coordinate
    std::optional<double> sigma = {};
    AxisScale scaling = AxisScale::standard;
};

LearnerPtr make_gaussian_process(GpOptions options);
Result<ModelPtr> load_gaussian_process(const Json& json);
std::optional<GpKernel> gp_kernel_named(std::string_view name);
std::string_view name_of(GpKernel kernel);

class GaussianProcess : public Regressor {
public:
    using Regressor::Regressor;
    virtual const GpParameters& parameters() const = 0;
    virtual double log_evidence() const = 0;  ///< ln P(targets) under the parameters
    /// Where the function, or one more observation, lies with this probability.
    virtual Result<std::pair<double, double>> interval(const TableView& row, double level, bool observation, Run& run) const = 0;
    virtual Residuals residuals() const = 0;
};

}  // namespace credence::rt
