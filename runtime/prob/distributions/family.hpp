#pragma once
// A family of distributions is one record: what nets, mixtures, hypothesis spaces, help and completion know of it. Its file in
// runtime/prob/distributions writes the record; the table in family.cpp lists it.

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/prob/distributions/distribution.hpp"
#include "runtime/prob/terms/term.hpp"

namespace credence::rt {

/// What a parameter is to its family: how it is moved when it is learned, and how far.
enum class Role {
    place,           ///< any number, in units of the data
    corner,          ///< a place where the likelihood has a corner, so that no gradient leads to the top
    log_place,       ///< any number, in units of the logarithms of the data
    angle,           ///< any number, in radians
    spread,          ///< positive, in units of the data
    log_spread,      ///< positive, in units of their logarithms
    inverse_spread,  ///< positive, in units of 1 / data
    positive,
    shape,        ///< positive: what it grows with is the concentration of the family
    degrees,      ///< of freedom
    probability,  ///< 0 to 1
    low_end,      ///< where the values begin
    high_end,     ///< where they end
    fixed         ///< not learned
};

/// How an argument is written: 3, [1, 2], [[1, 0], [0, 1]], or probabilities by label.
enum class Form { number, list, matrix, weights };

struct FamilyParameter {
    std::string_view name;
    Role role = Role::fixed;
    std::optional<int> fallback = {};  ///< where it may be left out
    Form form = Form::number;

    bool learnable() const { return role != Role::fixed; }
};

inline constexpr std::size_t most_parameters = 5;  ///< of a student_t within limits

/// ln f(x; p) and, where asked for, ∂/∂x and ∂/∂p. −∞ outside the support, NaN with parameters outside their range.
/// A bernoulli's x is 1 or 0.
struct DensityValue {
    double value = 0;
    double dx = 0;
    double dp[most_parameters] = {};
};
inline DensityValue bad_parameters() { return {std::numeric_limits<double>::quiet_NaN(), 0, {}}; }
inline DensityValue outside_support() { return {-std::numeric_limits<double>::infinity(), 0, {}}; }

/// Where a family's values lie. `between`: two of its parameters are the ends, ±∞ if there is none; `above`: one is the lower end;
/// `circle`: −π to π.
enum class ValueRange { line, positive, unit, between, above, circle, counts };

/// Values with weights, as an M-step sees them. Labels are 1 for true and 0 for false.
struct WeightedValues {
    std::span<const double> values;
    std::span<const double> weights;
    double total = 0;   ///< of the weights; above 0
    double sd = 1;      ///< of all the data, not of these weights
    double log_sd = 1;  ///< of its logarithms

    template <class F>
    double sum(F f) const {
        double out = 0;
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (weights[i] > 0) out += weights[i] * f(values[i]);
        return out;
    }
    double mean() const {
        return sum([](double x) { return x; }) / total;
    }
};
using KnownParameters = std::vector<bool>;  ///< by parameter

/// The same as fractions.
struct ExactValues {
    std::vector<Rational> values;
    std::vector<Rational> weights;
    std::size_t most_bits = 0;

