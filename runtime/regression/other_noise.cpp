// Weights under other noise than normal: least absolute error (Laplace), and Student's t by EM.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/core/least_squares.hpp"
#include "runtime/core/special.hpp"
#include "runtime/regression/fit.hpp"
#include "runtime/regression/vertex_descent.hpp"

namespace credence::rt {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Exchanges of a row in fractions cost rows × weights each, on numbers that grow.
constexpr std::size_t most_exact_exchanges = 40'000;

/// The rows, those nearest to the plane of the fit first.
std::vector<std::size_t> nearest_first(const RegressionFit& fit) {
    std::vector<double> size;
    for (const auto& e : fit.residuals) size.push_back(std::abs(e.real()));
    std::vector<std::size_t> out(size.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return size[a] < size[b]; });
    return out;
}

/// The columns that were not left out: 0 is the intercept.
std::vector<std::size_t> kept_columns(const RegressionFit& fit) {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < fit.weights.size(); ++c)
        if (c == 0 || !std::binary_search(fit.left_out.begin(), fit.left_out.end(), c - 1)) out.push_back(c);
    return out;
}

Status exact_least_absolute(const Observed& data, RegressionFit& fit, const Run& run) {
    const auto kept = kept_columns(fit);
    AbsoluteProblem<Rational> problem;
    problem.columns = kept.size();
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        for (const auto c : kept)
            problem.x.push_back(c == 0 ? Rational(1) : term_value(data.terms[c - 1], data.features, data.rows[i]).exact());
        problem.y.push_back(data.target->number(data.rows[i]).exact());
        problem.w.push_back(Rational::from_decimal(data.weight(i)));
    }
    const auto solved = TRY(descend_to_least_absolute(problem, nearest_first(fit), run));
    for (std::size_t k = 0; k < kept.size(); ++k) fit.weights[kept[k]] = Number(solved.coefficients[k]);
    Rational error;
    Rational sum;
    fit.residuals.clear();
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        Rational e = problem.y[i];
        for (std::size_t k = 0; k < kept.size(); ++k) e -= solved.coefficients[k] * problem.row(i)[k];
        error += problem.w[i] * e * e;
        sum += problem.w[i] * (e.sign() < 0 ? -e : e);
        fit.residuals.emplace_back(std::move(e));
    }
    fit.squared_error = Number(error);
    fit.absolute_error = Number(sum);
    fit.steps = solved.steps;
    fit.only_one = solved.only_one;
    return Done{};
}

Status real_least_absolute(const Observed& data, RegressionFit& fit, const Run& run) {
    const auto kept = kept_columns(fit);
    const Matrix x = term_matrix(data.terms, fit.basis, data.features, data.view());
    const std::vector<double> y = data.targets();
    std::vector<double> size(kept.size(), 0.0);  // columns to comparable size
    for (std::size_t i = 0; i < data.rows.size(); ++i)
        for (std::size_t k = 0; k < kept.size(); ++k) size[k] = std::max(size[k], std::abs(x(i, kept[k])));
    AbsoluteProblem<double> problem;
    problem.columns = kept.size();
    problem.y = y;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
        for (std::size_t k = 0; k < kept.size(); ++k) problem.x.push_back(x(i, kept[k]) / size[k]);
        problem.w.push_back(data.weight(i));
    }
    const auto solved = TRY(descend_to_least_absolute(problem, nearest_first(fit), run));
    fit.in_basis.assign(fit.in_basis.size(), 0.0);
    for (std::size_t k = 0; k < kept.size(); ++k) fit.in_basis[kept[k]] = solved.coefficients[k] / size[k];
    complete_fit(data, x, y, fit);
    for (const auto i : solved.through) fit.residuals[i] = Number::real(0);
    double sum = 0;
    for (std::size_t i = 0; i < data.rows.size(); ++i) sum += data.weight(i) * std::abs(fit.residuals[i].real());
    fit.absolute_error = Number::real(sum);
    fit.steps = solved.steps;
    fit.only_one = solved.only_one;
    fit.converged = solved.converged;
    return Done{};
}

double t_log_likelihood(const Observed& data, std::span<const double> residuals, double nu, double scale) {
    if (!(scale > 0)) return infinity;
    const double constant = log_gamma((nu + 1) / 2) - log_gamma(nu / 2) - 0.5 * std::log(nu * 3.14159265358979323846) - std::log(scale);
    CompensatedSum sum;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        const double z = residuals[i] / scale;
        sum.add(data.weight(i) * (constant - (nu + 1) / 2 * std::log1p(z * z / nu)));
    }
    return sum.value();
}

