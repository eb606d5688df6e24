#include "runtime/regression/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace credence::rt {

namespace {

constexpr double two_pi = 6.283185307179586;

}  // namespace

void raw_weights(RegressionFit& fit) {
    const std::size_t p = fit.terms.size() + 1;
    fit.weights.clear();
    fit.unscaled_variances.assign(p, 0.0);
    if (fit.basis.is_raw()) {
        for (std::size_t j = 0; j < p; ++j) {
            fit.weights.push_back(Number::real(fit.in_basis[j]));
            fit.unscaled_variances[j] = fit.covariance(j, j);
        }
        return;
    }
    const std::vector<long double> raw = to_raw(fit.terms, fit.basis);
    for (std::size_t j = 0; j < p; ++j) {
        long double w = 0;
        long double v = 0;
        const long double* row = raw.data() + j * p;
        for (std::size_t k = 0; k < p; ++k) {
            if (row[k] == 0) continue;
            w += row[k] * static_cast<long double>(fit.in_basis[k]);
            for (std::size_t l = 0; l < p; ++l)
                if (row[l] != 0) v += row[k] * row[l] * static_cast<long double>(fit.covariance(k, l));
        }
        fit.weights.push_back(Number::real(static_cast<double>(w)));
        fit.unscaled_variances[j] = std::max(0.0, static_cast<double>(v));
    }
}

double Observed::total_weight() const {
    return weights.empty() ? static_cast<double>(rows.size()) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::vector<double> Observed::targets() const {
    std::vector<double> out(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = target->values[rows[i]];
    return out;
}

Result<Observed> observe(const TableView& in, std::span<const double> weights, std::size_t degree, Products products) {
    Observed out;
    out.table = in.table;
    out.features = feature_columns(*in.table);
    out.target = in.table->columns[*in.table->target].get();
    for (const auto i : complete_rows(out.features, in)) {
        out.rows.push_back(static_cast<std::uint32_t>(in.row(i)));
        if (!weights.empty()) out.weights.push_back(weights[i]);
    }
    out.terms = TRY(polynomial_terms(out.features, degree, products));
    return out;
}

bool RegressionFit::is_exact() const {
    return std::all_of(weights.begin(), weights.end(), [](const Number& w) { return w.is_exact(); });
}

double RegressionFit::sigma() const {
    if (noise.kind != Noise::Kind::normal) return scale;
    return degrees.sign() > 0 ? std::sqrt(std::max(0.0, (squared_error / degrees).real())) : 0.0;
}

std::optional<Number> RegressionFit::r2() const {
    if (squared_total.is_zero()) return std::nullopt;
    return Number(1) - squared_error / squared_total;
}

std::vector<double> RegressionFit::standard_errors() const {
    // By Fisher's information of the noise: 1/b² a row under Laplace's, (ν+1) / ((ν+3) s²) under Student's.
    double spread = sigma();
    if (noise.kind == Noise::Kind::student_t) spread *= std::sqrt((noise.degrees.real() + 3) / (noise.degrees.real() + 1));
    std::vector<double> out;
    for (const double v : unscaled_variances) out.push_back(spread * std::sqrt(v));
    return out;
}

double normal_log_likelihood(const RegressionFit& fit) {
    const double n = fit.rows.real();
    if (fit.squared_error.sign() <= 0) return std::numeric_limits<double>::infinity();
    return -n / 2 * (std::log(two_pi * fit.squared_error.real() / n) + 1);
}

void complete_fit(const Observed& data, const Matrix& x, std::span<const double> y, RegressionFit& fit) {
    const std::size_t n = data.rows.size();
    const std::size_t p = data.terms.size() + 1;
    raw_weights(fit);
    const double total = data.total_weight();
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += data.weight(i) * y[i];
    mean /= total;
    double error = 0;
    double spread = 0;
    fit.residuals.clear();
    for (std::size_t i = 0; i < n; ++i) {
        long double e = y[i];
        const auto row = x.row(i);
        for (std::size_t c = 0; c < p; ++c) e -= static_cast<long double>(row[c]) * static_cast<long double>(fit.in_basis[c]);
        const auto residual = static_cast<double>(e);
        fit.residuals.push_back(Number::real(residual));
        error += data.weight(i) * residual * residual;
        spread += data.weight(i) * (y[i] - mean) * (y[i] - mean);
    }
    fit.squared_error = Number::real(error);
    fit.squared_total = Number::real(spread);
    fit.rows = Number::real(total);
}

Status within_range(const RegressionFit& fit) {
    const auto finite = [](const Number& x) { return x.is_exact() || std::isfinite(x.real()); };
    const bool spread = std::isfinite(fit.squared_error.real());  // sigma is a double
    if (spread && finite(fit.squared_total) && std::all_of(fit.weights.begin(), fit.weights.end(), finite)) return Done{};
    return Fault{.code = "E-RANGE",
                 .message = "the numbers of the target are too large: the squares of its errors are beyond the range of numbers",
                 .hint = "divide the target by a power of ten"};
}

Status within_range(const RegressionFit& fit, const Observed& data) {
    TRY(within_range(fit));
    if (fit.squared_total.is_exact()) return Done{};
    const auto y = data.targets();
    const bool constant = std::all_of(y.begin(), y.end(), [&](double v) { return v == y[0]; });
    if (constant || fit.squared_total.real() >= std::numeric_limits<double>::min()) return Done{};
    return Fault{
        .code = "E-RANGE",
        .message = "the numbers of the target are too close together: the squares of their differences are beyond the range of numbers",
        .hint = "multiply the target by a power of ten"};
}

void remember_rows(const Observed& data, RegressionFit& fit) {
    const auto targets = data.targets();
    for (std::size_t i = 0; i < fit.residuals.size(); ++i) fit.fitted.push_back(targets[i] - fit.residuals[i].real());
    if (data.features.size() != 1 || data.features[0]->kind != ColumnKind::numeric) return;
    for (const auto row : data.rows) fit.inputs.push_back(data.features[0]->values[row]);
}

}  // namespace credence::rt
