#include "runtime/regression/bayes_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr double log_two_pi = 1.8378770664093453;

Fault no_spread() {
    return {.code = "E-UNDEFINED",
            .message = "the noise cannot be estimated: there are no more rows than free weights, or the rows lie exactly on the plane",
            .hint = "give a sigma, or a shape and rate of its prior"};
}

/// The posterior for rows and penalties; the rows are kept, so that more can be learned.
Result<ModelPtr> posterior_of(const BayesOptions& options, std::vector<Number> penalties, const Observed& data, Schema schema, Run& run) {
    RegressionFit fit = TRY(least_squares_fit(data, penalties, run));
    TRY(within_range(fit, data));
    remember_rows(data, fit);
    auto kept = TRY(take_rows(*data.table, data.rows));
    note_left_out(fit, run);
    return ModelPtr(std::make_shared<const BayesRegression>(std::move(schema), options, std::move(penalties), std::move(kept), data.weights,
                                                            std::move(fit)));
}

class BayesLearner final : public Learner {
public:
    explicit BayesLearner(BayesOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "bayes_regression"; }
    TargetKind target() const override { return TargetKind::number; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto data = TRY(observe_noting(rows, weights, options_.degree, options_.products, run));
        auto penalties = penalties_of(data, options_.penalty, options_.intercept_lambda, run);
        return posterior_of(options_, std::move(penalties), data, schema_of(*rows.table), run);
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return dynamic_cast<const BayesRegression&>(fitted).explain_training();
    }

private:
    BayesOptions options_;
};

}  // namespace

BayesRegression::BayesRegression(Schema schema, BayesOptions options, std::vector<Number> penalties, TablePtr data,
                                 std::vector<double> weights, RegressionFit fit)
    : LinearModel(std::move(schema), data->row_count, "bayes_regression", std::move(fit)),
      options_(std::move(options)),
      penalties_(std::move(penalties)),
      data_(std::move(data)),
      row_weights_(std::move(weights)) {
    const Number half(Rational(1, 2));
    shape_ = options_.shape + half * (this->fit().rows - Number(static_cast<int>(flat())));
    rate_ = options_.rate + half * (this->fit().squared_error + this->fit().penalty);
}

std::size_t BayesRegression::flat() const {
    std::size_t out = 0;
    for (std::size_t j = 0; j < penalties_.size(); ++j) {
        const bool left_out = j > 0 && std::binary_search(fit().left_out.begin(), fit().left_out.end(), j - 1);
        out += penalties_[j].sign() == 0 && !left_out ? 1 : 0;
    }
    return out;
}

double BayesRegression::sigma() const {
    if (options_.sigma) return options_.sigma->real();
    return shape_.sign() > 0 ? std::sqrt((rate_ / shape_).real()) : 0.0;
}

std::vector<double> BayesRegression::standard_errors() const {
    std::vector<double> out;
    for (const double v : fit().unscaled_variances) out.push_back(sigma() * std::sqrt(v));
    return out;
}

Result<DistributionPtr> BayesRegression::around(const Number& mean, double unscaled_variance) const {
    const Number spread = Number::real(sigma() * std::sqrt(unscaled_variance));
    if (options_.sigma) return make_normal(mean, spread);
    if (!(shape_.sign() > 0) || !(rate_.sign() > 0)) return no_spread();
    return make_student_t(Number(2) * shape_, mean, spread);
}

Result<DistributionPtr> BayesRegression::weight(std::size_t coefficient) const {
    const double v = fit().unscaled_variances[coefficient];
    if (!(v > 0))
        return Fault{.code = "E-UNDEFINED",
                     .message = fmt::format("{} is determined by the columns before it, and its prior is flat: it has no posterior",
                                            fit().terms[coefficient - 1].name),
                     .hint = "give a lambda above 0"};
    return around(fit().weights[coefficient], v);
}

Result<DistributionPtr> BayesRegression::precision() const {
    if (options_.sigma)
        return Fault{.code = "E-UNDEFINED",
                     .message = fmt::format("sigma was given as {}, so it is not learned", label_text(*options_.sigma))};
    if (!(shape_.sign() > 0) || !(rate_.sign() > 0)) return no_spread();
    return make_gamma(shape_, rate_);
}

Result<DistributionPtr> BayesRegression::predictive(const TableView& row, IntervalOf of) const {
    Run none;
    return around(mean_at(row, none), leverage(row) + (of == IntervalOf::observation ? 1.0 : 0.0));
}

