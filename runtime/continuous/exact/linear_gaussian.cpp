// Linear-Gaussian parts: every factor is normal, its mean linear in the numbers and its sd constant. Completing the square in all of
// them at once (Koller & Friedman, section 14.2.1, canonical form) gives the joint posterior and the density of the evidence.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/continuous/engine.hpp"
#include "runtime/continuous/unroll/subproblem.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt::continuous {

namespace {

constexpr double ln_two_pi = 1.8378770664093454836;
constexpr std::size_t most_exact = 64;  // numbers in one exact elimination

struct Square {
    LinearTerm residual;  ///< x − mean
    Number variance;
    double log_extra = 0;
};

std::optional<Square> square_of(const DensityFactor& factor) {
    if (factor.kind != DensityFactor::Kind::density) return std::nullopt;
    const bool log_scale = factor.family == Family::lognormal && is_constant(factor.x) && factor.x->value.sign() > 0;
    if (factor.family != Family::normal && !log_scale) return std::nullopt;
    if (!is_constant(factor.parameters[1])) return std::nullopt;
    const Term x = log_scale ? make_term(TermOp::ln, {factor.x}) : factor.x;
    auto residual = as_linear(make_term(TermOp::subtract, {x, factor.parameters[0]}));
    if (!residual) return std::nullopt;
    const Number& sd = factor.parameters[1]->value;
    return Square{*std::move(residual), sd * sd, log_scale ? -factor.x->value.log() : 0};
}

std::string shown_value(const Number& n) {
    const std::string text = n.is_exact() ? label_text(n) : std::string();
    return !text.empty() && text.size() <= 12 ? text : fmt::format("{:.6g}", n.real());
}

std::string normal_text(const JointNormal& joint, VarId v) {
    LinearTerm own;
    own.coefficients.emplace_back(v, Number(1));
    const Number variance = joint.covariance(own, own);
    return fmt::format("normal({}, {})", shown_value(joint.mean(own)),
                       shown_value(make_term(TermOp::sqrt, {constant_term(variance)})->value));
}

/// Normal with normal: precisions, and the mean weighted by them.
std::vector<std::string> story_of_one(const Subproblem& subproblem, const std::vector<Square>& squares, const JointNormal& joint) {
    const VarId v = subproblem.latents[0];
    const std::string name = subproblem.problem->name(v);
    Number prior_precision = 0;
    Number prior_mean = 0;
    Number precision = 0;
    Number weighted = 0;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const auto& s = squares[i];
        if (s.residual.coefficients.empty()) continue;
        const Number& a = s.residual.coefficients[0].second;
        const Number own = a * a / s.variance;
        const Number centre = -s.residual.constant / a;
        if (subproblem.factors[i].is_prior()) {
            prior_precision = own;
            prior_mean = centre;
        } else {
            precision += own;
            weighted += own * centre;
            ++seen;
        }
    }
    std::vector<std::string> out;
    out.push_back(fmt::format("Prior: {} ~ normal with mean {} and precision (1 / variance) {}", name, shown_value(prior_mean),
                              shown_value(prior_precision)));
    if (seen == 0) return out;
    out.push_back(fmt::format("Likelihood: {} with mean {} and precision {} in all", counted(seen, "normal observation"),
                              shown_value(weighted / precision), shown_value(precision)));
    out.push_back(fmt::format("Posterior precision: {} + {} = {}", shown_value(prior_precision), shown_value(precision),
                              shown_value(prior_precision + precision)));
    out.push_back(fmt::format("Posterior mean: ({} * {} + {} * {}) / {} = {}", shown_value(prior_precision), shown_value(prior_mean),
                              shown_value(precision), shown_value(weighted / precision), shown_value(prior_precision + precision),
                              shown_value((prior_precision * prior_mean + weighted) / (prior_precision + precision))));
    out.push_back(fmt::format("Posterior: {} ~ {}", name, normal_text(joint, v)));
    return out;
}

