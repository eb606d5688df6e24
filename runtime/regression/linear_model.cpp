#include "runtime/regression/linear_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/derivation.hpp"
#include "runtime/prob/saved.hpp"

namespace credence::rt {

double LinearFit::sigma() const { return degrees.sign() > 0 ? std::sqrt(std::max(0.0, (squared_error / degrees).real())) : 0.0; }

std::optional<Number> LinearFit::r2() const {
    if (squared_total.is_zero()) return std::nullopt;
    return Number(1) - squared_error / squared_total;
}

std::vector<double> LinearFit::standard_errors() const {
    std::vector<double> out;
    for (const double v : unscaled_variances) out.push_back(sigma() * std::sqrt(v));
    return out;
}

LinearModel::LinearModel(Schema schema, std::size_t rows, std::string kind, LinearFit fit)
    : Regressor(std::move(schema), rows), kind_(std::move(kind)), fit_(std::move(fit)) {}

Status LinearModel::predict(const TableView& rows, std::span<double> out, Run&) const {
    const double intercept = fit_.intercept.real();
    std::fill(out.begin(), out.end(), intercept);
    for (std::size_t t = 0; t < fit_.terms.size(); ++t) {
        const DesignTerm& term = fit_.terms[t];
        const double w = fit_.coefficients[t].real();
        const Column& column = *rows.table->columns[term.column];
        if (term.label < 0)
            for (std::size_t i = 0; i < out.size(); ++i) out[i] += w * column.values[rows.row(i)];
        else
            for (std::size_t i = 0; i < out.size(); ++i) out[i] += column.codes[rows.row(i)] == term.label ? w : 0.0;
    }
    return Done{};
}

Result<std::optional<Rational>> LinearModel::exact_prediction(const TableView& rows, Run&) const {
    if (!fit_.is_exact()) return std::optional<Rational>{};
    Rational sum = fit_.intercept.exact();
    for (std::size_t t = 0; t < fit_.terms.size(); ++t) {
        const Column& column = *rows.table->columns[fit_.terms[t].column];
        const Rational& w = fit_.coefficients[t].exact();
        if (fit_.terms[t].label >= 0) {
            if (column.codes[rows.row(0)] == fit_.terms[t].label) sum += w;
            continue;
        }
        const Number x = column.number(rows.row(0));
        if (!x.is_exact()) return std::optional<Rational>{};
        sum += w * x.exact();
    }
    return std::optional(std::move(sum));
}

Result<DistributionPtr> LinearModel::distribution(const TableView& rows, Run& run) const {
    const double sigma = fit_.sigma();
    if (!(sigma > 0))
        return Fault{.code = "E-QUERY",
                     .message = "the rows lie on the plane exactly: there is no noise to tell of",
                     .hint = "predict(model, …) gives the number"};
    double mean = 0;
    Status done = predict(rows, std::span(&mean, 1), run);
    if (!done) return std::move(done).fault();
    return make_normal(Number::real(mean), Number::real(sigma));
}

Result<Derivation> LinearModel::explain_prediction(const TableView& rows, Run& run) const {
    DerivationWriter out;
    std::string formula = schema_.target.name + " = intercept";
    for (const auto& term : fit_.terms) formula += fmt::format(" + w[{}] * {}", term.name, term.name);
    out.formula(std::move(formula));
    Parts sum{fit_.intercept};
    for (std::size_t t = 0; t < fit_.terms.size(); ++t) {
        const Column& column = *rows.table->columns[fit_.terms[t].column];
        const Number x =
            fit_.terms[t].label >= 0 ? Number(column.codes[rows.row(0)] == fit_.terms[t].label ? 1 : 0) : column.number(rows.row(0));
        append(sum, {std::string(" + "), fit_.coefficients[t], std::string(" * "), x});
    }
    out.begin(std::move(sum));
    auto exact = exact_prediction(rows, run);
    if (!exact) return std::move(exact).fault();
    double value = 0;
    Status done = predict(rows, std::span(&value, 1), run);
    if (!done) return std::move(done).fault();
    out.result(*exact ? Number(**exact) : Number::real(value));
    return std::move(out).take();
}

Result<Json> LinearModel::save() const {
    Json terms = Json::array();
    for (const auto& t : fit_.terms) terms.push_back({{"column", t.column}, {"label", t.label}, {"name", t.name}});
    return Json{{"schema", saved(schema_)},
                {"rows", rows_seen_},
                {"kind", kind_},
                {"terms", std::move(terms)},
                {"intercept", saved(fit_.intercept)},
                {"coefficients", saved(std::span<const Number>(fit_.coefficients))},
                {"left_out", fit_.left_out},
                {"residuals", saved(std::span<const Number>(fit_.residuals))},
                {"squared_error", saved(fit_.squared_error)},
                {"squared_total", saved(fit_.squared_total)},
                {"degrees", saved(fit_.degrees)},
                {"unscaled_variances", saved(std::span<const double>(fit_.unscaled_variances))}};
}

namespace {

Result<std::vector<DesignTerm>> read_terms(const Json& json, const Schema& schema) {
    auto list = read_member(json, "terms");
    if (!list) return std::move(list).fault();
    if (!(*list)->is_array()) return damaged("'terms' is no list");
    std::vector<DesignTerm> out;
    for (const auto& item : **list) {
        auto column = read_count(item, "column");
        if (!column) return std::move(column).fault();
        auto label = read_member(item, "label");
        if (!label) return std::move(label).fault();
        auto name = read_text(item, "name");
        if (!name) return std::move(name).fault();
        if (*column >= schema.features.size() || !(*label)->is_number_integer()) return damaged("a term names no column");
        const Field& field = schema.features[*column];
        const auto code = (*label)->get<std::int64_t>();
        const bool fits =
            field.kind == ColumnKind::numeric ? code == -1 : code >= 0 && code < static_cast<std::int64_t>(field.domain->size());
        if (!fits) return damaged("a term names no label");
        out.push_back({*column, static_cast<std::int32_t>(code), *std::move(name)});
    }
    return out;
}

}  // namespace

Result<ModelPtr> load_linear_model(const Json& json) {
    auto schema = read_schema(json, "schema");
    if (!schema) return std::move(schema).fault();
    auto rows = read_count(json, "rows");
    if (!rows) return std::move(rows).fault();
    auto kind = read_text(json, "kind");
    if (!kind) return std::move(kind).fault();
    LinearFit fit;
    auto terms = read_terms(json, *schema);
    if (!terms) return std::move(terms).fault();
    fit.terms = *std::move(terms);
    for (const auto& [key, into] : {std::pair{"intercept", &fit.intercept},
                                    {"squared_error", &fit.squared_error},
                                    {"squared_total", &fit.squared_total},
                                    {"degrees", &fit.degrees}}) {
        auto member = read_member(json, key);
        if (!member) return std::move(member).fault();
        auto number = read_number(**member);
        if (!number) return std::move(number).fault();
        *into = *std::move(number);
    }
    for (const auto& [key, into] : {std::pair{"coefficients", &fit.coefficients}, {"residuals", &fit.residuals}}) {
        auto numbers = read_numbers(json, key);
        if (!numbers) return std::move(numbers).fault();
        *into = *std::move(numbers);
    }
    auto variances = read_reals(json, "unscaled_variances");
    if (!variances) return std::move(variances).fault();
    fit.unscaled_variances = *std::move(variances);
    auto left_out = read_reals(json, "left_out");
    if (!left_out) return std::move(left_out).fault();
    for (const double t : *left_out) {
        if (!(t >= 0) || t >= static_cast<double>(fit.terms.size())) return damaged("a term that was left out is none");
        fit.left_out.push_back(static_cast<std::size_t>(t));
    }
    if (fit.coefficients.size() != fit.terms.size() || fit.unscaled_variances.size() != fit.terms.size() + 1)
        return damaged("there is not one weight a term");
    for (const auto& w : fit.coefficients)
        if (w.is_exact() != fit.intercept.is_exact()) return damaged("some weights are fractions and some are not");
    return ModelPtr(std::make_shared<const LinearModel>(*std::move(schema), *rows, *std::move(kind), std::move(fit)));
}

}  // namespace credence::rt
