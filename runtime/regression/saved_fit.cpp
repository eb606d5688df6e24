// A fit as JSON, and back.

#include <algorithm>
#include <array>

#include "runtime/prob/models/saved.hpp"
#include "runtime/regression/linear_model.hpp"

namespace credence::rt {

namespace {

constexpr std::array noise_names = {"normal", "laplace", "student_t"};

Result<TermPart> read_part(const Json& item, const Schema& schema) {
    auto column = TRY(read_count(item, "column"));
    auto power = TRY(read_count(item, "power"));
    auto label = TRY(read_member(item, "label"));
    if (column >= schema.features.size() || !label->is_integer() || power == 0 || power > 1000) return damaged("a term names no column");
    const Field& field = schema.features[column];
    const auto code = label->integer();
    const bool fits = field.kind == ColumnKind::numeric
                          ? code == -1
                          : field.domain && code >= 0 && power == 1 && code < static_cast<std::int64_t>(field.domain->size());
    if (!fits) return damaged("a term names no label");
    return TermPart{column, static_cast<std::int32_t>(code), power};
}

Result<std::vector<Term>> read_terms(const Json& json, const Schema& schema) {
    auto list = TRY(read_member(json, "terms"));
    if (!list->is_array()) return damaged("'terms' is not a list");
    std::vector<Term> out;
    for (const auto& item : *list) {
        Term term;
        term.name = TRY(read_text(item, "name"));
        auto parts = TRY(read_member(item, "parts"));
        if (!parts->is_array() || parts->empty()) return damaged("a term has no parts");
        for (const auto& p : *parts) {
            auto part = TRY(read_part(p, schema));
            term.parts.push_back(part);
        }
        out.push_back(std::move(term));
    }
    return out;
}

Status read_noise(const Json& json, RegressionFit& fit) {
    auto name = TRY(read_text(json, "noise"));
    const auto at = std::find(noise_names.begin(), noise_names.end(), name);
    if (at == noise_names.end()) return damaged("'noise' is unknown");
    fit.noise.kind = static_cast<Noise::Kind>(at - noise_names.begin());
    if (fit.noise.kind == Noise::Kind::student_t && !(fit.noise.degrees.real() > 0)) return damaged("'noise_degrees' is not above 0");
    return Done{};
}

}  // namespace

Json saved(const RegressionFit& fit) {
    Json terms = Json::array();
    for (const auto& t : fit.terms) {
        Json parts = Json::array();
        for (const auto& p : t.parts) parts.push_back({{"column", p.column}, {"label", p.label}, {"power", p.power}});
        terms.push_back({{"name", t.name}, {"parts", std::move(parts)}});
    }
    return Json{{"terms", std::move(terms)},
                {"weights", saved(std::span<const Number>(fit.weights))},
                {"left_out", fit.left_out},
                {"residuals", saved(std::span<const Number>(fit.residuals))},
                {"fitted", saved(std::span<const double>(fit.fitted))},
                {"inputs", saved(std::span<const double>(fit.inputs))},
                {"squared_error", saved(fit.squared_error)},
                {"squared_total", saved(fit.squared_total)},
                {"absolute_error", saved(fit.absolute_error)},
                {"rows", saved(fit.rows)},
                {"degrees", saved(fit.degrees)},
                {"penalty", saved(fit.penalty)},
                {"unscaled_variances", saved(std::span<const double>(fit.unscaled_variances))},
                {"log_determinant", saved(Number::real(fit.log_determinant))},
                {"log_likelihood", saved(Number::real(fit.log_likelihood))},
                {"centre", saved(std::span<const double>(fit.basis.centre))},
                {"scales", saved(std::span<const double>(fit.basis.scale))},
                {"in_basis", saved(std::span<const double>(fit.in_basis))},
                {"covariance", saved(fit.covariance)},
                {"noise", noise_names[static_cast<std::size_t>(fit.noise.kind)]},
                {"noise_degrees", saved(fit.noise.degrees)},
                {"noise_scale", saved(Number::real(fit.scale))}};
}

Result<RegressionFit> read_fit(const Json& outer, const char* key, const Schema& schema) {
    auto found = TRY(read_member(outer, key));
    const Json& json = *found;
    RegressionFit fit;
    fit.terms = TRY(read_terms(json, schema));
    Number log_determinant;
    Number log_likelihood;
    Number scale;
    for (const auto& [name, into] : {std::pair{"squared_error", &fit.squared_error},
                                     {"squared_total", &fit.squared_total},
                                     {"absolute_error", &fit.absolute_error},
                                     {"rows", &fit.rows},
                                     {"degrees", &fit.degrees},
                                     {"penalty", &fit.penalty},
                                     {"noise_degrees", &fit.noise.degrees},
                                     {"log_determinant", &log_determinant},
                                     {"log_likelihood", &log_likelihood},
                                     {"noise_scale", &scale}}) {
        auto member = TRY(read_member(json, name));
        auto number = TRY(read_number(*member));
        *into = std::move(number);
    }
    fit.log_determinant = log_determinant.real();
    fit.log_likelihood = log_likelihood.real();
    fit.scale = scale.real();
    for (const auto& [name, into] : {std::pair{"weights", &fit.weights}, {"residuals", &fit.residuals}}) {
        auto numbers = TRY(read_numbers(json, name));
        *into = std::move(numbers);
    }
    std::vector<double> left_out;
    for (const auto& [name, into] : {std::pair{"unscaled_variances", &fit.unscaled_variances},
                                     {"centre", &fit.basis.centre},
                                     {"scales", &fit.basis.scale},
                                     {"in_basis", &fit.in_basis},
                                     {"left_out", &left_out}}) {
        auto reals = TRY(read_reals(json, name));
        *into = std::move(reals);
    }
    for (const auto& [name, into] : {std::pair{"fitted", &fit.fitted}, {"inputs", &fit.inputs}}) {
        if (!json.contains(name)) continue;  // a file of an earlier version
        auto reals = TRY(read_reals(json, name));
        if (!reals.empty() && reals.size() != fit.residuals.size()) return damaged("there is not one residual for each row");
        *into = std::move(reals);
    }
    if (!fit.inputs.empty() && schema.features.size() != 1) return damaged("the inputs are not those of one column");
    fit.covariance = TRY(read_matrix(json, "covariance"));
    for (const double t : left_out) {
        if (!(t >= 0) || t >= static_cast<double>(fit.terms.size())) return damaged("a term that was left out is invalid");
        fit.left_out.push_back(static_cast<std::size_t>(t));
    }
    const std::size_t p = fit.terms.size() + 1;
    if (fit.weights.size() != p || fit.unscaled_variances.size() != p || fit.in_basis.size() != p || fit.covariance.rows != p ||
        fit.covariance.columns != p)
        return damaged("there is not one weight for each term");
    if (fit.basis.centre.size() != fit.basis.scale.size() || (!fit.basis.is_raw() && fit.basis.centre.size() != schema.features.size()))
        return damaged("the basis does not fit the columns");
    if (!fit.is_exact() && std::any_of(fit.weights.begin(), fit.weights.end(), [](const Number& w) { return w.is_exact(); }))
        return damaged("some weights are fractions and some are not");
    TRY(read_noise(json, fit));
    return fit;
}

}  // namespace credence::rt
