// Penalised least squares: the normal equations in fractions where the table is small and exact, else orthogonal decomposition of the
// rows with one more row a penalty.

#include <algorithm>
#include <cmath>

#include "runtime/core/least_squares.hpp"
#include "runtime/regression/fit.hpp"

namespace credence::rt {

namespace {

/// Fractions pay up to here: multiplications of the normal equations, times the degree, by which the numbers grow.
constexpr std::size_t most_exact_products = 400'000;
constexpr std::size_t most_exact_terms = 24;

std::size_t degree_of(const Observed& data) { return data.terms.empty() ? 1 : data.terms.back().degree(); }

struct ExactRows {
    std::vector<std::vector<Rational>> x;  ///< a 1, then the terms
    std::vector<Rational> y;
    std::vector<Rational> w;
};

ExactRows exact_rows(const Observed& data) {
    const std::size_t n = data.rows.size();
    ExactRows out{std::vector<std::vector<Rational>>(n), std::vector<Rational>(n), std::vector<Rational>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        out.x[i].emplace_back(1);
        for (const auto& term : data.terms) out.x[i].push_back(term_value(term, data.features, data.rows[i]).exact());
        out.y[i] = data.target->number(data.rows[i]).exact();
        out.w[i] = Rational::from_decimal(data.weight(i));
    }
    return out;
}

/// Residuals and sums in fractions.
void exact_sums(const ExactRows& rows, RegressionFit& out) {
    Rational total;
    Rational mean;
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
        total += rows.w[i];
        mean += rows.w[i] * rows.y[i];
    }
    mean = mean / total;
    Rational error;
    Rational spread;
    out.residuals.clear();
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
        Rational e = rows.y[i];
        for (std::size_t c = 0; c < out.weights.size(); ++c)
            if (!rows.x[i][c].is_zero()) e -= out.weights[c].exact() * rows.x[i][c];
        error += rows.w[i] * e * e;
        spread += rows.w[i] * (rows.y[i] - mean) * (rows.y[i] - mean);
        out.residuals.emplace_back(std::move(e));
    }
    out.squared_error = Number(error);
    out.squared_total = Number(spread);
    out.rows = Number(total);
}

/// The normal equations by Gauss–Jordan elimination. In fractions they lose nothing, and a zero pivot is a dependent column.
RegressionFit exact_fit(const Observed& data, std::span<const Number> penalties) {
    const ExactRows rows = exact_rows(data);
    const std::size_t p = data.terms.size() + 1;
    // Rows of [XᵀWX + Λ | XᵀWy | I].
    const std::size_t width = 2 * p + 1;
    std::vector<std::vector<Rational>> a(p, std::vector<Rational>(width));
    for (std::size_t i = 0; i < rows.y.size(); ++i)
        for (std::size_t r = 0; r < p; ++r) {
            if (rows.x[i][r].is_zero()) continue;
            const Rational wx = rows.w[i] * rows.x[i][r];
            for (std::size_t c = 0; c < p; ++c)
                if (!rows.x[i][c].is_zero()) a[r][c] += wx * rows.x[i][c];
            a[r][p] += wx * rows.y[i];
        }
    for (std::size_t r = 0; r < p; ++r) {
        a[r][p + 1 + r] = Rational(1);
        if (!penalties.empty()) a[r][r] += penalties[r].exact();
    }
    RegressionFit out;
    out.terms = data.terms;
    std::vector<char> dependent(p, 0);
    for (std::size_t k = 0; k < p; ++k) {
        if (a[k][k].is_zero()) {
            dependent[k] = 1;
            for (std::size_t r = 0; r < p; ++r) a[r][k] = Rational(0);
            std::fill(a[k].begin(), a[k].end(), Rational(0));
            continue;
        }
        const Rational pivot = a[k][k];
        out.log_determinant += pivot.log();
        for (auto& entry : a[k]) entry = entry / pivot;
        for (std::size_t r = 0; r < p; ++r) {
            if (r == k || a[r][k].is_zero()) continue;
            const Rational factor = a[r][k];
            for (std::size_t c = 0; c < width; ++c)
                if (!a[k][c].is_zero()) a[r][c] -= factor * a[k][c];
        }
    }
    Rational effective;
    Rational penalty;
    out.covariance = Matrix(p, p);
    for (std::size_t c = 0; c < p; ++c) {
        out.weights.emplace_back(a[c][p]);
        out.in_basis.push_back(a[c][p].to_double());
        for (std::size_t k = 0; k < p && !dependent[c]; ++k)
            if (!dependent[k]) out.covariance(c, k) = a[c][p + 1 + k].to_double();
        out.unscaled_variances.push_back(out.covariance(c, c));
        if (dependent[c] && c > 0) out.left_out.push_back(c - 1);
        if (!dependent[c]) effective += Rational(1);
        if (penalties.empty()) continue;
        effective -= penalties[c].exact() * (dependent[c] ? Rational(0) : a[c][p + 1 + c]);
        penalty += penalties[c].exact() * a[c][p] * a[c][p];
    }
    exact_sums(rows, out);
    out.penalty = Number(penalty);
    out.degrees = out.rows - Number(effective);
    out.log_likelihood = normal_log_likelihood(out);
    return out;
}