Result<DistributionPtr> BayesRegression::distribution(const TableView& rows, Run&) const {
    return predictive(rows, IntervalOf::observation);
}

Result<std::pair<double, double>> BayesRegression::interval(const TableView& row, double level, IntervalOf of, Run&) const {
    auto d = TRY(predictive(row, of));
    auto high = TRY(d->quantile(Number::real((1 + level) / 2)));
    return std::pair(2 * prediction(row) - high.real(), high.real());
}

Result<double> BayesRegression::log_evidence() const {
    const RegressionFit& f = fit();
    double prior = 0;
    for (std::size_t j = 0; j < penalties_.size(); ++j) {
        const bool left_out = j > 0 && std::binary_search(f.left_out.begin(), f.left_out.end(), j - 1);
        if (left_out) continue;
        if (penalties_[j].sign() > 0)
            prior += 0.5 * penalties_[j].log();
        else if (j > 0)
            return Fault{
                .code = "E-UNDEFINED",
                .message = fmt::format("the prior of {} is flat: it spreads over all numbers, and the evidence is 0", f.terms[j - 1].name),
                .hint = "give a lambda above 0"};
    }
    const double left = f.rows.real() - static_cast<double>(flat());
    const double volume = prior - 0.5 * f.log_determinant;
    if (options_.sigma) {
        const double s = options_.sigma->real();
        return volume - left / 2 * (log_two_pi + 2 * std::log(s)) - (f.squared_error + f.penalty).real() / (2 * s * s);
    }
    if (!(shape_.sign() > 0) || !(rate_.sign() > 0)) return no_spread();
    const double a0 = options_.shape.real();
    const double b0 = options_.rate.real();
    const double before = a0 > 0 && b0 > 0 ? a0 * std::log(b0) - log_gamma(a0) : 0;  // improper: a constant that all models share
    return volume - left / 2 * log_two_pi + before + log_gamma(shape_.real()) - shape_.real() * rate_.log();
}

Result<double> BayesRegression::log_bayes_factor(const BayesRegression& a, const BayesRegression& b) {
    const Column& ya = *a.data_->columns[*a.data_->target];
    const Column& yb = *b.data_->columns[*b.data_->target];
    if (ya.values != yb.values || a.row_weights_ != b.row_weights_)
        return Fault{.code = "E-UNDEFINED",
                     .message = "the models learned from different targets: their evidence cannot be compared",
                     .hint = "train both on the same rows"};
    const auto improper = [](const BayesRegression& m) {
        return std::pair(m.penalties_[0].sign() == 0, !m.options_.sigma && !(m.options_.shape.sign() > 0 && m.options_.rate.sign() > 0));
    };
    if (improper(a) != improper(b))
        return Fault{.code = "E-UNDEFINED",
                     .message = "one of the models has a prior that is flat where the other's is not: their evidence cannot be compared",
                     .hint = "give both the same intercept_lambda, sigma, shape and rate"};
    auto first = TRY(a.log_evidence());
    auto second = TRY(b.log_evidence());
    return first - second;
}

Result<ModelPtr> BayesRegression::update(const TableView& rows, std::span<const double> weights, Run& run) const {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < rows.size(); ++i) numbers.push_back(static_cast<std::uint32_t>(rows.row(i)));
    auto more = TRY(take_rows(*rows.table, numbers));
    auto all = TRY(concat(*data_, *more));
    std::vector<double> all_weights = row_weights_;
    if (!row_weights_.empty() || !weights.empty()) {
        all_weights.resize(data_->row_count, 1.0);
        for (std::size_t i = 0; i < rows.size(); ++i) all_weights.push_back(weights.empty() ? 1.0 : weights[i]);
    }
    auto data = TRY(observe_noting({.table = all.get(), .rows = {}}, all_weights, options_.degree, options_.products, run));
    if (data.terms.size() + 1 != penalties_.size())
        return Fault{.code = "E-TRAIN",
                     .message = "the rows have labels that were not seen in training, so the model has no weights for them"};
    return posterior_of(options_, penalties_, data, schema_, run);
}

