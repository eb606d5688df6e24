// How the weights of a regression came about, and of which noise they are the most probable ones.

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/derivation.hpp"
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
    if (can_be_written_out(data, fit, options))
        one_column(data, fit, options.penalty, out);
    else
        out.formula(options.penalty ? "w = (X'X + lambda)^-1 X'y, solved by orthogonal decomposition, or exactly where the numbers are few"
                                    : "w = (X'X)^-1 X'y, solved by orthogonal decomposition, or exactly where the numbers are few");
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
            break;
        case Noise::Kind::student_t:
            student_noise(data, fit, out);
            break;
    }
    return std::move(out).take();
}

}  // namespace credence::rt
