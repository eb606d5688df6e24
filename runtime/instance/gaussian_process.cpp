#include "runtime/instance/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/core/text.hpp"
#include "runtime/instance/coordinates.hpp"
#include "runtime/instance/gaussian_process_fit.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_rows = 5'000;  ///< the triangle of as many takes 200 MB, and some seconds

constexpr std::array<std::pair<std::string_view, GpKernel>, 3> kernels{
    {{"rbf", GpKernel::rbf}, {"matern32", GpKernel::matern32}, {"matern52", GpKernel::matern52}}};

std::string_view formula_of(GpKernel kernel) {
    if (kernel == GpKernel::matern32) return "k(x, x') = alpha^2 * (1 + sqrt(3) * r) * exp(-sqrt(3) * r), r = |x - x'| / rho";
    if (kernel == GpKernel::matern52) return "k(x, x') = alpha^2 * (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r), r = |x - x'| / rho";
    return "k(x, x') = alpha^2 * exp(-r^2 / 2), r = |x - x'| / rho";
}

/// What training and loading build up.
struct Process {
    Schema schema;
    TablePtr table;  ///< the complete rows, target last
    GpKernel kernel = GpKernel::rbf;
    AxisScale scaling = AxisScale::standard;
    std::optional<Coordinates> coordinates;
    double mean = 0;  ///< of the targets: the function varies about it
    GpRows rows;
    GpParameters parameters;
    GpFactor factor;

    Status measure() {
        const TableView all{.table = table.get(), .rows = {}};
        coordinates.emplace(TRY(Coordinates::fit(schema, all, scaling, rows.weights)));
        rows.points = coordinates->scaled(coordinates->raw(all));
        rows.targets = table->columns.back()->values;
        double total = 0;
        double sum = 0;
        for (std::size_t i = 0; i < rows.targets.size(); ++i) {
            const double w = rows.weights.empty() ? 1 : rows.weights[i];
            total += w;
            sum += w * rows.targets[i];
        }
        mean = sum / total;
        for (double& y : rows.targets) y -= mean;
        return Done{};
    }

    Status factorise(const Run& run) {
        auto f = TRY(gp_factor(rows, kernel, parameters, run));
        if (!f)
            return Fault{.code = "E-TRAIN",
                         .message = "the covariance of the rows is singular: rows are so close to each other that they say the same",
                         .hint = "give a larger sigma, or a smaller rho"};
        factor = *std::move(f);
        return Done{};
    }
};

struct Predicted {
    double mean;
    double variance;  ///< of the function
};

class GpModel final : public GaussianProcess {
public:
    explicit GpModel(Process process) : GaussianProcess(process.schema, process.table->row_count), p_(std::move(process)) {}

