#pragma once
// Probability distributions as values. Parameters keep their exactness, so mean(beta(9, 5)) is 9/14.

#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/core/label.hpp"
#include "runtime/core/number.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/rng.hpp"
#include "runtime/core/variable.hpp"

namespace credence::rt {

using Point = std::vector<Number>;
/// What a distribution is over: a number, a label (categorical), or a vector (multinormal, dirichlet).
using Outcome = std::variant<Number, Label, Point>;

/// A named parameter as the user wrote it; a matrix is a list of rows.
using ParameterValue = std::variant<Number, std::vector<Number>, std::vector<std::vector<Number>>, std::vector<std::pair<Label, Number>>>;
struct Parameter {
    std::string_view name;
    ParameterValue value;
};

enum class Support { labels, integers, reals, vectors };

class Distribution {
public:
    virtual ~Distribution() = default;
    virtual std::string_view name() const = 0;
    virtual std::vector<Parameter> parameters() const = 0;
    virtual Support support() const = 0;
    /// The finitely many values in order, where there are finitely many (bernoulli: true, false; binomial: 0 … n).
    virtual DomainPtr finite_values() const { return nullptr; }

    /// Density, or probability of a discrete outcome; zero outside the support. Exact where the formula is rational.
    virtual Result<Number> pdf(const Outcome& x) const = 0;
    virtual double log_pdf(const Outcome& x) const = 0;          ///< −∞ outside the support
    virtual Result<Number> cdf(const Number& x) const = 0;       ///< P(X ≤ x); E-TYPE for labels and vectors
    virtual Result<Number> above(const Number& x) const;         ///< P(X > x), small ones with their digits
    virtual Result<Number> quantile(const Number& p) const = 0;  ///< smallest x with cdf(x) ≥ p; 0 ≤ p ≤ 1
    virtual Result<Outcome> mean() const = 0;                    ///< E-UNDEFINED if it does not exist
    virtual Result<Outcome> variance() const = 0;                ///< of a vector: the marginal variances
    /// Where the density or probability is largest, the first of equals; by formula, and exact, where the family has one. E-UNDEFINED if
    /// it is flat, or grows without bound; E-TYPE if only draws are known.
    virtual Result<Outcome> mode() const;
    virtual Result<Number> entropy() const = 0;  ///< bits for discrete ones, and for densities differential entropy in bits
    virtual Outcome sample(Rng& rng) const = 0;
};
using DistributionPtr = std::shared_ptr<const Distribution>;

/// P(low < X ≤ high); null: without an end. From whichever tail keeps more digits.
Result<Number> mass_between(const Distribution& distribution, const Number* low, const Number* high);

// Each checks its parameters: a Fault with code E-PARAMETER names the parameter, what was found and its range.
Result<DistributionPtr> make_bernoulli(const Number& p);  // over true, false
Result<DistributionPtr> make_binomial(const Number& n, const Number& p);
Result<DistributionPtr> make_categorical(std::vector<std::pair<Label, Number>> weights);  // must sum to 1
Result<DistributionPtr> make_poisson(const Number& rate);
Result<DistributionPtr> make_geometric(const Number& p);                      // failures before the first success: 0, 1, 2 …
Result<DistributionPtr> make_uniform(const Number& low, const Number& high);  // continuous
Result<DistributionPtr> make_normal(const Number& mean, const Number& sd);
Result<DistributionPtr> make_lognormal(const Number& mu, const Number& sigma);
Result<DistributionPtr> make_beta(const Number& a, const Number& b);
Result<DistributionPtr> make_gamma(const Number& shape, const Number& rate);
Result<DistributionPtr> make_exponential(const Number& rate);
Result<DistributionPtr> make_laplace(const Number& location, const Number& scale);
Result<DistributionPtr> make_student_t(const Number& degrees, const Number& location, const Number& scale);
Result<DistributionPtr> make_multinormal(std::vector<Number> mean, std::vector<std::vector<Number>> covariance);
Result<DistributionPtr> make_multinomial(const Number& n, std::vector<Number> p);
Result<DistributionPtr> make_dirichlet(std::vector<Number> concentration);
/// A finite mixture of one-dimensional distributions over numbers: what a predictive over a grid of hypotheses is.
Result<DistributionPtr> make_mixture(std::vector<Number> weights, std::vector<DistributionPtr> components);

}  // namespace credence::rt
