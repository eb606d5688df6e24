#include "runtime/regression/regression.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/derivation.hpp"

namespace credence::rt {

namespace {

/// The rows that fit is given: no cell missing.
struct Observed {
    std::vector<ColumnPtr> features;
    const Column* target = nullptr;
    std::vector<std::uint32_t> rows;  ///< of the table
    std::vector<double> weights;      ///< one a row, or none
    std::vector<DesignTerm> terms;

    TableView view(const Table& table) const { return {.table = &table, .rows = rows, .all = false}; }
    double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

Observed observed(const TableView& in, std::span<const double> weights) {
    Observed out;
    out.features = feature_columns(*in.table);
    out.target = in.table->columns[*in.table->target].get();
    for (const auto i : complete_rows(out.features, in)) {
        out.rows.push_back(static_cast<std::uint32_t>(in.row(i)));
        if (!weights.empty()) out.weights.push_back(weights[i]);
    }
    out.terms = design_terms(out.features, Coding::reference);
    return out;
}

/// Fractions pay up to here: multiplications of the normal equations.
constexpr std::size_t most_exact_products = 400'000;
constexpr std::size_t most_exact_terms = 24;

bool can_be_exact(const Observed& data, const Run& run) {
    if (run.numbers == NumberMode::real) return false;
    const std::size_t p = data.terms.size() + 1;
    if (p > most_exact_terms || data.rows.size() * p * p > most_exact_products) return false;
    return !data.target->real && std::none_of(data.features.begin(), data.features.end(),
                                              [](const ColumnPtr& c) { return c->kind == ColumnKind::numeric && c->real; });
}

Rational cell(const Observed& data, std::size_t term, std::size_t i) {
    const DesignTerm& t = data.terms[term];
    const Column& c = *data.features[t.column];
    if (t.label >= 0) return Rational(c.codes[data.rows[i]] == t.label ? 1 : 0);
    return c.number(data.rows[i]).exact();
}

/// The normal equations by Gauss–Jordan elimination. In fractions they lose nothing, and a zero pivot is a dependent column.
LinearFit exact_fit(const Observed& data) {
    const std::size_t n = data.rows.size();
    const std::size_t p = data.terms.size() + 1;
    std::vector<std::vector<Rational>> x(n, std::vector<Rational>(p));
    std::vector<Rational> y(n);
    std::vector<Rational> w(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i][0] = Rational(1);
        for (std::size_t t = 0; t + 1 < p; ++t) x[i][t + 1] = cell(data, t, i);
        y[i] = data.target->number(data.rows[i]).exact();
        w[i] = Rational::from_decimal(data.weight(i));
    }
    // Rows of [XᵀWX | XᵀWy | I].
    const std::size_t width = 2 * p + 1;
    std::vector<std::vector<Rational>> a(p, std::vector<Rational>(width));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = 0; r < p; ++r) {
            if (x[i][r].is_zero()) continue;
            const Rational wx = w[i] * x[i][r];
            for (std::size_t c = 0; c < p; ++c)
                if (!x[i][c].is_zero()) a[r][c] += wx * x[i][c];
            a[r][p] += wx * y[i];
        }
    for (std::size_t r = 0; r < p; ++r) a[r][p + 1 + r] = Rational(1);
    std::vector<char> dependent(p, 0);
    for (std::size_t k = 0; k < p; ++k) {
        if (a[k][k].is_zero()) {
            dependent[k] = 1;
            for (std::size_t r = 0; r < p; ++r) a[r][k] = Rational(0);
            std::fill(a[k].begin(), a[k].end(), Rational(0));
            continue;
        }
        const Rational pivot = a[k][k];
        for (auto& entry : a[k]) entry = entry / pivot;
        for (std::size_t r = 0; r < p; ++r) {
            if (r == k || a[r][k].is_zero()) continue;
            const Rational factor = a[r][k];
            for (std::size_t c = 0; c < width; ++c)
                if (!a[k][c].is_zero()) a[r][c] -= factor * a[k][c];
        }
    }
    LinearFit out;
    out.terms = data.terms;
    Rational total;
    Rational error;
    Rational mean;
    for (std::size_t i = 0; i < n; ++i) {
        total += w[i];
        mean += w[i] * y[i];
    }
    mean = mean / total;
    Rational spread;
    for (std::size_t i = 0; i < n; ++i) {
        Rational e = y[i];
        for (std::size_t c = 0; c < p; ++c)
            if (!x[i][c].is_zero()) e -= a[c][p] * x[i][c];
        error += w[i] * e * e;
        spread += w[i] * (y[i] - mean) * (y[i] - mean);
        out.residuals.emplace_back(std::move(e));
    }
    out.intercept = Number(a[0][p]);
    std::size_t used = 0;
    for (std::size_t c = 0; c < p; ++c) {
        out.unscaled_variances.push_back(dependent[c] ? 0.0 : a[c][p + 1 + c].to_double());
        used += dependent[c] ? 0 : 1;
        if (c == 0) continue;
        out.coefficients.emplace_back(a[c][p]);
        if (dependent[c]) out.left_out.push_back(c - 1);
    }
    out.squared_error = Number(error);
    out.squared_total = Number(spread);
    out.degrees = Number(total - Rational(static_cast<std::int64_t>(used)));
    return out;
}

LinearFit real_fit(const Observed& data, const Table& table) {
    const std::size_t n = data.rows.size();
    Matrix x = design_matrix(data.features, data.terms, data.view(table), 1);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = data.target->values[data.rows[i]];
    for (std::size_t i = 0; i < data.weights.size(); ++i) {
        const double root = std::sqrt(data.weights[i]);
        for (double& cell : x.row(i)) cell *= root;
        y[i] *= root;
    }
    const LeastSquares solved = least_squares(x, y);
    LinearFit out;
    out.terms = data.terms;
    out.intercept = Number::real(solved.coefficients[0]);
    for (std::size_t t = 0; t < data.terms.size(); ++t) out.coefficients.push_back(Number::real(solved.coefficients[t + 1]));
    for (const auto c : solved.dependent)
        if (c > 0) out.left_out.push_back(c - 1);
    out.unscaled_variances = solved.unscaled_variances;
    double total = 0;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        total += data.weight(i);
        mean += data.weight(i) * data.target->values[data.rows[i]];
    }
    mean /= total;
    double error = 0;
    double spread = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double root = std::sqrt(data.weight(i));
        long double e = y[i];
        const auto row = x.row(i);
        for (std::size_t c = 0; c < row.size(); ++c)
            e -= static_cast<long double>(row[c]) * static_cast<long double>(solved.coefficients[c]);
        const auto residual = static_cast<double>(e);
        const double deviation = data.target->values[data.rows[i]] - mean;
        out.residuals.push_back(Number::real(residual / root));
        error += residual * residual;
        spread += data.weight(i) * deviation * deviation;
    }
    out.squared_error = Number::real(error);
    out.squared_total = Number::real(spread);
    out.degrees = Number::real(total - static_cast<double>(data.terms.size() + 1 - out.left_out.size()));
    return out;
}