/// EM with the scale read off the expected weights (Kent, Tyler & Vardi 1994), which needs fewer rounds than the plain one.
Status climb(const Observed& data, const Matrix& x, std::span<const double> y, double nu, RegressionFit& fit, const Run& run) {
    constexpr std::size_t most_rounds = 5'000;
    const std::size_t n = data.rows.size();
    std::vector<double> e(n);
    const auto residuals_of = [&] {
        for (std::size_t i = 0; i < n; ++i) {
            e[i] = y[i];
            const auto row = x.row(i);
            for (std::size_t c = 0; c < row.size(); ++c) e[i] -= row[c] * fit.in_basis[c];
        }
    };
    residuals_of();
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += data.weight(i) * e[i] * e[i];
    fit.scale = std::sqrt(squares / data.total_weight());
    const double floor = 1e-10 * fit.scale;
    Matrix weighted = x;
    std::vector<double> aim(n);
    std::vector<double> trust(n);
    fit.converged = false;
    for (fit.steps = 0; fit.steps < most_rounds && !fit.converged && fit.scale > 0; ++fit.steps) {
        double all = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double z = e[i] / fit.scale;
            trust[i] = data.weight(i) * (nu + 1) / (nu + z * z);
            all += trust[i];
            const double root = std::sqrt(trust[i]);
            for (std::size_t c = 0; c < x.columns; ++c) weighted(i, c) = root * x(i, c);
            aim[i] = root * y[i];
        }
        fit.in_basis = TRY(least_squares_with_covariance(weighted, aim, run)).coefficients;
        const std::vector<double> before = e;
        residuals_of();
        double sum = 0;
        double moved = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += trust[i] * e[i] * e[i];
            moved = std::max(moved, std::abs(e[i] - before[i]));
        }
        const double scale = std::sqrt(sum / all);
        fit.converged = moved <= 1e-12 * fit.scale && std::abs(scale - fit.scale) <= 1e-12 * fit.scale;
        fit.scale = scale > floor ? scale : 0;
    }
    if (fit.scale == 0) fit.converged = true;
    fit.log_likelihood = t_log_likelihood(data, e, nu, fit.scale);
    return Done{};
}

}  // namespace

Result<RegressionFit> least_absolute_fit(const Observed& data, const Run& run) {
    RegressionFit out = TRY(least_squares_fit(data, {}, run));
    out.noise = {Noise::Kind::laplace, {}};
    const bool exact = out.is_exact() && data.rows.size() * out.weights.size() * out.weights.size() <= most_exact_exchanges;
    const Number rows = out.rows;
    const Number total = out.squared_total;
    if (!exact || !out.basis.is_raw()) { TRY(real_least_absolute(data, out, run)); }
    if (exact) {
        out.weights.assign(out.weights.size(), Number(0));
        TRY(exact_least_absolute(data, out, run));
        out.rows = rows;
        out.squared_total = total;
    }
    if (out.basis.is_raw())
        for (std::size_t c = 0; c < out.weights.size(); ++c) out.in_basis[c] = out.weights[c].real();
    out.scale = (out.absolute_error / out.rows).real();
    const double n = out.rows.real();
    out.log_likelihood = out.scale > 0 ? -n * (std::log(2 * out.scale) + 1) : infinity;
    return out;
}

Result<RegressionFit> student_t_fit(const Observed& data, const Number& degrees, const Run& run) {
    Run in_doubles;
    in_doubles.numbers = NumberMode::real;
    in_doubles.limits = run.limits;
    in_doubles.stop = run.stop;
    const Matrix x = term_matrix(data.terms, basis_for(data.terms, data.features, data.view()), data.features, data.view());
    const std::vector<double> y = data.targets();
    // The likelihood may have several tops: from least squares and from least absolute error, the higher one counts.
    RegressionFit best;
    for (const bool robust : {false, true}) {
        RegressionFit fit = TRY(robust ? least_absolute_fit(data, in_doubles) : least_squares_fit(data, {}, in_doubles));
        TRY(climb(data, x, y, degrees.real(), fit, run));
        if (robust && !(fit.log_likelihood > best.log_likelihood)) continue;
        best = std::move(fit);
    }
    const double log_likelihood = best.log_likelihood;
    best.noise = {Noise::Kind::student_t, degrees};
    best.only_one = true;
    complete_fit(data, x, y, best);
    best.log_likelihood = log_likelihood;
    return best;
}

}  // namespace credence::rt
