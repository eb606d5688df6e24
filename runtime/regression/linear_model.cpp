#include "runtime/regression/linear_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

LinearModel::LinearModel(Schema schema, std::size_t rows, std::string kind, RegressionFit fit)
    : Regressor(std::move(schema), rows), kind_(std::move(kind)), fit_(std::move(fit)) {}

Status LinearModel::predict(const TableView& rows, std::span<double> out, Run&) const {
    // Blocks, so that no table of all terms is held at once.
    constexpr std::size_t block = 4096;
    std::vector<std::uint32_t> numbers;
    for (std::size_t first = 0; first < rows.size(); first += block) {
        const std::size_t last = std::min(first + block, rows.size());
        numbers.clear();
        for (std::size_t i = first; i < last; ++i) numbers.push_back(static_cast<std::uint32_t>(rows.row(i)));
        const Matrix x = term_matrix(fit_.terms, fit_.basis, rows.table->columns, {.table = rows.table, .rows = numbers, .all = false});
        for (std::size_t i = first; i < last; ++i) {
            const auto row = x.row(i - first);
            double sum = 0;
            for (std::size_t c = 0; c < row.size(); ++c) sum += row[c] * fit_.in_basis[c];
            out[i] = sum;
        }
    }
    return Done{};
}

Attempt<Rational> LinearModel::exact_prediction(const TableView& rows, Run&) const {
    if (!fit_.is_exact()) return not_applicable;
    Rational sum = fit_.weights[0].exact();
    for (std::size_t t = 0; t < fit_.terms.size(); ++t) {
        const Number x = term_value(fit_.terms[t], rows.table->columns, rows.row(0));
        if (!x.is_exact()) return not_applicable;
        sum += fit_.weights[t + 1].exact() * x.exact();
    }
    return sum;
}

double LinearModel::prediction(const TableView& row) const {
    double out = 0;
    Run none;
    (void)predict(row, std::span(&out, 1), none);
    return out;
}

Number LinearModel::mean_at(const TableView& row, Run& run) const {
    constexpr std::size_t most_bits = 128;
    const auto exact = exact_prediction(row, run);
    return exact && exact->bits() <= most_bits ? Number(*exact) : Number::real(prediction(row));
}

double LinearModel::leverage(const TableView& row) const {
    const Matrix x = term_matrix(fit_.terms, fit_.basis, row.table->columns, row);
    double out = 0;
    for (std::size_t a = 0; a < x.columns; ++a)
        for (std::size_t b = 0; b < x.columns; ++b) out += x(0, a) * fit_.covariance(a, b) * x(0, b);
    return std::max(0.0, out);
}

Result<DistributionPtr> LinearModel::distribution(const TableView& rows, Run& run) const {
    const double sigma = fit_.sigma();
    if (!(sigma > 0))
        return Fault{.code = "E-QUERY",
                     .message = "the rows lie exactly on the plane, so there is no noise",
                     .hint = "predict(model, …) gives the number"};
    const Number mean = mean_at(rows, run);
    switch (fit_.noise.kind) {
        case Noise::Kind::normal:
            return make_normal(mean, Number::real(sigma));
        case Noise::Kind::laplace:
            return make_laplace(mean, Number::real(sigma));
        case Noise::Kind::student_t:
            break;
    }
    return make_student_t(fit_.noise.degrees, mean, Number::real(sigma));
}

Result<std::pair<double, double>> LinearModel::interval(const TableView& row, double level, IntervalOf of, Run& run) const {
    const double tail = (1 - level) / 2;
    const double mean = prediction(row);
    if (fit_.noise.kind != Noise::Kind::normal && of == IntervalOf::observation) {
        auto noise = TRY(distribution(row, run));
        auto high = TRY(noise->quantile(Number::real(1 - tail)));
        return std::pair(2 * mean - high.real(), high.real());
    }
    if (fit_.degrees.sign() <= 0)
        return Fault{.code = "E-UNDEFINED",
                     .message = "there are no more rows than weights, so the noise cannot be estimated",
                     .hint = "train on more rows, or use bayes_regression with a sigma"};
    double spread = fit_.sigma();
    double times = student_t_quantile(fit_.degrees.real(), 1 - tail, tail);
    if (fit_.noise.kind != Noise::Kind::normal) {
        spread = fit_.standard_errors()[0] / std::sqrt(fit_.unscaled_variances[0]);
        times = normal_quantile(1 - tail, tail);
    }
    const double half = times * spread * std::sqrt(leverage(row) + (of == IntervalOf::observation ? 1.0 : 0.0));
    return std::pair(mean - half, mean + half);
}

Result<Derivation> LinearModel::explain_prediction(const TableView& rows, Run& run) const {
    DerivationWriter out;
    std::string formula = schema_.target.name + " = intercept";
    for (const auto& term : fit_.terms) formula += fmt::format(" + w[{}] * {}", term.name, term.name);
    out.formula(std::move(formula));
    Parts sum{fit_.weights[0]};
    for (std::size_t t = 0; t < fit_.terms.size(); ++t)
        append(sum,
               {std::string(" + "), fit_.weights[t + 1], std::string(" * "), term_value(fit_.terms[t], rows.table->columns, rows.row(0))});
    out.begin(std::move(sum));
    auto exact = TRY(exact_prediction(rows, run).or_nothing());
    out.result(exact ? Number(*exact) : Number::real(prediction(rows)));
    return std::move(out).take();
}

Result<Json> LinearModel::save() const {
    return Json{{"schema", saved(schema_)}, {"rows", rows_seen_}, {"kind", kind_}, {"fit", saved(fit_)}};
}

Result<ModelPtr> load_linear_model(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto kind = TRY(read_text(json, "kind"));
    auto fit = TRY(read_fit(json, "fit", schema));
    return ModelPtr(std::make_shared<const LinearModel>(std::move(schema), rows, std::move(kind), std::move(fit)));
}

}  // namespace credence::rt