class Regression final : public Learner {
public:
    std::string_view name() const override { return "regression"; }
    TargetKind target() const override { return TargetKind::number; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        const Observed data = observed(rows, weights);
        const std::size_t without = rows.size() - data.rows.size();
        if (data.rows.empty())
            return Fault{.code = "E-MISSING",
                         .message = "every row has a missing cell: regression needs all columns of a row",
                         .hint = "drop the columns that are mostly missing"};
        if (without > 0 && run.note)
            run.note(
                fmt::format("{} row{} with a missing cell {} left out", without, without == 1 ? "" : "s", without == 1 ? "was" : "were"));
        LinearFit fitted = can_be_exact(data, run) ? exact_fit(data) : real_fit(data, *rows.table);
        for (const auto t : fitted.left_out)
            if (run.note) run.note(fmt::format("{} is determined by the columns before it: its weight is 0", fitted.terms[t].name));
        return ModelPtr(std::make_shared<const LinearModel>(schema_of(*rows.table), data.rows.size(), "regression", std::move(fitted)));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run&) const override {
        const Observed data = observed(rows, weights);
        const LinearFit& fit = dynamic_cast<const LinearModel&>(fitted).fit();
        DerivationWriter out;
        out.note(fmt::format("Least squares: the weights that make the sum over {} rows of ({} - prediction)^2 least.", data.rows.size(),
                             data.target->name));
        out.note(
            "They are also the most probable ones where the noise is normal with one spread: ln P(D | w) = constant - sum of e^2 / (2 "
            "sigma^2).");
        if (data.terms.size() == 1 && data.terms[0].label < 0 && weights.empty() && data.rows.size() <= longest_sum && fit.is_exact() &&
            fit.left_out.empty())
            one_column(data, fit, out);
        else
            out.formula("w = (X'X)^-1 X'y, solved by orthogonal decomposition, or exactly where the numbers are few");
        out.note(fmt::format("sigma = {:.6g}, degrees of freedom {}", fit.sigma(), fit.degrees.real()));
        return std::move(out).take();
    }

private:
    /// slope = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)², written out.
    static void one_column(const Observed& data, const LinearFit& fit, DerivationWriter& out) {
        Rational mean_x;
        Rational mean_y;
        const Rational n(static_cast<std::int64_t>(data.rows.size()));
        for (std::size_t i = 0; i < data.rows.size(); ++i) {
            mean_x += cell(data, 0, i);
            mean_y += data.target->number(data.rows[i]).exact();
        }
        mean_x = mean_x / n;
        mean_y = mean_y / n;
        std::vector<Parts> products;
        std::vector<Parts> squares;
        for (std::size_t i = 0; i < data.rows.size(); ++i) {
            const Number dx(cell(data, 0, i) - mean_x);
            const Number dy(data.target->number(data.rows[i]).exact() - mean_y);
            products.push_back({dx, std::string(" * "), dy});
            squares.push_back({dx, std::string(" * "), dx});
        }
        out.formula(
            fmt::format("w[{0}] = sum of ({0} - mean) * ({1} - mean) / sum of ({0} - mean)^2", data.terms[0].name, data.target->name));
        Parts slope{std::string("(")};
        append(slope, joined(products, " + "));
        append(slope, {std::string(") / (")});
        append(slope, joined(squares, " + "));
        append(slope, {std::string(")")});
        out.begin(std::move(slope));
        out.result(fit.coefficients[0]);
        out.formula(fmt::format("intercept = mean of {} - w[{}] * mean of {}", data.target->name, data.terms[0].name, data.terms[0].name));
        out.begin({Number(mean_y), std::string(" - "), fit.coefficients[0], std::string(" * "), Number(mean_x)});
        out.result(fit.intercept);
    }
};

}  // namespace

LearnerPtr make_regression() { return std::make_shared<const Regression>(); }

}  // namespace credence::rt
