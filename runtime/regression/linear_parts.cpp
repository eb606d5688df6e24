// What linear models show: the table of their weights, and how well they fit.

#include <algorithm>
#include <cmath>

#include "runtime/core/special.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/regression/bayes_regression.hpp"
#include "runtime/regression/residuals.hpp"

namespace credence::rt {

namespace {

std::vector<std::string> term_names(const RegressionFit& fit) {
    std::vector<std::string> out{"intercept"};
    for (const auto& term : fit.terms) out.push_back(term.name);
    return out;
}

std::vector<double> reals_of(std::span<const Number> numbers) {
    std::vector<double> out;
    for (const auto& n : numbers) out.push_back(n.real());
    return out;
}

/// Smallest, quartiles, largest: as R's summary of a fit has them.
ModelPart residual_part(const RegressionFit& fit) {
    std::vector<double> sorted;
    for (const auto& r : fit.residuals) sorted.push_back(r.real());
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(sorted.size() - 1);
        const auto low = static_cast<std::size_t>(place);
        const std::size_t high = std::min(low + 1, sorted.size() - 1);
        return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
    };
    PartTable out;
    for (const auto& [name, share] :
         std::initializer_list<std::pair<const char*, double>>{{"min", 0}, {"q25", 0.25}, {"median", 0.5}, {"q75", 0.75}, {"max", 1}})
        out.numbers(name, std::vector<double>{at(share)});
    return std::move(out).part("residuals", true);
}

/// F of all terms together against none, and the probability of one as large by chance.
void add_f_test(const RegressionFit& fit, double r2, ModelParts& out) {
    const double terms = static_cast<double>(fit.terms.size() - fit.left_out.size());
    const double degrees = fit.degrees.real();
    if (!(terms > 0) || !(r2 < 1)) return;
    const double f = r2 / terms / ((1 - r2) / degrees);
    out.push_back(figure("F", f, true));
    const double whole = terms * f + degrees;
    out.push_back(figure("p_of_F", beta_lower(degrees / 2, terms / 2, degrees / whole, terms * f / whole), true));
}

}  // namespace

/// √ of the residual variance is named as the member is; degrees are those of the t test.
ModelParts LinearModel::parts() const {
    ModelParts out;
    const auto errors = standard_errors();
    const double degrees = fit_.degrees.real();
    const bool tested =
        degrees > 0 && std::all_of(errors.begin(), errors.end(), [](double e) { return std::isfinite(e); }) && fit_.sigma() > 0;
    const bool normal = fit_.noise.kind == Noise::Kind::normal;
    PartTable weights;
    weights.names("term", term_names(fit_)).numbers("weight", reals_of(fit_.weights));
    if (tested) {
        std::vector<double> shown;
        std::vector<double> t;
        std::vector<double> p;
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const bool left_out = !(errors[i] > 0);
            shown.push_back(left_out ? missing_value : errors[i]);
            t.push_back(fit_.weights[i].real() / shown[i]);
            p.push_back(left_out ? missing_value
                                 : 2 * (normal ? student_t_lower(degrees, -std::abs(t[i])) : normal_lower(-std::abs(t[i]))));
        }
        weights.numbers("standard_error", shown);
        // Ridge pulls weights towards 0: its t would test nothing.
        if (fit_.penalty.is_zero()) weights.numbers(normal ? "t" : "z", t).numbers("p", p);
    }
    out.push_back(std::move(weights).part("weights"));
    const auto r2 = fit_.r2();
    if (r2) out.push_back({"r2", Number::real(r2->real())});
    out.push_back(figure("sigma", sigma()));
    if (tested) out.push_back({"degrees", fit_.degrees.is_exact() ? fit_.degrees : Number::real(degrees)});
    out.push_back(count_part("rows", rows_seen_));
    if (!fit_.residuals.empty()) out.push_back(residual_part(fit_));
    if (r2 && tested && normal && fit_.penalty.is_zero()) {
        const double n = fit_.rows.real();
        out.push_back(figure("adjusted_r2", 1 - (1 - r2->real()) * (n - 1) / degrees, true));
        add_f_test(fit_, r2->real(), out);
    }
    if (std::isfinite(fit_.log_likelihood)) out.push_back(figure("log_likelihood", fit_.log_likelihood, true));
    return out;
}

std::optional<Residuals> residuals_of(const Model& model) {
    const auto* linear = dynamic_cast<const LinearModel*>(&model);
    if (!linear) return std::nullopt;
    const auto& fit = linear->fit();
    Residuals out{.target = linear->schema().target.name,
                  .values = reals_of(fit.residuals),
                  .fitted = fit.fitted,
                  .feature = {},
                  .inputs = fit.inputs,
                  .sigma = linear->sigma()};
    if (!fit.inputs.empty()) out.feature = linear->schema().features.front().name;
    return out;
}

ModelParts BayesRegression::parts() const {
    std::vector<double> mean;
    std::vector<double> sd;
    std::vector<double> low;
    std::vector<double> high;
    for (std::size_t i = 0; i < fit().weights.size(); ++i) {
        const auto d = weight(i);
        const auto quantile = [&](const Rational& level) {
            const auto q = d ? (*d)->quantile(Number(level)) : Result<Number>(d.fault());
            return q ? q->real() : missing_value;
        };
        const auto variance = d ? (*d)->variance() : Result<Outcome>(d.fault());
        const auto* v = variance ? std::get_if<Number>(&*variance) : nullptr;
        mean.push_back(fit().weights[i].real());
        sd.push_back(v ? std::sqrt(v->real()) : missing_value);
        low.push_back(quantile({1, 20}));
        high.push_back(quantile({19, 20}));
    }
    ModelParts out;
    PartTable weights;
    weights.names("term", term_names(fit())).numbers("mean", mean).numbers("sd", sd).numbers("q5", low).numbers("q95", high);
    out.push_back(std::move(weights).part("weights"));
    out.push_back(figure("sigma", sigma()));
    out.push_back(count_part("rows", rows_seen()));
    if (const auto r2 = fit().r2()) out.push_back(figure("r2", r2->real(), true));
    if (const auto log = log_evidence()) out.push_back(figure("log_evidence", *log, true));
    return out;
}

}  // namespace credence::rt