Derivation BayesRegression::explain_training() const {
    const RegressionFit& f = fit();
    DerivationWriter out;
    out.formula(options_.penalty.standard ? "prior: w ~ normal(0, sigma / (sqrt(lambda) * sd of the column)), lambda of each weight:"
                                          : "prior: w ~ normal(0, sigma / sqrt(lambda)), lambda of each weight:");
    std::string lambdas = penalties_[0].sign() == 0 ? "  intercept: flat" : fmt::format("  intercept: {:.6g}", penalties_[0].real());
    for (std::size_t t = 0; t < f.terms.size() && t < longest_sum; ++t)
        lambdas += penalties_[t + 1].sign() == 0 ? fmt::format(", {}: flat", f.terms[t].name)
                                                 : fmt::format(", {}: {:.6g}", f.terms[t].name, penalties_[t + 1].real());
    out.note(std::move(lambdas));
    out.formula("posterior: precision X'X + lambda, mean (X'X + lambda)^-1 X'y: the weights of ridge");
    for (std::size_t j = 0; j < f.weights.size() && j < longest_sum; ++j) {
        auto d = weight(j);
        const std::string name = j == 0 ? "intercept" : f.terms[j - 1].name;
        if (!d) continue;
        const double spread = sigma() * std::sqrt(f.unscaled_variances[j]);
        out.note(options_.sigma
                     ? fmt::format("w[{}] ~ normal({:.6g}, {:.6g})", name, f.weights[j].real(), spread)
                     : fmt::format("w[{}] ~ student_t({:.6g}, {:.6g}, {:.6g})", name, 2 * shape_.real(), f.weights[j].real(), spread));
    }
    if (!options_.sigma) {
        out.formula("1 / sigma^2 ~ gamma(shape + (n - flat weights) / 2, rate + (sum of e^2 + sum of lambda * w^2) / 2)");
        out.note(fmt::format("1 / sigma^2 ~ gamma({:.6g}, {:.6g})", shape_.real(), rate_.real()));
    }
    if (auto evidence = log_evidence())
        out.note(fmt::format("ln P(D) = {:.6g}: the evidence, averaged over weights and noise level", *evidence));
    return std::move(out).take();
}

Result<Json> BayesRegression::save() const {
    Json out{{"schema", saved(schema_)},
             {"fit", saved(fit())},
             {"data", saved(*data_)},
             {"row_weights", saved(std::span<const double>(row_weights_))},
             {"penalties", saved(std::span<const Number>(penalties_))},
             {"degree", options_.degree},
             {"products", options_.products == Products::all},
             {"standard", options_.penalty.standard},
             {"lambda", saved(options_.penalty.lambda)},
             {"intercept_lambda", saved(options_.intercept_lambda)},
             {"shape", saved(options_.shape)},
             {"rate", saved(options_.rate)}};
    if (options_.sigma) out.set("sigma", saved(*options_.sigma));
    return out;
}

Result<ModelPtr> load_bayes_regression(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto fit = TRY(read_fit(json, "fit", schema));
    auto data = TRY(read_table(json, "data"));
    auto row_weights = TRY(read_reals(json, "row_weights"));
    auto penalties = TRY(read_numbers(json, "penalties"));
    auto degree = TRY(read_count(json, "degree"));
    BayesOptions options;
    options.degree = degree;
    for (const auto& [key, into] : {std::pair{"products", static_cast<bool*>(nullptr)}, {"standard", &options.penalty.standard}}) {
        auto flag = TRY(read_member(json, key));
        if (!flag->is_boolean()) return damaged(fmt::format("'{}' is neither true nor false", key));
        if (into)
            *into = flag->boolean();
        else
            options.products = flag->boolean() ? Products::all : Products::none;
    }
    for (const auto& [key, into] : {std::pair{"lambda", &options.penalty.lambda},
                                    {"intercept_lambda", &options.intercept_lambda},
                                    {"shape", &options.shape},
                                    {"rate", &options.rate}}) {
        auto member = TRY(read_member(json, key));
        auto number = TRY(read_number(*member));
        *into = std::move(number);
    }
    if (json.contains("sigma")) {
        auto sigma = TRY(read_number(*json.find("sigma")));
        if (!(sigma.real() > 0)) return damaged("'sigma' is not above 0");
        options.sigma = std::move(sigma);
    }
    const bool fits = penalties.size() == fit.weights.size() && data->target && data->row_count > 0 &&
                      data->columns[*data->target]->kind == ColumnKind::numeric && data->columns.size() == schema.features.size() + 1 &&
                      (row_weights.empty() || row_weights.size() == data->row_count);
    if (!fits) return damaged("rows, columns and weights do not fit together");
    return ModelPtr(std::make_shared<const BayesRegression>(std::move(schema), std::move(options), std::move(penalties), std::move(data),
                                                            std::move(row_weights), std::move(fit)));
}

LearnerPtr make_bayes_regression(BayesOptions options) { return std::make_shared<const BayesLearner>(std::move(options)); }

}  // namespace credence::rt