    std::string_view kind() const override { return "gp_regression"; }
    const GpParameters& parameters() const override { return p_.parameters; }
    double log_evidence() const override { return p_.factor.log_evidence; }

    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        const Matrix points = p_.coordinates->scaled(p_.coordinates->raw(rows));
        for (std::size_t i = 0; i < points.rows; ++i) {
            if (run.stopped()) return stopped_fault();
            out[i] = mean_at(gp_covariances(p_.rows, p_.kernel, p_.parameters, points.row(i)));
        }
        return Done{};
    }

    Result<DistributionPtr> distribution(const TableView& rows, Run&) const override {
        const Predicted at = predicted(rows);
        const double sigma = p_.parameters.sigma;
        return make_normal(Number::real(at.mean), Number::real(std::sqrt(at.variance + sigma * sigma)));
    }

    Result<std::pair<double, double>> interval(const TableView& row, double level, bool observation, Run&) const override {
        return ends(predicted(row), level, observation);
    }

    ModelParts parts() const override {
        PartTable lengths;
        std::vector<std::string> names{"all"};
        if (p_.parameters.rho.size() > 1) {
            names.clear();
            for (const auto& t : p_.coordinates->terms()) names.push_back(t.name);
        }
        ModelParts out{words_part("kernel", std::string(name_of(p_.kernel))), figure("alpha", p_.parameters.alpha)};
        if (names.size() == 1)
            out.push_back(figure("rho", p_.parameters.rho[0]));
        else
            out.push_back(std::move(lengths.names("column", names).numbers("rho", p_.parameters.rho)).part("lengths"));
        out.push_back(figure("sigma", p_.parameters.sigma));
        out.push_back(figure("mean", p_.mean));
        out.push_back(figure("log_evidence", log_evidence()));
        out.push_back(words_part("scale", std::string(name_of(p_.scaling)), true));
        out.push_back(count_part("rows", rows_seen()));
        return out;
    }

    Result<Derivation> explain_prediction(const TableView& row, Run&) const override {
        const Matrix points = p_.coordinates->scaled(p_.coordinates->raw(row));
        const auto k = gp_covariances(p_.rows, p_.kernel, p_.parameters, points.row(0));
        DerivationWriter out;
        out.formula(std::string(formula_of(p_.kernel)));
        out.formula("mean = m + sum of k(x, x_i) * a_i over the rows, a = (K + sigma^2 I)^-1 (y - m)");
        std::vector<Parts> terms{operand(Number::real(p_.mean))};
        for (std::size_t i = 0; i < k.size() && k.size() <= longest_sum; ++i) {
            Parts term = operand(Number::real(k[i]));
            append(term, {std::string(" * "), Number::real(p_.factor.pull[i])});
            terms.push_back(std::move(term));
        }
        const Predicted at = predicted(row);
        if (k.size() <= longest_sum) {
            out.begin(joined(terms, " + "));
            out.result(Number::real(at.mean));
        } else {
            out.note(fmt::format("mean = {:.6g}", at.mean));
        }
        const double sigma = p_.parameters.sigma;
        out.formula("variance of the function = alpha^2 - k' (K + sigma^2 I)^-1 k; an observation adds sigma^2");
        out.note(fmt::format("sd of the function {:.6g}, of an observation {:.6g}", std::sqrt(at.variance),
                             std::sqrt(at.variance + sigma * sigma)));
        return std::move(out).take();
    }

    Residuals residuals() const override {
        Residuals out{.target = schema_.target.name, .values = {}, .fitted = {}, .feature = {}, .inputs = {}, .sigma = p_.parameters.sigma};
        for (std::size_t i = 0; i < p_.rows.targets.size(); ++i) {
            out.fitted.push_back(mean_at(gp_covariances(p_.rows, p_.kernel, p_.parameters, p_.rows.points.row(i))));
            out.values.push_back(p_.mean + p_.rows.targets[i] - out.fitted.back());
        }
        if (schema_.features.size() > 1 || schema_.features[0].kind != ColumnKind::numeric) return out;
        out.feature = schema_.features[0].name;
        out.inputs = p_.table->columns[0]->values;
        constexpr std::size_t steps = 200;
        const auto [least, most] = std::minmax_element(out.inputs.begin(), out.inputs.end());
        Matrix raw(steps + 1, 1);
        for (std::size_t i = 0; i <= steps; ++i) raw(i, 0) = *least + (*most - *least) * static_cast<double>(i) / steps;
        const Matrix points = p_.coordinates->scaled(raw);
        for (std::size_t i = 0; i <= steps; ++i) {
            const auto [low, high] = ends(predicted(points.row(i)), 0.95, true);
            out.grid.push_back(raw(i, 0));
            out.curve.push_back((low + high) / 2);
            out.low.push_back(low);
            out.high.push_back(high);
        }
        return out;
    }

    Derivation explain_training() const {
        DerivationWriter out;
        out.formula("y = m + f(x) + noise, f a Gaussian process with covariance k, noise ~ normal(0, sigma)");
        out.formula(std::string(formula_of(p_.kernel)));
        out.formula("ln P(y) = -1/2 (y - m)' C^-1 (y - m) - 1/2 ln |C| - n/2 ln 2 pi, C = K + sigma^2 I");
        double squares = 0;
        for (std::size_t i = 0; i < p_.rows.targets.size(); ++i) squares += p_.rows.targets[i] * p_.factor.pull[i];
        double determinant = 0;
        for (std::size_t i = 0; i < p_.factor.lower.rows; ++i) determinant += 2 * std::log(p_.factor.lower(i, i));
        out.note(fmt::format("m = {:.6g}, alpha = {:.6g}, rho = {}, sigma = {:.6g}", p_.mean, p_.parameters.alpha, lengths_text(),
                             p_.parameters.sigma));
        out.note(fmt::format("(y - m)' C^-1 (y - m) = {:.6g}, ln |C| = {:.6g}, n = {}", squares, determinant, rows_seen()));
        out.note(fmt::format("ln P(y) = {:.6g}", log_evidence()));
        return std::move(out).take();
    }

    Result<Json> save() const override {
        return Json{{"schema", saved(schema_)},
                    {"table", saved(*p_.table)},
                    {"weights", saved(std::span<const double>(p_.rows.weights))},
                    {"kernel", name_of(p_.kernel)},
                    {"scale", name_of(p_.scaling)},
                    {"alpha", p_.parameters.alpha},
                    {"rho", saved(std::span<const double>(p_.parameters.rho))},
                    {"sigma", p_.parameters.sigma}};
    }

