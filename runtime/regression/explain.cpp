// How the weights of a regression came about, and of which noise they are the most probable ones.

#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "runtime/regression/regression.hpp"

namespace credence::rt {

namespace {

std::string plane_text(const RegressionFit& fit) {
    std::string out = "w[intercept]";
    constexpr std::size_t most = 6;
    for (std::size_t t = 0; t < fit.terms.size() && t < most; ++t)
        out += fmt::format(" + w[{}] * {}", fit.terms[t].name, fit.terms[t].name);
    if (fit.terms.size() > most) out += fmt::format(" + … ({} terms)", fit.terms.size());
    return out;
}

/// slope = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)², written out; the penalty stands beside the squares.
void one_column(const Observed& data, const RegressionFit& fit, const std::optional<Penalty>& penalty, DerivationWriter& out) {
    const auto x = [&](std::size_t i) { return term_value(data.terms[0], data.features, data.rows[i]).exact(); };
    const std::string& name = data.terms[0].name;
    Rational mean_x;
    Rational mean_y;
    const Rational n(static_cast<std::int64_t>(data.rows.size()));
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        mean_x += x(i);
        mean_y += data.target->number(data.rows[i]).exact();
    }
    mean_x = mean_x / n;
    mean_y = mean_y / n;
    std::vector<Parts> products;
    std::vector<Parts> squares;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        const Number dx(x(i) - mean_x);
        const Number dy(data.target->number(data.rows[i]).exact() - mean_y);
        products.push_back({dx, std::string(" * "), dy});
        squares.push_back({dx, std::string(" * "), dx});
    }
    out.formula(fmt::format("w[{0}] = sum of ({0} - mean) * ({1} - mean) / {2}sum of ({0} - mean)^2{3}", name, data.target->name,
                            penalty ? "(" : "", penalty ? " + lambda)" : ""));
    Parts slope{std::string("(")};
    append(slope, joined(products, " + "));
    append(slope, {std::string(") / (")});
    append(slope, joined(squares, " + "));
    if (penalty) append(slope, {std::string(" + "), penalty->lambda});
    append(slope, {std::string(")")});
    out.begin(std::move(slope));
    out.result(fit.weights[1]);
    out.formula(fmt::format("intercept = mean of {} - w[{}] * mean of {}", data.target->name, name, name));
    out.begin({Number(mean_y), std::string(" - "), fit.weights[1], std::string(" * "), Number(mean_x)});
    out.result(fit.weights[0]);
}

bool can_be_written_out(const Observed& data, const RegressionFit& fit, const RegressionOptions& options) {
    return data.terms.size() == 1 && data.terms[0].parts[0].label < 0 && data.weights.empty() && data.rows.size() <= longest_sum &&
           fit.is_exact() && fit.left_out.empty() && !(options.penalty && options.penalty->standard);
}

std::string coefficient_name(const RegressionFit& fit, std::size_t j) {
    return fmt::format("w[{}]", j == 0 ? "intercept" : fit.terms[j - 1].name);
}

std::string short_text(const Number& n) { return n.is_exact() ? label_text(n) : fmt::format("{:.6g}", n.real()); }

/// What the penalty adds beside the squares of a column: λ, or λ times its variance; nothing for the intercept.
std::vector<Number> added_by(const Observed& data, const RegressionOptions& options, const Run& run) {
    std::vector<Number> out(data.terms.size() + 1, Number(0));
    if (!options.penalty) return out;
    const auto variances = options.penalty->standard ? term_variances(data, run) : std::vector<Number>(out.size(), Number(1));
    for (std::size_t j = 1; j < out.size(); ++j) out[j] = options.penalty->lambda * variances[j];
    return out;
}

