// Multivariate normal with a full covariance, by its Cholesky factor.

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/distributions/common.hpp"

namespace credence::rt {

namespace {

using Rows = std::vector<std::vector<double>>;

/// The lower triangle L with L Lᵀ = a, row by row; nothing if a is not positive definite. O(k³).
std::optional<Rows> cholesky(const Rows& a) {
    Rows factor(a.size(), std::vector<double>(a.size(), 0.0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = a[i][j];
            for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
            if (i != j) {
                factor[i][j] = rest / factor[j][j];
                continue;
            }
            // What is left of a variance once the earlier coordinates are known; below rounding it is nothing.
            if (!(rest > 1e-14 * a[i][i])) return std::nullopt;
            factor[i][i] = std::sqrt(rest);
        }
    }
    return factor;
}

class Multinormal final : public Distribution {
public:
    Multinormal(std::vector<Number> mean, std::vector<std::vector<Number>> covariance, Rows factor)
        : mean_(std::move(mean)), covariance_(std::move(covariance)), factor_(std::move(factor)) {
        for (const Number& entry : mean_) centre_.push_back(entry.real());
        for (std::size_t i = 0; i < factor_.size(); ++i) log_scale_ += std::log(factor_[i][i]) + 0.5 * ln_2pi;
    }

    std::string_view name() const override { return "multinormal"; }
    std::vector<Parameter> parameters() const override { return {{"mean", mean_}, {"covariance", covariance_}}; }
    Support support() const override { return Support::vectors; }

    Result<Number> pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != mean_.size())
            return outcome_fault(name(), fmt::format("a list of {} numbers", mean_.size()), x);
        return Number::real(std::exp(log_pdf(x)));
    }
    double log_pdf(const Outcome& x) const override {
        const auto* point = std::get_if<Point>(&x);
        if (point == nullptr || point->size() != mean_.size()) return -infinity;
        // Solves L z = x − mean from the top; the density is that of the standard normal z.
        std::vector<double> z(centre_.size());
        double square = 0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            double rest = (*point)[i].real() - centre_[i];
            for (std::size_t j = 0; j < i; ++j) rest -= factor_[i][j] * z[j];
            z[i] = rest / factor_[i][i];
            square += z[i] * z[i];
        }
        return -0.5 * square - log_scale_;
    }
    Result<Number> cdf(const Number&) const override { return unordered_fault(name(), "cdf", "vectors"); }
    Result<Number> quantile(const Number&) const override { return unordered_fault(name(), "quantile", "vectors"); }
    Result<Outcome> mode() const override { return mean(); }
    Result<Outcome> mean() const override { return Outcome(mean_); }
    Result<Outcome> variance() const override {
        Point diagonal;
        for (std::size_t i = 0; i < mean_.size(); ++i) diagonal.push_back(covariance_[i][i]);
        return Outcome(std::move(diagonal));
    }
    Result<Number> entropy() const override { return Number::real((log_scale_ + 0.5 * static_cast<double>(mean_.size())) * nats_to_bits); }
    Outcome sample(Rng& rng) const override {
        std::vector<double> z(centre_.size());
        for (double& entry : z) entry = rng.normal();
        Point out;
        for (std::size_t i = 0; i < z.size(); ++i) {
            double sum = centre_[i];
            for (std::size_t j = 0; j <= i; ++j) sum += factor_[i][j] * z[j];
            out.push_back(Number::real(sum));
        }
        return out;
    }

private:
    std::vector<Number> mean_;
    std::vector<std::vector<Number>> covariance_;
    Rows factor_;
    std::vector<double> centre_;
    double log_scale_ = 0;  // ½ ln det(2π covariance)
};

bool same_entry(const Number& a, const Number& b) {
    if (a.is_exact() && b.is_exact()) return a == b;
    return std::abs(a.real() - b.real()) <= 1e-12 * std::max(std::abs(a.real()), std::abs(b.real()));
}

}  // namespace