private:
    double mean_at(std::span<const double> covariances) const {
        return p_.mean + std::inner_product(covariances.begin(), covariances.end(), p_.factor.pull.begin(), 0.0);
    }

    Predicted predicted(const TableView& row) const { return predicted(p_.coordinates->scaled(p_.coordinates->raw(row)).row(0)); }

    Predicted predicted(std::span<const double> point) const {
        auto k = gp_covariances(p_.rows, p_.kernel, p_.parameters, point);
        const double mean = mean_at(k);
        double explained = 0;
        const Matrix& lower = p_.factor.lower;
        for (std::size_t i = 0; i < k.size(); ++i) {  // L z = k
            const auto before = lower.row(i).first(i);
            k[i] = (k[i] - std::inner_product(before.begin(), before.end(), k.begin(), 0.0)) / lower(i, i);
            explained += k[i] * k[i];
        }
        return {mean, std::max(0.0, p_.parameters.alpha * p_.parameters.alpha - explained)};
    }

    std::pair<double, double> ends(const Predicted& at, double level, bool observation) const {
        const double noise = observation ? p_.parameters.sigma : 0;
        const double reach = normal_quantile((1 + level) / 2, (1 - level) / 2) * std::sqrt(at.variance + noise * noise);
        return {at.mean - reach, at.mean + reach};
    }

    std::string lengths_text() const {
        std::vector<std::string> out;
        for (const double r : p_.parameters.rho) out.push_back(fmt::format("{:.6g}", r));
        return joined(out, ", ");
    }

    Process p_;
};

class GpLearner final : public Learner {
public:
    explicit GpLearner(GpOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "gp_regression"; }
    TargetKind target() const override { return TargetKind::number; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        if (rows.size() > most_rows)
            return Fault{.code = "E-COST",
                         .message = fmt::format("gp_regression works with all pairs of rows, and {} are too many (at most {})", rows.size(),
                                                most_rows),
                         .hint = "train on a part of them: sample 2000 from t, or use lwr()"};
        Process p;
        p.kernel = options_.kernel;
        p.scaling = options_.scaling;
        p.table = TRY(complete_table(rows, weights, run));
        if (p.table->columns.size() < 2) return Fault{.code = "E-TRAIN", .message = "gp_regression needs a column besides the target"};
        p.schema = schema_with_fills({.table = p.table.get(), .rows = {}}, weights);
        p.rows.weights.assign(weights.begin(), weights.end());
        TRY(p.measure());
        p.parameters = TRY(gp_learned(p.rows, options_, run));
        TRY(p.factorise(run));
        return ModelPtr(std::make_shared<const GpModel>(std::move(p)));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        return dynamic_cast<const GpModel&>(fitted).explain_training();
    }

private:
    GpOptions options_;
};

bool all_positive(std::span<const double> xs) {
    return std::all_of(xs.begin(), xs.end(), [](double x) { return x > 0 && std::isfinite(x); });
}

}  // namespace

std::optional<GpKernel> gp_kernel_named(std::string_view name) {
    for (const auto& [word, kernel] : kernels)
        if (word == name) return kernel;
    return std::nullopt;
}

std::string_view name_of(GpKernel kernel) {
    return std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.second == kernel; })->first;
}

LearnerPtr make_gaussian_process(GpOptions options) { return std::make_shared<const GpLearner>(std::move(options)); }

Result<ModelPtr> load_gaussian_process(const Json& json) {
    Process p;
    p.schema = TRY(read_schema(json, "schema"));
    p.table = TRY(read_table(json, "table"));
    p.rows.weights = TRY(read_reals(json, "weights"));
    const auto kernel = gp_kernel_named(TRY(read_text(json, "kernel")));
    const auto scaling = scaling_named(TRY(read_text(json, "scale")));
    if (!kernel || !scaling) return damaged("there is no such kernel or scale");
    p.kernel = *kernel;
    p.scaling = *scaling;
    p.parameters.alpha = TRY(read_real(json, "alpha"));
    p.parameters.rho = TRY(read_reals(json, "rho"));
    p.parameters.sigma = TRY(read_real(json, "sigma"));
    const bool fits = p.table->columns.size() == p.schema.features.size() + 1 && p.table->row_count > 0 &&
                      p.table->row_count <= most_rows && p.table->columns.back()->kind == ColumnKind::numeric &&
                      (p.rows.weights.empty() || p.rows.weights.size() == p.table->row_count);
    if (!fits) return damaged("the stored rows do not fit the columns");
    for (std::size_t c = 0; c < p.schema.features.size(); ++c)
        if (p.table->columns[c]->kind != p.schema.features[c].kind || p.table->columns[c]->missing_count() > 0)
            return damaged("the stored rows do not fit the columns");
    TRY(p.measure());
    const double single[] = {p.parameters.alpha, p.parameters.sigma};
    if (!all_positive(single) || !all_positive(p.parameters.rho) || !all_positive(p.rows.weights) ||
        (p.parameters.rho.size() != 1 && p.parameters.rho.size() != p.rows.points.columns))
        return damaged("alpha, rho, sigma or a weight is out of range");
    Run run;
    TRY(p.factorise(run));
    return ModelPtr(std::make_shared<const GpModel>(std::move(p)));
}

}  // namespace credence::rt