/// One equation a weight: Σ x_j x_k w_k = Σ x_j y, with the sums over the rows worked out.
void normal_equations(const Observed& data, const RegressionFit& fit, const RegressionOptions& options, DerivationWriter& out) {
    std::vector<std::size_t> used;  // coefficients
    for (std::size_t j = 0; j <= fit.terms.size(); ++j)
        if (j == 0 || !contains(fit.left_out, j - 1)) used.push_back(j);
    constexpr std::size_t most_equations = 4;
    if (used.size() > most_equations) return;
    const bool exact = fit.is_exact() && data.weights.empty();
    const auto number = [&](const Number& n) { return exact ? n : Number::real(n.real()); };
    const auto x = [&](std::size_t j, std::size_t i) {
        return j == 0 ? Number(1) : number(term_value(data.terms[j - 1], data.features, data.rows[i]));
    };
    const auto weight = [&](std::size_t i) { return exact ? Number(1) : Number::real(data.weight(i)); };
    const auto added = added_by(data, options, Run{});
    out.note("The normal equations, with the sums over the rows:");
    for (const auto j : used) {
        std::string line;
        for (const auto k : used) {
            Number sum = number(j == k ? added[j] : Number(0));
            for (std::size_t i = 0; i < data.rows.size(); ++i) sum += weight(i) * x(j, i) * x(k, i);
            line += fmt::format("{}{} * {}", line.empty() ? "  " : " + ", short_text(sum), coefficient_name(fit, k));
        }
        Number right = number(Number(0));
        for (std::size_t i = 0; i < data.rows.size(); ++i) right += weight(i) * x(j, i) * number(data.target->number(data.rows[i]));
        out.note(fmt::format("{} = {}", line, short_text(right)));
    }
}

void tell_weights(const RegressionFit& fit, DerivationWriter& out) {
    for (std::size_t j = 0; j < fit.weights.size(); ++j) {
        if (j == longest_sum) {
            out.note(fmt::format("… {} more weights: .weights has them", fit.weights.size() - j));
            return;
        }
        out.formula(coefficient_name(fit, j));
        out.result(fit.weights[j]);
    }
}

void normal_noise(const Observed& data, const RegressionFit& fit, const RegressionOptions& options, DerivationWriter& out) {
    const std::string& y = data.target->name;
    out.note(fmt::format("Model: {} = {} + e, with e ~ normal(0, sigma) in each of {} rows.", y, plane_text(fit), data.rows.size()));
    out.formula("P(D | w) = product over rows of 1 / (sigma * sqrt(2 pi)) * exp(-e^2 / (2 sigma^2))");
    out.formula("ln P(D | w) = -n * ln(sigma * sqrt(2 pi)) - 1 / (2 sigma^2) * sum of e^2");
    if (!options.penalty) {
        out.note("Only the sum of e^2 depends on w: the most probable data (ML) and the least squared error have the same weights.");
    } else {
        out.formula(options.penalty->standard
                        ? "P(w) = product over weights but the intercept of normal(0, sigma / (sqrt(lambda) * sd of the column))"
                        : "P(w) = product over weights but the intercept of normal(0, sigma / sqrt(lambda))");
        out.formula(options.penalty->standard ? "ln P(w | D) = constant - 1 / (2 sigma^2) * (sum of e^2 + lambda * sum of (sd * w)^2)"
                                              : "ln P(w | D) = constant - 1 / (2 sigma^2) * (sum of e^2 + lambda * sum of w^2)");
        out.note(
            "So ridge is the most probable hypothesis (MAP) under a normal prior on the weights, and least squares its limit lambda = 0.");
    }
    if (can_be_written_out(data, fit, options)) {
        one_column(data, fit, options.penalty, out);
    } else {
        out.formula(options.penalty ? "w = (X'X + lambda)^-1 X'y, solved by orthogonal decomposition, or exactly where the numbers are few"
                                    : "w = (X'X)^-1 X'y, solved by orthogonal decomposition, or exactly where the numbers are few");
        normal_equations(data, fit, options, out);
        tell_weights(fit, out);
    }
    out.note(fmt::format("sum of e^2 = {:.6g}, sigma = {:.6g}, degrees of freedom {:.6g}", fit.squared_error.real(), fit.sigma(),
                         fit.degrees.real()));
    if (options.penalty) out.note(fmt::format("lambda * sum of w^2 = {:.6g}", fit.penalty.real()));
    if (std::isfinite(fit.log_likelihood))
        out.note(fmt::format("ln P(D | w) = {:.6g} at the most probable sigma, sqrt(sum of e^2 / n) = {:.6g}", fit.log_likelihood,
                             std::sqrt(fit.squared_error.real() / fit.rows.real())));
}

