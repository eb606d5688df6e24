#pragma once
// What the families share: parameter checks, the kinds of outcome, and the two shapes of a one-dimensional distribution.
// Seen only by runtime/prob/distributions.

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/prob/distributions/family.hpp"

namespace credence::rt {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double ln_2pi = 1.8378770664093454836;
inline constexpr double pi = 3.14159265358979323846;
inline constexpr double nats_to_bits = 1.4426950408889634074;  // 1 / ln 2

/// Exact results are given while the numbers stay below this many bits: beyond it nobody reads them as fractions.
inline constexpr std::size_t exact_bits_limit = std::size_t{1} << 18U;

/// Beta and Dirichlet distributions with whole parameters give fractions up to this sum of them.
inline constexpr double largest_exact_sum = 1000;

/// A number as a message shows it: its label, cut where it is long.
std::string shown(const Number& number);

/// The first thing wrong with a family's parameters, as an E-PARAMETER fault.
/// `found` texts follow "found": "normal: sd must be positive, found -2".
class ParameterCheck {
public:
    explicit ParameterCheck(std::string_view family) : family_(family) {}
    ParameterCheck& finite(std::string_view parameter, const Number& value);
    ParameterCheck& positive(std::string_view parameter, const Number& value);
    ParameterCheck& non_negative(std::string_view parameter, const Number& value);
    ParameterCheck& probability(std::string_view parameter, const Number& value);
    /// Entries ≥ 0 that sum to 1: exactly where all are exact, else within 1e-9. Needs at least one.
    ParameterCheck& probabilities(std::string_view parameter, std::span<const Number> values);
    ParameterCheck& require(bool holds, std::string_view parameter, std::string_view must, std::string found, std::string label);
    const std::optional<Fault>& fault() const { return fault_; }

private:
    std::string_view family_;
    std::optional<Fault> fault_;
};

/// The number an outcome is: a number, or a label that is one.
std::optional<Number> number_of(const Outcome& outcome);
/// E-TYPE: "normal: pdf takes a number, found the label 'hot'".
Fault outcome_fault(std::string_view family, std::string_view takes, const Outcome& found);
/// E-TYPE for cdf and quantile of what has no order.
Fault unordered_fault(std::string_view family, std::string_view function, std::string_view over);
Fault undefined_fault(std::string message, std::string label);
/// E-PARAMETER unless 0 ≤ p ≤ 1.
std::optional<Fault> level_fault(const Number& p);

/// Index of the entry that a uniform draw picks; entries with weight 0 are never picked. cumulative: running sums of the weights.
std::size_t pick(std::span<const double> cumulative, Rng& rng);

/// A distribution over numbers: sorts out kinds and ranges, and leaves the formulas to the family.
class ScalarDistribution : public Distribution {
public:
    Result<Number> pdf(const Outcome& x) const final;
    double log_pdf(const Outcome& x) const final;
    Result<Number> cdf(const Number& x) const final;
    Result<Number> above(const Number& x) const final;
    Result<Number> quantile(const Number& p) const final;

protected:
    virtual double log_density(double x) const = 0;                      ///< −∞ outside the support
    virtual Number density(const Number& x) const;                       ///< exp(log_density) unless the family knows better
    virtual Number cumulative(const Number& x) const = 0;                ///< x is not NaN, but may be infinite
    virtual double upper_tail(double x) const = 0;                       ///< P(X > x), where `cumulative` is not a fraction
    virtual Number inverse(const Number& p, const Number& q) const = 0;  ///< q = 1 − p
};

/// A distribution over reals, given by double functions of its own.
class RealDistribution : public ScalarDistribution {
public:
    Support support() const final { return Support::reals; }
    Outcome sample(Rng& rng) const final { return Number::real(draw(rng)); }

protected:
    virtual double lower(double x) const = 0;            ///< P(X ≤ x)
    virtual double upper(double x) const = 0;            ///< P(X > x)
    virtual double point(double p, double q) const = 0;  ///< where P(X ≤ x) = p = 1 − q
    virtual double draw(Rng& rng) const = 0;
    Number cumulative(const Number& x) const override { return Number::real(lower(x.real())); }
    double upper_tail(double x) const final { return upper(x); }
    Number inverse(const Number& p, const Number& q) const override { return Number::real(point(p.real(), q.real())); }
};

/// A real distribution with a median and mode, and a spread.
class LocationScale : public RealDistribution {
public:
    LocationScale(const Number& location, const Number& scale)
        : location_(location), scale_(scale), m_(location.real()), s_(scale.real()) {}
    std::vector<Parameter> parameters() const final { return {{"location", location_}, {"scale", scale_}}; }
    Result<Outcome> mode() const final { return Outcome(location_); }

protected:
    Number location_;
    Number scale_;
    double m_;
    double s_;
};

/// A distribution over 0, 1, 2 …; counts are doubles that hold whole numbers.
class CountDistribution : public ScalarDistribution {
public:
    Support support() const final { return Support::integers; }
    Outcome sample(Rng& rng) const final { return whole(draw(rng)); }
    static Number whole(double count) { return std::isfinite(count) ? Number(Rational::from_binary(count)) : Number::real(count); }

protected:
    virtual double log_mass(double k) const = 0;                     ///< k in 0 … top()
    virtual std::optional<Rational> exact_mass(double k) const = 0;  ///< where the family has it
    virtual double lower(double k) const = 0;                        ///< P(X ≤ k), 0 ≤ k < top()
    virtual double upper(double k) const = 0;                        ///< P(X > k)
    virtual std::optional<Rational> exact_lower(double k) const = 0;
    virtual double top() const { return infinity; }      ///< the largest count that can come
    virtual double guess(double p, double q) const = 0;  ///< about where the quantile is
    virtual double draw(Rng& rng) const = 0;

