// gaussian_mixture and k_means, and how many components or clusters there are.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/latent/gaussian_mixture.hpp"
#include "runtime/latent/k_means.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "stdlib/latent/latent.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

namespace {

const Words covariance_words = {"full", "diagonal", "spherical", "tied"};

/// Rows of numbers: lists of equal length, or plain numbers where there is one column.
std::optional<rt::Matrix> points_in(const Value& value) {
    const List* items = value.items();
    if (!items || items->empty()) return std::nullopt;
    rt::Matrix out;
    out.rows = items->size();
    for (const auto& item : *items) {
        std::vector<double> row;
        if (const auto* n = item.get<rt::Number>()) row.push_back(n->real());
        if (const List* parts = item.items())
            for (const auto& part : *parts)
                if (const auto* n = part.get<rt::Number>()) row.push_back(n->real());
        const std::size_t expected = item.items() ? item.items()->size() : 1;
        if (row.empty() || row.size() != expected || (out.columns != 0 && row.size() != out.columns)) return std::nullopt;
        if (std::any_of(row.begin(), row.end(), [](double x) { return !std::isfinite(x); })) return std::nullopt;
        out.columns = row.size();
        out.values.insert(out.values.end(), row.begin(), row.end());
    }
    return out;
}

Fault bad_start(CallContext& c, std::size_t parameter, std::string message) {
    return {.code = "E-PARAMETER",
            .message = std::move(message),
            .origin = c.argument(parameter),
            .hint = "as in init: [0, 5] for one column, init: [[0, 0], [5, 5]] for two, or a trained model"};
}

/// Weights from 0 on that sum to one.
Result<std::vector<double>> weights_in(CallContext& c, const Numbers& given, std::size_t k, std::size_t parameter) {
    std::vector<double> out;
    double sum = 0;
    for (const auto& n : given.values) {
        out.push_back(n.real());
        sum += n.real();
        if (!(n.real() > 0))
            return Fault{.code = "E-PARAMETER", .message = "the weights of components are above 0", .origin = c.argument(parameter)};
    }
    if (out.size() != k)
        return Fault{
            .code = "E-PARAMETER", .message = fmt::format("{} weights for {} components", out.size(), k), .origin = c.argument(parameter)};
    if (std::abs(sum - 1) > 1e-9)
        return Fault{.code = "E-SUM", .message = fmt::format("the weights sum to {:.6g}, not to 1", sum), .origin = c.argument(parameter)};
    for (double& w : out) w /= sum;
    return out;
}

Result<rt::GaussianStart> start_in(CallContext& c, const Value& given, std::size_t k, std::size_t parameter) {
    rt::GaussianStart out;
    if (const auto* m = given.get<ModelValue>()) {
        const auto* model = dynamic_cast<const rt::GaussianMixtureModel*>(m->model.get());
        if (!model || model->mixture().weights.size() != k)
            return bad_start(c, parameter, fmt::format("init is a gaussian_mixture of {} components, or their means", k));
        return rt::GaussianStart{model->mixture().means, model->mixture().covariances, model->mixture().weights};
    }
    auto means = points_in(given);
    if (!means || means->rows != k)
        return bad_start(c, parameter, fmt::format("init is a list of {} means: numbers, or lists with one number for each column", k));
    out.means = *std::move(means);
    return out;
}

Value rows_value(const rt::Matrix& m) {
    List out;
    for (std::size_t r = 0; r < m.rows; ++r) out.push_back(m.columns == 1 ? number_value(m(r, 0)) : numbers_value(m.row(r)));
    return Value::list(std::move(out));
}

Value matrix_value(const rt::Matrix& m) {
    if (m.rows == 1) return number_value(m(0, 0));
    List out;
    for (std::size_t r = 0; r < m.rows; ++r) out.push_back(numbers_value(m.row(r)));
    return Value::list(std::move(out));
}

/// In the shape of the kind: matrices, variances by column, one variance; of tied components one for all.
Value covariances_value(const rt::GaussianMixture& m) {
    if (m.kind == rt::CovarianceKind::tied) return matrix_value(m.covariances[0]);
    List out;
    for (const auto& covariance : m.covariances) {
        if (m.kind == rt::CovarianceKind::full) out.push_back(matrix_value(covariance));
        if (m.kind == rt::CovarianceKind::spherical) out.push_back(number_value(covariance(0, 0)));
        if (m.kind == rt::CovarianceKind::diagonal) {
            std::vector<double> diagonal;
            for (std::size_t j = 0; j < covariance.rows; ++j) diagonal.push_back(covariance(j, j));
            out.push_back(diagonal.size() == 1 ? number_value(diagonal[0]) : numbers_value(diagonal));
        }
    }
    return Value::list(std::move(out));
}

double bic_of(const rt::GaussianMixture& m) { return -2 * m.log_likelihood() + static_cast<double>(m.free_parameters) * std::log(m.rows); }
double aic_of(const rt::GaussianMixture& m) { return -2 * m.log_likelihood() + 2 * static_cast<double>(m.free_parameters); }

void add_gaussian_members(Registry& r) {
    const auto member = [&](const char* name, const char* summary, const char* example, auto function) {
        r.add_member("gaussian_mixture", bind({subject::mixtures, name, {{"m"}}, summary, example}, +function));
    };
    member("means", "The mean of each component: a number, or a list with one for each column.", "count(cloud.means) == 2",
           [](CallContext&, ModelValue m) -> Result<Value> {
               return rows_value(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture().means);
           });
    member("weights", "The weight of each component.", "abs(sum(cloud.weights) - 1) < 1e-12",
           [](CallContext&, ModelValue m) -> Result<Value> {
               return numbers_value(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture().weights);
           });
    member("covariances",
           "The covariance of each component: a matrix (full), a variance for each column (diagonal) or one variance (spherical). For tied "
           "it is a single matrix. With one column, they are variances.",
           "count(cloud.covariances) == 2", [](CallContext&, ModelValue m) -> Result<Value> {
               return covariances_value(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture());
           });
    member("history", "The log-likelihood after each iteration. It never falls.", "nondecreasing(cloud.history)",
           [](CallContext&, ModelValue m) -> Result<Value> {
               return numbers_value(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture().history);
           });
    member("log_likelihood", "ln P(data) of the training data.", "cloud.log_likelihood == max(cloud.history)",
           [](CallContext&, ModelValue m) -> Result<Value> {
               return number_value(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture().log_likelihood());
           });
    member("bic", "The Bayesian information criterion -2 ln P(data) + parameters * ln(rows): the smaller the better.",
           "abs(cloud.bic - (5 * ln(6) - 2 * cloud.log_likelihood)) < 1e-9", [](CallContext&, ModelValue m) -> Result<Value> {
               return number_value(bic_of(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture()));
           });
    member("aic", "Akaike's information criterion -2 ln P(data) + 2 * parameters: the smaller the better.",
           "abs(cloud.aic - (10 - 2 * cloud.log_likelihood)) < 1e-9", [](CallContext&, ModelValue m) -> Result<Value> {
               return number_value(aic_of(dynamic_cast<const rt::GaussianMixtureModel&>(*m.model).mixture()));
           });
}

void add_gaussian_mixture(Registry& r) {
    r.add_learner(bind(
        {subject::mixtures,
         "gaussian_mixture",
         {{"k", "2"},
          {"covariance", "full", covariance_words},
          {"sd", "none"},
          {"weights", "learned"},
          {"init", "k-means++"},
          {"restarts", "5"},
          {"iterations", "500"},
          {"tolerance", "1e-9"},
          {"regularise", "1e-6"}},
         "A mixture of k normals over the numeric columns, learned by EM. `sd` is a known standard deviation and `weights` are known "
         "weights. `init` gives means or a model to start from. `regularise` is the smallest variance in any direction, as a share of the "
         "variance of the data.",
         "sum((train gaussian_mixture(k: 2) on [1, 2, 3, 8, 9, 10]).weights) - 1 < 1e-12"},
        +[](CallContext& c, std::optional<Count> k, std::optional<Choice> covariance, std::optional<Positive> sd,
            std::optional<Numbers> weights, std::optional<Value> init, std::optional<Count> restarts, std::optional<Count> iterations,
            std::optional<rt::Number> tolerance, std::optional<Positive> regularise) -> Result<Value> {
            rt::GaussianMixtureOptions options;
            options.k = k ? k->value : 2;
            if (options.k == 0 || options.k > 10'000)
                return Fault{.code = "E-PARAMETER", .message = "k is a number of components from 1 to 10,000", .origin = c.argument(0)};
            if (covariance) options.kind = *rt::covariance_kind(covariance->text);
            if (sd) options.sd = sd->value.real();
            if (sd && covariance && covariance->text != "spherical")
                return Fault{.code = "E-PARAMETER",
                             .message = "with a known sd the covariance is spherical",
                             .origin = c.argument(1),
                             .hint = "leave one of the two out"};
            if (weights) { options.weights = TRY(weights_in(c, *weights, options.k, 3)); }
            if (init) { options.init = TRY(start_in(c, *init, options.k, 4)); }
            if (restarts) options.restarts = std::max<std::size_t>(1, restarts->value);
            if (iterations) options.iterations = std::max<std::size_t>(1, iterations->value);
            if (tolerance) options.tolerance = std::max(0.0, tolerance->real());
            if (regularise) options.regularise = regularise->value.real();
            return learner_value(rt::make_gaussian_mixture(std::move(options)));
        }));
    add_gaussian_members(r);
    r.add_loader("gaussian_mixture", rt::load_gaussian_mixture);
}

void add_k_means(Registry& r) {
    using V = Value;
    r.add_learner(bind(
        {subject::mixtures,
         "k_means",
         {{"k", "2"}, {"init", "k-means++"}, {"restarts", "10"}, {"iterations", "300"}},
         "Groups the rows around k centres; each row belongs to the nearest one. It is the limit of a mixture of equal spherical normals "
         "as their spread goes to 0.",
         "(train k_means(k: 2) on [1, 2, 3, 8, 9, 10]).centers == [2, 9]"},
        +[](CallContext& c, std::optional<Count> k, std::optional<V> init, std::optional<Count> restarts,
            std::optional<Count> iterations) -> Result<V> {
            rt::KMeansSettings settings;
            settings.k = k ? k->value : 2;
            if (settings.k == 0 || settings.k > 100'000)
                return Fault{.code = "E-PARAMETER", .message = "k is a number of clusters from 1 to 100,000", .origin = c.argument(0)};
            if (init) {
                settings.init = points_in(*init);
                if (!settings.init || settings.init->rows != settings.k)
                    return bad_start(
                        c, 1, fmt::format("init is a list of {} centres: numbers, or lists with one number for each column", settings.k));
            }
            if (restarts) settings.restarts = std::max<std::size_t>(1, restarts->value);
            if (iterations) settings.iterations = std::max<std::size_t>(1, iterations->value);
            return learner_value(rt::make_k_means(std::move(settings)));
        }));
    const auto member = [&](const char* name, const char* summary, const char* example, auto function) {
        r.add_member("k_means", bind({subject::mixtures, name, {{"m"}}, summary, example}, +function));
    };
    member("centers", "The centre of each cluster: a number, or a list with one for each column.",
           "(train k_means(k: 2) on [1, 3, 8, 10]).centers == [2, 9]", [](CallContext&, ModelValue m) -> Result<V> {
               return rows_value(dynamic_cast<const rt::KMeansModel&>(*m.model).fit().centers);
           });
    member("sizes", "How many rows each cluster has.", "(train k_means(k: 2) on [1, 3, 8]).sizes == [2, 1]",
           [](CallContext&, ModelValue m) -> Result<V> {
               List out;
               for (const double n : dynamic_cast<const rt::KMeansModel&>(*m.model).fit().sizes)
                   out.push_back(n == std::floor(n) ? V(rt::Number(rt::Rational(static_cast<std::int64_t>(n)))) : number_value(n));
               return V::list(std::move(out));
           });
    member("inertia", "The sum of the squared distances of the rows from their nearest centre.",
           "abs((train k_means(k: 2) on [1, 3, 8, 10]).inertia - 4) < 1e-9", [](CallContext&, ModelValue m) -> Result<V> {
               return number_value(dynamic_cast<const rt::KMeansModel&>(*m.model).fit().inertia());
           });
    member("history", "The inertia after each iteration. It never rises.",
           "nondecreasing(reverse((train k_means() on [1, 3, 8, 10]).history))", [](CallContext&, ModelValue m) -> Result<V> {
               return numbers_value(dynamic_cast<const rt::KMeansModel&>(*m.model).fit().history);
           });
    r.add_loader("k_means", rt::load_k_means);
}

// --- how many ---------------------------------------------------------------------------------------------------------------

rt::ColumnPtr numbers_column(std::string name, std::vector<double> values, bool real) {
    auto out = std::make_shared<rt::Column>();
    out->name = std::move(name);
    out->kind = rt::ColumnKind::numeric;
    out->values = std::move(values);
    out->real = real;
    return out;
}

Result<rt::TablePtr> data_in(CallContext& c, const Value& data) {
    if (const auto* table = data.get<rt::TablePtr>()) return *table;
    const List* items = data.items();
    rt::ColumnBuilder column("x");
    for (std::size_t i = 0; items && i < items->size(); ++i) {
        const auto label = (*items)[i].as_label();
        if (!label || !label->number()) items = nullptr;
        if (items) column.add(*label);
    }
    if (!items || items->empty())
        return Fault{.code = "E-TYPE", .message = "data are a table or a list of numbers", .origin = c.argument(0)};
    auto built = TRY(std::move(column).finish());
    auto out = std::make_shared<rt::Table>();
    out->row_count = items->size();
    out->columns.push_back(std::move(built));
    return rt::TablePtr(std::move(out));
}

Result<std::vector<std::size_t>> counts_in(CallContext& c, const Numbers& ks) {
    std::vector<std::size_t> out;
    for (const auto& n : ks.values) {
        const auto whole = n.is_exact() ? n.exact().to_int64() : std::nullopt;
        if (!whole || *whole < 1 || *whole > 10'000)
            return Fault{.code = "E-PARAMETER",
                         .message = "the numbers to try are whole numbers, 1 or more",
                         .origin = c.argument(1),
                         .hint = "as in 1..6"};
        out.push_back(static_cast<std::size_t>(*whole));
    }
    if (out.empty()) return Fault{.code = "E-PARAMETER", .message = "there is no number to try", .origin = c.argument(1)};
    return out;
}

Result<rt::ModelPtr> fitted(CallContext& c, const rt::Learner& learner, const rt::Table& table) {
    rt::Run run = c.run();
    run.rng = c.rng().child("train");
    run.note = {};  // a collapse at one of many k is not worth a note
    auto model = rt::train(learner, {.table = &table, .rows = {}}, {}, run);
    if (model) return model;
    Fault fault = std::move(model).fault();
    if (fault.origin == rt::Origin::none) fault.origin = c.argument(0);
    return fault;
}

Value chosen(std::size_t k, rt::ModelPtr model, rt::Table table) {
    Record out;
    out.entries.emplace_back("k", Value(rt::Number(rt::Rational(static_cast<std::int64_t>(k)))));
    out.entries.emplace_back("table", Value(Value::Node(std::make_shared<const rt::Table>(std::move(table)))));
    out.entries.emplace_back("model", Value(Value::Node(ModelValue{std::move(model), {}})));
    return Value::record(std::move(out));
}

/// The point of a falling curve farthest below the line between its ends.
std::size_t elbow_at(std::span<const std::size_t> ks, std::span<const double> heights) {
    const std::size_t n = ks.size();
    const double width = static_cast<double>(ks[n - 1]) - static_cast<double>(ks[0]);
    std::size_t best = 0;
    double farthest = 0;
    for (std::size_t i = 0; i < n && width > 0; ++i) {
        const double share = (static_cast<double>(ks[i]) - static_cast<double>(ks[0])) / width;
        const double below = heights[0] + share * (heights[n - 1] - heights[0]) - heights[i];
        if (below > farthest) {
            farthest = below;
            best = i;
        }
    }
    return best;
}

void add_choosing_components(Registry& r) {
    r.add(bind(
        {subject::mixtures,
         "choose_components",
         {{"data"}, {"k"}, {"score", "bic", {"bic", "aic"}}, {"covariance", "full", covariance_words}},
         "Fits a gaussian_mixture for each of the given numbers of components and picks the one with the lowest BIC or AIC. The result is "
         ".k, .model, and .table with the scores.",
         "choose_components([1, 2, 2, 3, 8, 9, 9, 10], 1..2).k == 2"},
        +[](CallContext& c, Value data, Numbers ks, std::optional<Choice> score, std::optional<Choice> covariance) -> Result<Value> {
            auto table = TRY(data_in(c, data));
            auto counts = TRY(counts_in(c, ks));
            std::vector<double> tried, free, logs, bics, aics;
            rt::ModelPtr best;
            std::size_t best_k = 0;
            double least = INFINITY;
            for (const auto k : counts) {
                rt::GaussianMixtureOptions options;
                options.k = k;
                if (covariance) options.kind = *rt::covariance_kind(covariance->text);
                auto model = TRY(fitted(c, *rt::make_gaussian_mixture(options), *table));
                const auto& m = dynamic_cast<const rt::GaussianMixtureModel&>(*model).mixture();
                tried.push_back(static_cast<double>(k));
                free.push_back(static_cast<double>(m.free_parameters));
                logs.push_back(m.log_likelihood());
                bics.push_back(bic_of(m));
                aics.push_back(aic_of(m));
                const double now = score && score->text == "aic" ? aics.back() : bics.back();
                if (now < least) {
                    least = now;
                    best = model;
                    best_k = k;
                }
            }
            rt::Table out;
            out.row_count = tried.size();
            out.columns = {numbers_column("k", tried, false), numbers_column("parameters", free, false),
                           numbers_column("log_likelihood", logs, true), numbers_column("bic", bics, true),
                           numbers_column("aic", aics, true)};
            return chosen(best_k, best, std::move(out));
        }));
}

void add_choosing_clusters(Registry& r) {
    r.add(bind(
        {subject::mixtures,
         "choose_clusters",
         {{"data"}, {"k"}},
         "Fits k_means for each of the given numbers of clusters and picks the elbow: where the inertia lies farthest below the line "
         "between the ends of its curve. The result is .k, .model, and .table with the curve.",
         "choose_clusters([1, 2, 2, 3, 8, 9, 9, 10], 1..4).k == 2"},
        +[](CallContext& c, Value data, Numbers ks) -> Result<Value> {
            auto table = TRY(data_in(c, data));
            auto counts = TRY(counts_in(c, ks));
            if (counts.size() < 3 || !std::is_sorted(counts.begin(), counts.end()))
                return Fault{.code = "E-PARAMETER",
                             .message = "an elbow needs at least three numbers of clusters, in ascending order",
                             .origin = c.argument(1),
                             .hint = "as in 1..8"};
            std::vector<double> tried, inertias;
            std::vector<rt::ModelPtr> models;
            for (const auto k : counts) {
                auto model = TRY(fitted(c, *rt::make_k_means({.k = k, .restarts = 10, .iterations = 300, .init = {}}), *table));
                tried.push_back(static_cast<double>(k));
                inertias.push_back(dynamic_cast<const rt::KMeansModel&>(*model).fit().inertia());
                models.push_back(std::move(model));
            }
            const std::size_t best = elbow_at(counts, inertias);
            rt::Table out;
            out.row_count = tried.size();
            out.columns = {numbers_column("k", tried, false), numbers_column("inertia", inertias, true)};
            return chosen(counts[best], models[best], std::move(out));
        }));
}

void add_choosing(Registry& r) {
    add_choosing_components(r);
    add_choosing_clusters(r);
}

}  // namespace

void add_clusters(Registry& r) {
    add_gaussian_mixture(r);
    add_k_means(r);
    add_choosing(r);
}

}  // namespace credence::std_