Result<RegressionFit> real_fit(const Observed& data, std::span<const Number> penalties, const Run& run) {
    const std::size_t n = data.rows.size();
    const std::size_t p = data.terms.size() + 1;
    RegressionFit out;
    out.terms = data.terms;
    out.basis = basis_for(data.terms, data.features, data.view());
    const bool penalised = std::any_of(penalties.begin(), penalties.end(), [](const Number& l) { return l.sign() > 0; });
    const std::size_t more = penalised ? p : 0;
    const Matrix x = term_matrix(data.terms, out.basis, data.features, data.view());
    const std::vector<double> y = data.targets();
    LeastSquaresWithCovariance solved;
    if (data.weights.empty() && !penalised) {
        solved = TRY(least_squares_with_covariance(x, y, run));
    } else {
        Matrix weighted(n + more, p);
        std::copy(x.values.begin(), x.values.end(), weighted.values.begin());
        std::vector<double> aim = y;
        aim.resize(n + more, 0.0);
        for (std::size_t i = 0; i < data.weights.size(); ++i) {
            const double root = std::sqrt(data.weights[i]);
            for (double& cell : weighted.row(i)) cell *= root;
            aim[i] *= root;
        }
        // Σ λ_j w_j² with w = T b: a row √λ_j T_j aimed at 0.
        const bool moved = penalised && !out.basis.is_raw();
        const std::vector<long double> raw = moved ? to_raw(data.terms, out.basis) : std::vector<long double>{};
        for (std::size_t j = 0; j < more; ++j) {
            const double root = std::sqrt(penalties[j].real());
            if (!moved) weighted(n + j, j) = root;
            for (std::size_t k = 0; moved && k < p; ++k) weighted(n + j, k) = root * static_cast<double>(raw[j * p + k]);
        }
        solved = TRY(least_squares_with_covariance(weighted, aim, run));
    }
    out.in_basis = solved.coefficients;
    out.covariance = std::move(solved.unscaled_covariance);
    for (const auto c : solved.dependent)
        if (c > 0) out.left_out.push_back(c - 1);
    complete_fit(data, x, y, out);
    out.log_determinant = solved.log_determinant - 2 * log_determinant_to_raw(data.terms, out.basis);
    double effective = static_cast<double>(p - solved.dependent.size());
    double penalty = 0;
    for (std::size_t j = 0; j < more; ++j) {
        effective -= penalties[j].real() * out.unscaled_variances[j];
        penalty += penalties[j].real() * out.weights[j].real() * out.weights[j].real();
    }
    out.penalty = Number::real(penalty);
    out.degrees = Number::real(out.rows.real() - effective);
    out.log_likelihood = normal_log_likelihood(out);
    return out;
}

}  // namespace

bool can_be_exact(const Observed& data, std::span<const Number> penalties, const Run& run) {
    if (run.numbers == NumberMode::real) return false;
    const std::size_t p = data.terms.size() + 1;
    if (p > most_exact_terms || data.rows.size() * p * p * degree_of(data) > most_exact_products) return false;
    if (std::any_of(penalties.begin(), penalties.end(), [](const Number& l) { return !l.is_exact(); })) return false;
    return !data.target->real && std::none_of(data.features.begin(), data.features.end(),
                                              [](const ColumnPtr& c) { return c->kind == ColumnKind::numeric && c->real; });
}

std::vector<Number> term_variances(const Observed& data, const Run& run) {
    std::vector<Number> out{Number(0)};
    if (can_be_exact(data, {}, run)) {
        const ExactRows rows = exact_rows(data);
        for (std::size_t t = 1; t <= data.terms.size(); ++t) {
            Rational total;
            Rational sum;
            Rational squares;
            for (std::size_t i = 0; i < rows.y.size(); ++i) {
                total += rows.w[i];
                sum += rows.w[i] * rows.x[i][t];
                squares += rows.w[i] * rows.x[i][t] * rows.x[i][t];
            }
            const Rational mean = sum / total;
            out.emplace_back(squares / total - mean * mean);
        }
        return out;
    }
    const Matrix x = term_matrix(data.terms, {}, data.features, data.view());
    const double total = data.total_weight();
    for (std::size_t t = 1; t <= data.terms.size(); ++t) {
        double mean = 0;
        for (std::size_t i = 0; i < data.rows.size(); ++i) mean += data.weight(i) * x(i, t);
        mean /= total;
        double squares = 0;
        for (std::size_t i = 0; i < data.rows.size(); ++i) squares += data.weight(i) * (x(i, t) - mean) * (x(i, t) - mean);
        out.push_back(Number::real(squares / total));
    }
    return out;
}

Result<RegressionFit> least_squares_fit(const Observed& data, std::span<const Number> penalties, const Run& run) {
    if (!can_be_exact(data, penalties, run)) return real_fit(data, penalties, run);
    RegressionFit out = exact_fit(data, penalties);
    // Doubles of high powers cancel each other: what is computed in doubles (intervals, predictions from real cells) goes by the basis.
    if (degree_of(data) > 1) {
        RegressionFit real = TRY(real_fit(data, penalties, run));
        if (real.left_out == out.left_out) {
            out.basis = std::move(real.basis);
            out.in_basis = std::move(real.in_basis);
            out.covariance = std::move(real.covariance);
        }
    }
    return out;
}

}  // namespace credence::rt