    template <class F>
    std::optional<Rational> sum(F f) const {
        Rational out;
        for (std::size_t i = 0; i < values.size(); ++i) {
            out += weights[i] * f(values[i]);
            if (out.bits() > most_bits) return std::nullopt;
        }
        return out;
    }
    std::optional<Rational> count() const {
        return sum([](const Rational&) { return Rational(1); });
    }
    std::optional<Rational> total() const {
        return sum([](const Rational& x) { return x; });
    }
};

/// The forms in which conjugate pairs meet: θ^a (1 − θ)^b, which are probabilities, and θ^a e^(−bθ), which are rates.
enum class ConjugateKernel { beta, gamma };

/// A likelihood as a kernel: constant · θ^first · (1 − θ)^second, or constant · θ^first · e^(−second θ). One parameter of the family is
/// θ^power: of a normal with known mean the standard deviation is the precision to the power −1/2.
struct ConjugateForm {
    ConjugateKernel kernel = ConjugateKernel::beta;
    std::size_t parameter = 0;
    Rational power = 1;
    Number first;
    Number second;
    std::optional<Rational> constant = Rational(1);
    double log_constant = 0;  ///< where there is no exact one
};

struct FamilyInfo;

/// A prior as a kernel: θ^(first − 1) (1 − θ)^(second − 1), or θ^(first − 1) e^(−second θ). What was drawn is θ^power: an inverse gamma
/// is a gamma to the power −1. The posterior is of the family that `first` and `second` are the parameters of.
struct ConjugatePrior {
    ConjugateKernel kernel = ConjugateKernel::beta;
    const FamilyInfo* posterior = nullptr;
    Number first;
    Number second;
    Rational power = 1;
};

/// ln P(X ≤ x) and ln P(X > x).
struct LogTails {
    double below = 0;
    double above = 0;
};

/// Bounds of what is learned: the least spread, as a share of the data's, because a component that shrinks onto a single value has a
/// likelihood without bound; and the same for families whose spread is not a parameter.
inline constexpr double least_component_spread = 1e-3;
inline constexpr double most_shape = 1e6;

/// An argument of a family of vectors in a net: one term, the entries of a list, or those of a matrix row by row.
struct VectorArgument {
    std::vector<Term> terms;
    Origin origin = Origin::none;
};
/// What an entry of a vector is drawn from, given the entries before it.
struct VectorPart {
    const FamilyInfo* family = nullptr;
    std::vector<Term> parameters;
    Term most = nullptr;  ///< of counts: a bound that does not depend on the entries before it
};
/// The two parameters of a beta.
using Stick = std::pair<Term, Term>;

/// What a family of vectors adds to its record. In a net a vector is written by `sticks` or by `parts`.
struct VectorFamily {
    Result<DistributionPtr> (*make)(std::span<const ParameterValue> parameters) = nullptr;
    /// The distribution of one entry.
    Result<DistributionPtr> (*entry)(std::span<const Parameter> parameters, std::size_t i) = nullptr;
    /// X is one variable, with entries that are shares of 1: each takes a share of what those before it leave. These shares are
    /// independent betas, one for each entry but the last.
    std::vector<Stick> (*sticks)(std::span<const Term> parameters) = nullptr;
    /// The parameters that have such betas; nothing if none have.
    std::optional<std::vector<Number>> (*from_sticks)(std::span<const std::pair<Number, Number>> betas) = nullptr;
    /// X is the variables X[1], X[2], …, which are drawn in this order.
    Result<std::vector<VectorPart>> (*parts)(std::span<const VectorArgument> arguments, std::span<const Term> entries) = nullptr;
};

struct FamilyInfo {
    std::string_view name;
    std::vector<FamilyParameter> parameters;
    Support support = Support::reals;
    ValueRange range = ValueRange::line;
    std::string_view summary;
    std::string_view example;  ///< an expression that is true
    /// A list among the parameters stands entry by entry: the probabilities of a categorical, one for each label, or the concentrations
    /// of a dirichlet.
    Result<DistributionPtr> (*make)(std::span<const Number> parameters, std::span<const Label> labels) = nullptr;
    DensityValue (*log_density)(double x, const double* parameters) = nullptr;