std::vector<std::string> story_of_many(const Subproblem& subproblem, const JointNormal& joint) {
    std::vector<std::string> out;
    const auto name = [&](VarId v) { return subproblem.problem->name(v); };
    constexpr std::size_t most_lines = 12;
    if (subproblem.factors.size() <= most_lines) {
        out.push_back("All are normal, with means linear in the others:");
        for (const auto& factor : subproblem.factors)
            out.push_back(fmt::format("  {}{} ~ {}({}, {})", subproblem.problem->instances[factor.instance].name,
                                      factor.is_prior() ? "" : fmt::format(" = {}", term_text(factor.x, name)), factor.family->name,
                                      term_text(factor.parameters[0], name), term_text(factor.parameters[1], name)));
    } else {
        out.push_back(fmt::format("{} normal factors over {} numbers, with means linear in the others.", subproblem.factors.size(),
                                  subproblem.latents.size()));
    }
    out.push_back("The sum of their squares is one quadratic form, so together they are normal; given the observations:");
    for (std::size_t i = 0; i < subproblem.latents.size() && i < most_lines; ++i)
        out.push_back(fmt::format("  {} ~ {}", name(subproblem.latents[i]), normal_text(joint, subproblem.latents[i])));
    if (subproblem.latents.size() > most_lines) out.push_back(fmt::format("  … and {} more", subproblem.latents.size() - most_lines));
    return out;
}

}  // namespace

Solved solve_linear_gaussian(const Subproblem& subproblem, const Allowed& allowed) {
    std::vector<Square> squares;
    bool exact = subproblem.latents.size() <= most_exact && allowed.exact_bits > 0;
    for (const auto& factor : subproblem.factors) {
        auto square = square_of(factor);
        if (!square) return not_applicable;
        if (auto fault = impossible_parameters(factor, *subproblem.problem)) return *std::move(fault);
        exact = exact && square->variance.is_exact() && square->residual.constant.is_exact();
        for (const auto& [variable, coefficient] : square->residual.coefficients) exact = exact && coefficient.is_exact();
        squares.push_back(*std::move(square));
    }
    const std::size_t n = subproblem.latents.size();
    const auto position = [&](VarId v) {
        return static_cast<std::size_t>(std::lower_bound(subproblem.latents.begin(), subproblem.latents.end(), v) -
                                        subproblem.latents.begin());
    };
    Posterior out;
    out.engine = Engine::linear_gaussian;
    double constant = 0.5 * static_cast<double>(n) * ln_two_pi;
    for (const auto& s : squares) {
        const double c = s.residual.constant.real();
        constant += s.log_extra - 0.5 * (ln_two_pi + s.variance.log()) - 0.5 * c * c / s.variance.real();
    }
    std::optional<JointNormal> joint;
    if (exact) {
        std::vector<std::vector<Number>> precision(n, std::vector<Number>(n, Number(0)));
        std::vector<Number> shift(n, Number(0));
        for (const auto& s : squares)
            for (const auto& [v, a] : s.residual.coefficients) {
                shift[position(v)] += -(a * s.residual.constant) / s.variance;
                for (const auto& [w, b] : s.residual.coefficients) precision[position(v)][position(w)] += a * b / s.variance;
            }
        joint = JointNormal::make(subproblem.latents, std::move(precision), std::move(shift));
    }
    if (!joint) {
        Matrix precision(n, n);
        std::vector<double> shift(n, 0.0);
        for (const auto& s : squares)
            for (const auto& [v, a] : s.residual.coefficients) {
                shift[position(v)] -= a.real() * s.residual.constant.real() / s.variance.real();
                for (const auto& [w, b] : s.residual.coefficients)
                    precision(position(v), position(w)) += a.real() * b.real() / s.variance.real();
            }
        joint = JointNormal::make(subproblem.latents, std::move(precision), std::move(shift));
    }
    if (!joint) return not_applicable;
    out.log_evidence = constant + 0.5 * joint->quadratic_form() - 0.5 * joint->log_determinant();
    const bool nothing_observed =
        std::all_of(subproblem.factors.begin(), subproblem.factors.end(), [](const DensityFactor& f) { return f.is_prior(); });
    if (nothing_observed) {
        out.log_evidence = 0;
        out.evidence = Rational(1);
    }
    out.story = n == 1 ? story_of_one(subproblem, squares, *joint) : story_of_many(subproblem, *joint);
    out.normals.push_back(*std::move(joint));
    return out;
}

const RealEngine linear_gaussian_real_engine{
    .method =
        {"linear_gaussian",
         {},
         "Treats normals whose means are linear in other normals as one joint normal. With discrete parents it is a mixture of these.",
         "net Two { a ~ normal(0, 1); b ~ normal(a, 1); c ~ normal(b, 1) }\nexpect E(a | c = 3) by linear_gaussian == 1"},
    .allowed = {.conjugate = false, .linear_gaussian = true, .quadrature = false},
    .refusal = "not everything in this query is normal with a mean linear in the others and a constant sd"};

}  // namespace credence::rt::continuous