    double log_density(double x) const final;
    Number density(const Number& x) const final;
    Number cumulative(const Number& x) const final;
    double upper_tail(double x) const final;
    Number inverse(const Number& p, const Number& q) const final;
};

/// The smallest whole number in lo … hi for which `reached` holds; it is monotone and holds at hi (which may be infinite).
double smallest_count(double lo, double hi, double start, const std::function<bool(double)>& reached);

/// Entropy in bits of counts with the given moments. Sums the masses within 12 standard deviations; where that is more than about 25,000
/// terms, the Edgeworth expansion ½ ln 2πeσ² − skewness²/12, whose next term is below 1e-11 there.
double count_entropy_bits(double mean, double variance, double squared_skewness, double top, const std::function<double(double)>& log_mass);

// --- shorthands of the records
using Numbers = std::span<const Number>;
using Labels = std::span<const Label>;
using Known = std::span<const std::optional<Number>>;
using Found = std::span<const double>;

/// Longest product of whole numbers, as of a factorial, that is worked out in fractions.
inline constexpr std::int64_t longest_exact_product = 2000;

template <class Family>
Result<DistributionPtr> make_location_scale(std::string_view name, const Number& location, const Number& scale) {
    const auto check = ParameterCheck(name).finite("location", location).positive("scale", scale);
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Family>(location, scale));
}

/// The likelihood of a standard deviation, the mean being known: a kernel in the precision.
std::optional<ConjugateForm> precision_form(const Number& x, const std::optional<Number>& mean, double log_constant);

Fault no_mode_fault(std::string_view family, std::string_view why);
/// The mode of counts whose masses grow as long as k < x: the first of equals.
Number first_count_below(const Number& x);
/// ln of p^k (1 − p)^(n − k), and its derivative.
DensityValue trials_log_density(double k, double n, double p);
/// The whole number from 0 on that x is.
std::optional<std::int64_t> count_of(const Number& x);
std::optional<Rational> quotient(const std::optional<Rational>& a, const std::optional<Rational>& b);
/// The fraction that a double found among them stands for.
std::optional<Rational> equal_value(const ExactValues& data, double x);
double weighted_median(const WeightedValues& data);
/// Where a function that only grows, of a positive number, is zero. The search is over the logarithm, so that any scale will do.
double positive_root(const std::function<double(double)>& f, double low, double high);
inline Term real_term(double x) { return constant_term(Number::real(x)); }
inline Term operator+(const Term& a, const Term& b) { return make_term(TermOp::add, {a, b}); }
inline Term operator-(const Term& a, const Term& b) { return make_term(TermOp::subtract, {a, b}); }
inline Term operator*(const Term& a, const Term& b) { return make_term(TermOp::multiply, {a, b}); }

}  // namespace credence::rt