    // What a family may leave out.
    /// ln f of many values at once, where a loop of its own is faster.
    void (*log_densities)(std::span<const double> values, const double* parameters, std::span<double> out) = nullptr;
    /// Maximises the likelihood over the parameters that are not known, from `theta`. None: by Newton's method.
    void (*maximise)(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) = nullptr;
    /// Where learning begins. None: every parameter at 1.
    void (*start)(const WeightedValues& data, const KnownParameters& known, std::vector<double>& theta) = nullptr;
    bool starts_with_all = false;  ///< it can only shrink: a component begins with all the data
    bool covers_zero = false;      ///< of a positive range: 0 is a value too
    std::size_t first_end = 0;     ///< of `between` and `above`: the place of the first parameter that is an end
    /// The family that this one is cut from, where it is one of truncated.hpp: its values lie in that one's range as well.
    const FamilyInfo* within = nullptr;
    /// The maximum in fractions, where there is a rational formula. `found`: the same in doubles.
    std::optional<Rational> (*counted)(const ExactValues& data, std::size_t p, std::span<const std::optional<Number>> parameters,
                                       std::span<const double> found) = nullptr;
    /// The likelihood of x; the parameters that are not constants are empty.
    std::optional<ConjugateForm> (*conjugate)(const Number& x, std::span<const std::optional<Number>> parameters) = nullptr;
    /// The likelihood of "more than x" likewise: of data that are cut off.
    std::optional<ConjugateForm> (*conjugate_above)(const Number& x, std::span<const std::optional<Number>> parameters) = nullptr;
    std::optional<ConjugatePrior> (*prior)(std::span<const Number> parameters) = nullptr;
    /// ln f(y) as a term: hypothesis spaces evaluate it for a block of hypotheses at a time.
    Term (*log_density_term)(const std::vector<Term>& parameters, const Term& y) = nullptr;
    /// Of values that are not labels, where the logarithms can be had without the tails: far out these would vanish.
    LogTails (*log_tails)(double x, const double* parameters) = nullptr;
    double (*log_tail)(const double* parameters, double k) = nullptr;  ///< of counts: a bound on ln P(X > k) that never underflows
    std::optional<std::size_t> top = {};                               ///< of counts: the parameter that none of them exceeds
    const VectorFamily* vector = nullptr;

    bool is_learnable() const;    ///< whether a mixture can learn one of its parameters
    bool covers(double x) const;  ///< whether a member can give the value at all
    bool has_sticks() const { return vector && vector->sticks; }
    bool has_parts() const { return vector && vector->parts; }
    std::vector<std::string_view> names() const;
};

#define FAMILY(name) extern const FamilyInfo name##_family;
#include "runtime/prob/distributions/families.def"
#undef FAMILY

/// A reference to a record that compares and copies as a value. Named are those that algorithms treat apart; a new one needs no name here.
class Family {
public:
    constexpr Family() : info_(&normal_family) {}
    constexpr Family(const FamilyInfo& info) : info_(&info) {}  // NOLINT: a record is its family
    constexpr const FamilyInfo* operator->() const { return info_; }
    constexpr const FamilyInfo& operator*() const { return *info_; }
    friend constexpr bool operator==(Family a, Family b) { return a.info_ == b.info_; }

    static const Family bernoulli, binomial, categorical, poisson, geometric, uniform, normal, lognormal, beta, gamma, exponential, laplace,
        student_t;

private:
    const FamilyInfo* info_;
};
inline constexpr Family Family::bernoulli{bernoulli_family};
inline constexpr Family Family::binomial{binomial_family};
inline constexpr Family Family::categorical{categorical_family};
inline constexpr Family Family::poisson{poisson_family};
inline constexpr Family Family::geometric{geometric_family};
inline constexpr Family Family::uniform{uniform_family};
inline constexpr Family Family::normal{normal_family};
inline constexpr Family Family::lognormal{lognormal_family};
inline constexpr Family Family::beta{beta_family};
inline constexpr Family Family::gamma{gamma_family};
inline constexpr Family Family::exponential{exponential_family};
inline constexpr Family Family::laplace{laplace_family};
inline constexpr Family Family::student_t{student_t_family};

/// Also those of truncated.hpp by the names they have in files.
const FamilyInfo* find_family(std::string_view name);
std::span<const FamilyInfo* const> all_families();

inline Result<DistributionPtr> make_distribution(Family family, std::span<const Number> parameters, std::span<const Label> labels = {}) {
    return family->make(parameters, labels);
}

}  // namespace credence::rt
