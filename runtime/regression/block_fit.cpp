#include "runtime/regression/block_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/least_squares.hpp"
#include "runtime/core/tall_triangle.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/block_training.hpp"

namespace credence::rt {

namespace {

/// What rows add up to: the triangle of [1, terms, y], and the spread of y about its mean.
struct TriangleSums {
    Matrix triangle;
    double rows = 0;
    double mean = 0;
    double squares = 0;
    std::size_t left_out = 0;

    Status add(const Matrix& x, std::span<const double> y, const Run& run) {
        const std::size_t p = x.columns;
        Matrix all(triangle.rows + x.rows, p);
        std::vector<double> aims(all.rows);
        for (std::size_t i = 0; i < triangle.rows; ++i) {
            std::copy_n(triangle.row(i).begin(), p, all.row(i).begin());
            aims[i] = triangle(i, p);
        }
        std::copy(x.values.begin(), x.values.end(), all.values.begin() + static_cast<std::ptrdiff_t>(triangle.rows * p));
        std::copy(y.begin(), y.end(), aims.begin() + static_cast<std::ptrdiff_t>(triangle.rows));
        triangle = TRY(tall_triangle(all, std::vector<double>(p, 1.0), aims, run));
        return Done{};
    }
    void add_spread(double n, double average, double about) {
        if (n == 0) return;
        const double apart = average - mean;
        squares += about + apart * apart * rows * n / (rows + n);
        mean += apart * n / (rows + n);
        rows += n;
    }
    /// The first columns of the triangle, and its last.
    std::pair<Matrix, std::vector<double>> split() const {
        const std::size_t p = triangle.columns - 1;
        Matrix x(triangle.rows, p);
        std::vector<double> y(triangle.rows);
        for (std::size_t i = 0; i < triangle.rows; ++i) {
            std::copy_n(triangle.row(i).begin(), p, x.row(i).begin());
            y[i] = triangle(i, p);
        }
        return {std::move(x), std::move(y)};
    }

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit(self.triangle);
        visit(self.rows);
        visit(self.mean);
        visit(self.squares);
        visit(self.left_out);
    }
};

std::vector<std::size_t> all_columns(const Table& head) {
    std::vector<std::size_t> out(head.columns.size());
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = c;
    return out;
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
};

/// As basis_for of all rows, which looks at the least and the greatest number of a column.
Result<Basis> basis_of(const RowBlocks& rows, std::span<const Term> terms, const Run& run) {
    const auto features = feature_columns(rows.head());
    if (std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.degree() == 1; })) return Basis{};
    const auto columns = all_columns(rows.head());
    const std::vector<Range> empty(features.size());
    const auto parts = TRY(pass(rows, {}, empty, run, [&](std::vector<Range>& ranges, const Table& block, std::size_t) -> Status {
        const KnownRows known(block, columns);
        const auto view = known.view(block);
        const auto own = feature_columns(block);
        for (std::size_t f = 0; f < own.size(); ++f)
            for (std::size_t i = 0; i < known.size() && own[f]->kind == ColumnKind::numeric; ++i) {
                ranges[f].least = std::min(ranges[f].least, own[f]->values[view.row(i)]);
                ranges[f].most = std::max(ranges[f].most, own[f]->values[view.row(i)]);
            }
        return Done{};
    }));
    std::vector<ColumnPtr> ends;
    for (std::size_t f = 0; f < features.size(); ++f) {
        auto column = std::make_shared<Column>(*features[f]);
        Range range;
        for (const auto& part : parts) {
            range.least = std::min(range.least, part[f].least);
            range.most = std::max(range.most, part[f].most);
        }
        if (column->kind == ColumnKind::numeric)
            column->values = {range.least, range.most};
        else
            column->codes = {-1, -1};
        ends.push_back(std::move(column));
    }
    const TablePtr two = make_table(ends, std::nullopt, 2);
    return basis_for(terms, ends, {.table = two.get(), .rows = {}});
}

/// λ of each coefficient, the intercept's 0. Variances follow from the triangle: Σ x² and Σ x are in RᵀR.
std::vector<double> penalties_from(const Matrix& x, double rows, const std::optional<Penalty>& penalty) {
    std::vector<double> out(x.columns, 0.0);
    if (!penalty) return out;
    for (std::size_t t = 1; t < x.columns; ++t) {
        double sum = 0;
        double squares = 0;
        for (std::size_t i = 0; i < x.rows; ++i) {
            sum += x(i, 0) * x(i, t);
            squares += x(i, t) * x(i, t);
        }
        const double variance = std::max(0.0, squares / rows - sum / rows * (sum / rows));
        out[t] = penalty->lambda.real() * (penalty->standard ? variance : 1.0);
    }
    return out;
}