Result<DistributionPtr> make_multinormal(std::vector<Number> mean, std::vector<std::vector<Number>> covariance) {
    ParameterCheck check("multinormal");
    const std::size_t size = mean.size();
    check.require(size > 0, "mean", "have at least one entry", "none", "at least one entry");
    for (const Number& entry : mean) check.finite("mean", entry);
    const std::string square = fmt::format("be a {0} × {0} matrix, as mean has {0} entries", size);
    check.require(covariance.size() == size, "covariance", square, fmt::format("{} rows", covariance.size()), fmt::format("{} rows", size));
    for (const auto& row : covariance) {
        check.require(row.size() == size, "covariance", square, fmt::format("a row of {}", row.size()),
                      fmt::format("{} numbers in each row", size));
        for (const Number& entry : row) check.finite("covariance", entry);
    }
    if (check.fault()) return *check.fault();
    Rows reals(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            reals[i].push_back(covariance[i][j].real());
            if (j >= i || same_entry(covariance[i][j], covariance[j][i])) continue;
            check.require(
                false, "covariance", "be symmetric",
                fmt::format("{} in row {}, column {} and {} the other way", shown(covariance[i][j]), i + 1, j + 1, shown(covariance[j][i])),
                "the same number on both sides of the diagonal");
        }
    }
    if (check.fault()) return *check.fault();
    auto factor = cholesky(reals);
    check.require(factor.has_value(), "covariance", "be positive definite", "a direction without variance, or with a negative one",
                  "every combination of the variables needs a positive variance");
    if (check.fault()) return *check.fault();
    return DistributionPtr(std::make_shared<Multinormal>(std::move(mean), std::move(covariance), *std::move(factor)));
}

namespace {

/// Given those before it, X[j] has mean m_j + Σ b_i (X[i] − m_i): eliminating i from the rows below leaves both b and what variance is
/// left (the LDLᵀ decomposition).
Result<std::vector<VectorPart>> normal_parts(std::span<const VectorArgument> arguments, std::span<const Term> entries) {
    const auto& mean = arguments[0].terms;
    const std::size_t k = entries.size();
    std::vector<std::vector<Number>> a(k);
    for (std::size_t i = 0; i < k * k; ++i) a[i / k].push_back(arguments[1].terms[i]->value);
    std::vector<std::vector<Number>> lower(k, std::vector<Number>(k, Number(0)));
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t r = i + 1; r < k; ++r) {
            lower[r][i] = a[r][i] / a[i][i];
            for (std::size_t c = i + 1; c < k; ++c) a[r][c] = a[r][c] - lower[r][i] * a[i][c];
        }
    std::vector<VectorPart> out;
    for (std::size_t j = 0; j < k; ++j) {
        // X − m = L z with independent z; what of L is on the X before it, from the last of them to the first.
        std::vector<Number> b(lower[j].begin(), lower[j].begin() + static_cast<std::ptrdiff_t>(j));
        for (std::size_t i = j; i-- > 0;)
            for (std::size_t r = i + 1; r < j; ++r) b[i] = b[i] - b[r] * lower[r][i];
        Term centre = mean[j];
        for (std::size_t i = 0; i < j; ++i) {
            const Term off = make_term(TermOp::subtract, {entries[i], mean[i]});
            centre = make_term(TermOp::add, {centre, make_term(TermOp::multiply, {constant_term(b[i]), off})});
        }
        out.push_back({&normal_family, {centre, make_term(TermOp::sqrt, {constant_term(a[j][j])})}});
    }
    return out;
}

Result<DistributionPtr> normal_entry(std::span<const Parameter> parameters, std::size_t i) {
    const auto& mean = std::get<std::vector<Number>>(parameters[0].value);
    const auto& covariance = std::get<std::vector<std::vector<Number>>>(parameters[1].value);
    return make_normal(mean[i], make_term(TermOp::sqrt, {constant_term(covariance[i][i])})->value);
}

constexpr VectorFamily multinormal_vector{
    .make =
        [](std::span<const ParameterValue> parameters) {
            return make_multinormal(std::get<std::vector<Number>>(parameters[0]),
                                    std::get<std::vector<std::vector<Number>>>(parameters[1]));
        },
    .entry = normal_entry,
    .parts = normal_parts,
};

}  // namespace

const FamilyInfo multinormal_family{
    .name = "multinormal",
    .parameters = {{.name = "mean", .form = Form::list}, {.name = "covariance", .form = Form::matrix}},
    .support = Support::vectors,
    .range = ValueRange::counts,
    .summary = "The normal distribution of a vector.",
    .example = "mean(multinormal([1, 2], [[2, 1], [1, 2]])) == [1, 2]",
    .make = [](Numbers, Labels) -> Result<DistributionPtr> {
        return Fault{.code = "E-PARAMETER", .message = "multinormal: its parameters are a mean and a covariance"};
    },
    .vector = &multinormal_vector,
};

}  // namespace credence::rt
