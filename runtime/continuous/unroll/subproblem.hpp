#pragma once
// Numbers that are connected, with the discrete variables that bear on them fixed: what the exact engines solve, each in its own file.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/continuous/unroll/unrolled.hpp"
#include "runtime/core/attempt.hpp"
#include "runtime/core/linalg.hpp"

namespace credence::rt::continuous {

/// A factor of the joint density: f(x; parameters), a probability written out, or that of a region of x.
struct DensityFactor {
    enum class Kind { density, weight, interval };
    Kind kind = Kind::density;
    Family family = Family::normal;
    Term x;                        ///< a latent number, a constant, or what the evidence ties a number to
    std::vector<Term> parameters;  ///< density, interval
    Term weight;                   ///< weight: the probability itself
    Region region = {};            ///< interval: where x was seen to be
    std::size_t instance = 0;      ///< whose distribution this is

    /// The distribution that a latent number was drawn from.
    bool is_prior() const { return kind == Kind::density && x->op == TermOp::variable && index(x->variable) == instance; }
};

struct Subproblem {
    const Unrolled* problem = nullptr;
    std::vector<VarId> latents;  ///< ascending
    std::vector<DensityFactor> factors;
    std::vector<Term> conditions = {};  ///< what was observed to be true of the numbers; not yet part of what solve() finds
};

enum class Engine { none, conjugate, linear_gaussian, quadrature };
std::string_view engine_name(Engine engine);

/// Jointly normal numbers, as the precision matrix Λ = L D Lᵀ and the mean: exact where it was small and everything was exact.
class JointNormal {
public:
    static std::optional<JointNormal> make(std::vector<VarId> variables, std::vector<std::vector<Number>> precision,
                                           std::vector<Number> shift);
    static std::optional<JointNormal> make(std::vector<VarId> variables, Matrix precision, std::vector<double> shift);

    const std::vector<VarId>& variables() const { return variables_; }
    bool is_exact() const { return !exact_mean_.empty(); }
    /// Whether all variables of the term are among its own; the mean and the covariance of others are not asked for.
    bool knows(const LinearTerm& term) const;
    Number mean(const LinearTerm& term) const;
    Number covariance(const LinearTerm& a, const LinearTerm& b) const;
    double log_determinant() const { return log_determinant_; }  ///< of Λ
    double quadratic_form() const { return quadratic_; }         ///< shiftᵀ Λ⁻¹ shift

private:
    template <class T>
    std::vector<T> coefficients(const LinearTerm& term) const;
    std::vector<VarId> variables_;
    std::vector<Number> exact_lower_;  // n × n: unit lower triangle, D on the diagonal
    std::vector<Number> exact_mean_;
    std::vector<double> lower_;
    std::vector<double> mean_;
    double log_determinant_ = 0;
    double quadratic_ = 0;
};

/// tau ~ gamma(shape, rate), mu | tau ~ normal(mean, 1 / sqrt(count · tau)).
struct NormalGamma {
    VarId mu{};
    VarId tau{};
    Number mean;
    Number count;
    Number shape;
    Number rate;
};

/// A number's distribution given another's value, and points along it from end to end where these are known already.
struct Slice {
    DistributionPtr own;
    std::vector<double> points = {};
};

/// Two numbers that are connected in no known form: the first by a density of its own, the second given the first.
struct NumberPair {
    VarId first{};
    VarId second{};
    DistributionPtr of_first;
    std::function<DistributionPtr()> of_second;  ///< null if it was not found
    std::function<Slice(double)> given_first;
};

/// What a subproblem's numbers are, given the evidence.
struct Posterior {
    double log_evidence = 0;           ///< ln of the density of the evidence
    std::optional<Rational> evidence;  ///< the same as a fraction, where it is one
    std::map<VarId, DistributionPtr> marginals;
    std::vector<JointNormal> normals;
    std::vector<NormalGamma> normal_gammas;
    std::vector<NumberPair> pairs;
    Engine engine = Engine::none;             ///< the roughest of those that took part
    std::vector<std::string> story;           ///< lines for explain
    std::vector<std::string> integrals = {};  ///< and what was integrated over it: a formula and its value
};

/// Which engines may be used.
struct Allowed {
    bool conjugate = true;
    bool linear_gaussian = true;
    bool quadrature = true;
    std::size_t exact_bits = 4096;  ///< of one number; 0: no exact numbers
};

/// Not applicable where the engine does not fit the subproblem; a fault where the numbers are impossible (a negative sd).
using Solved = Attempt<Posterior>;
Solved solve_conjugate(const Subproblem& subproblem, const Allowed& allowed);
Solved solve_linear_gaussian(const Subproblem& subproblem, const Allowed& allowed);
Solved solve_quadrature(const Subproblem& subproblem, const Allowed& allowed);
Solved solve_pair(const Subproblem& subproblem, const Run& run);
/// The best of them, subproblem by subproblem; leaves (drawn from the rest, and nothing drawn from them) are described by what they are
/// drawn from.
Solved solve(const Subproblem& subproblem, const Allowed& allowed, const Run& run);

/// The pieces of a subproblem that have no factor in common: their numbers are independent of each other.
std::vector<Subproblem> connected(const Subproblem& subproblem);

/// The distribution of a term over the subproblem's numbers; null if no engine has it.
DistributionPtr marginal_of(const Posterior& posterior, const Term& term);

/// E of a polynomial in the subproblem's numbers and what they leave to 1, where these are independent betas; nothing otherwise.
std::optional<Number> mean_of_polynomial(const Posterior& posterior, const Term& term);

/// P(term holds), where truth can change at the marks of its value alone; not applicable where no engine has it.
Attempt<Number> mass_of(const Posterior& posterior, const Term& term, std::span<const Number> marks,
                        const std::function<bool(double)>& holds);

/// E-PARAMETER of a factor whose constant parameters are impossible.
std::optional<Fault> impossible_parameters(const DensityFactor& factor, const Unrolled& problem);

}  // namespace credence::rt::continuous