/// The weights from the triangle.
Result<RegressionFit> solved(const TriangleSums& sums, const RegressionOptions& options, std::vector<Term> terms, Basis basis,
                             const Run& run) {
    auto [x, y] = sums.split();
    const std::size_t p = x.columns;
    const std::vector<double> lambda = penalties_from(x, sums.rows, options.penalty);
    Matrix aimed = x;
    std::vector<double> aims = y;
    if (options.penalty) {  // Σ λ_j w_j²: a row √λ_j aimed at 0
        aimed.rows += p;
        aimed.values.resize(aimed.rows * p, 0.0);
        aims.resize(aimed.rows, 0.0);
        for (std::size_t j = 0; j < p; ++j) aimed(x.rows + j, j) = std::sqrt(lambda[j]);
    }
    auto found = TRY(least_squares_with_covariance(aimed, aims, run));
    RegressionFit out;
    out.terms = std::move(terms);
    out.basis = std::move(basis);
    out.in_basis = found.coefficients;
    out.covariance = std::move(found.unscaled_covariance);
    for (const auto c : found.dependent)
        if (c > 0) out.left_out.push_back(c - 1);
    raw_weights(out);
    double error = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
        double e = y[i];
        for (std::size_t c = 0; c < p; ++c) e -= x(i, c) * out.in_basis[c];
        error += e * e;
    }
    out.squared_error = Number::real(error);
    out.squared_total = Number::real(sums.squares);
    out.rows = Number::real(sums.rows);
    out.log_determinant = found.log_determinant - 2 * log_determinant_to_raw(out.terms, out.basis);
    double effective = static_cast<double>(p - found.dependent.size());
    double penalty = 0;
    for (std::size_t j = 0; j < p; ++j) {
        effective -= lambda[j] * out.unscaled_variances[j];
        penalty += lambda[j] * out.weights[j].real() * out.weights[j].real();
    }
    out.penalty = Number::real(penalty);
    out.degrees = Number::real(sums.rows - effective);
    out.log_likelihood = normal_log_likelihood(out);
    return out;
}

}  // namespace

Result<RegressionFit> least_squares_fit(const RowBlocks& rows, const RegressionOptions& options, std::size_t& left_out, const Run& run) {
    auto terms = TRY(polynomial_terms(feature_columns(rows.head()), options.degree, options.products));
    auto basis = TRY(basis_of(rows, terms, run));
    if (options.penalty && !basis.is_raw())
        return Fault{.code = "E-TRAIN",
                     .message = "ridge of a degree above 1 needs the rows in memory, and these are read in blocks",
                     .hint = "degree: 1, or load the table without stream: true"};
    const auto columns = all_columns(rows.head());
    const std::size_t target = *rows.head().target;
    const auto parts = TRY(pass(rows, {}, TriangleSums{}, run, [&](TriangleSums& sums, const Table& block, std::size_t) -> Status {
        const KnownRows known(block, columns);
        sums.left_out += known.left_out();
        if (known.size() == 0) return Done{};
        const auto view = known.view(block);
        std::vector<double> y(known.size());
        double mean = 0;
        for (std::size_t i = 0; i < y.size(); ++i) mean += y[i] = block.columns[target]->values[view.row(i)];
        mean /= static_cast<double>(y.size());
        double squares = 0;
        for (const double v : y) squares += (v - mean) * (v - mean);
        sums.add_spread(static_cast<double>(y.size()), mean, squares);
        return sums.add(term_matrix(terms, basis, feature_columns(block), view), y, run);
    }));
    TriangleSums all;
    for (const auto& part : parts) {
        all.left_out += part.left_out;
        if (part.rows == 0) continue;
        all.add_spread(part.rows, part.mean, part.squares);
        const auto [x, y] = part.split();
        TRY(all.add(x, y, run));
    }
    left_out = all.left_out;
    if (all.rows == 0)
        return Fault{.code = "E-MISSING",
                     .message = "every row has a missing cell: regression needs all columns of a row",
                     .hint = "leave the columns that are mostly missing out of the file"};
    return solved(all, options, std::move(terms), std::move(basis), run);
}

}  // namespace credence::rt