void laplace_noise(const Observed& data, const RegressionFit& fit, DerivationWriter& out) {
    out.note(fmt::format("Model: {} = {} + e, with e ~ laplace(0, b) in each of {} rows.", data.target->name, plane_text(fit),
                         data.rows.size()));
    out.formula("P(D | w) = product over rows of 1 / (2 b) * exp(-|e| / b)");
    out.formula("ln P(D | w) = -n * ln(2 b) - 1 / b * sum of |e|");
    out.note("Only the sum of |e| depends on w: the most probable data (ML) and the least absolute error have the same weights.");
    std::string through;
    std::size_t met = 0;
    for (std::size_t i = 0; i < fit.residuals.size(); ++i)
        if (fit.residuals[i].is_zero()) {
            if (met++ < longest_sum) through += fmt::format("{}{}", through.empty() ? "" : ", ", i + 1);
        }
    out.note(
        fmt::format("A linear program: the answer goes through {} of the rows ({}{}). The others pull by their side alone, however far "
                    "off they are.",
                    met, through, met > longest_sum ? ", …" : ""));
    out.note(fmt::format("sum of |e| = {:.6g}, b = sum / n = {:.6g}", fit.absolute_error.real(), fit.scale));
    if (std::isfinite(fit.log_likelihood)) out.note(fmt::format("ln P(D | w) = {:.6g}", fit.log_likelihood));
}

void student_noise(const Observed& data, const RegressionFit& fit, DerivationWriter& out) {
    const double nu = fit.noise.degrees.real();
    out.note(fmt::format("Model: {} = {} + e, with e ~ student_t({:.6g}, 0, s) in each of {} rows.", data.target->name, plane_text(fit), nu,
                         data.rows.size()));
    out.formula("ln P(D | w, s) = constant - n * ln(s) - (nu + 1) / 2 * sum of ln(1 + (e / s)^2 / nu)");
    out.note(
        "EM: each row is trusted by u = (nu + 1) / (nu + (e / s)^2); then least squares weighted by u, and s^2 = sum of u * e^2 / sum of "
        "u.");
    out.note(fmt::format("s = {:.6g}, ln P(D | w, s) = {:.6g} after {} rounds", fit.scale, fit.log_likelihood, fit.steps));
    if (!(fit.scale > 0)) return;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < fit.residuals.size(); ++i) {
        if (shown == longest_sum) {
            out.note(fmt::format("… {} more rows", fit.residuals.size() - i));
            break;
        }
        const double z = fit.residuals[i].real() / fit.scale;
        out.note(fmt::format("row {}: e = {:.6g}, u = {:.6g}", i + 1, fit.residuals[i].real(), (nu + 1) / (nu + z * z)));
        ++shown;
    }
}

}  // namespace

Derivation explain_regression(const Observed& data, const RegressionFit& fit, const RegressionOptions& options) {
    DerivationWriter out;
    switch (fit.noise.kind) {
        case Noise::Kind::normal:
            normal_noise(data, fit, options, out);
            break;
        case Noise::Kind::laplace:
            laplace_noise(data, fit, out);
            tell_weights(fit, out);
            break;
        case Noise::Kind::student_t:
            student_noise(data, fit, out);
            tell_weights(fit, out);
            break;
    }
    return std::move(out).take();
}

}  // namespace credence::rt
