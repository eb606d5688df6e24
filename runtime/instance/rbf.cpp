#include "runtime/instance/rbf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/instance/coordinates.hpp"
#include "runtime/instance/rbf_centers.hpp"
#include "runtime/prob/derivation.hpp"
#include "runtime/prob/saved.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_centers = 2'000;

/// exp(−|x − c|²/2σ²) of each centre, behind a one for the bias.
Matrix activations(const Matrix& points, const Matrix& centers, std::span<const double> widths, bool bias) {
    Matrix out(points.rows, centers.rows + 1);
    for (std::size_t i = 0; i < points.rows; ++i) {
        out(i, 0) = bias ? 1 : 0;
        for (std::size_t k = 0; k < centers.rows; ++k) {
            double sum = 0;
            for (std::size_t c = 0; c < points.columns; ++c) sum += (points(i, c) - centers(k, c)) * (points(i, c) - centers(k, c));
            out(i, k + 1) = std::exp(-sum / (2 * widths[k] * widths[k]));
        }
    }
    return out;
}

Matrix solve(const Matrix& activation, const Matrix& outputs, std::span<const double> row_weights) {
    if (row_weights.empty()) return minimum_norm_least_squares(activation, outputs);
    Matrix a = activation;
    Matrix b = outputs;
    for (std::size_t i = 0; i < a.rows; ++i) {
        const double root = std::sqrt(row_weights[i]);
        for (double& x : a.row(i)) x *= root;
        for (double& x : b.row(i)) x *= root;
    }
    return minimum_norm_least_squares(a, b);
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t c = 0; c < b.columns; ++c) out(i, c) += a(i, k) * b(k, c);
    return out;
}

Matrix rows_of(const Matrix& m, std::span<const std::size_t> rows) {
    Matrix out(rows.size(), m.columns);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy(m.row(rows[i]).begin(), m.row(rows[i]).end(), out.row(i).begin());
    return out;
}

/// The network proper; models for labels and for numbers hold it.
struct Network {
    RbfOptions options;
    Schema schema;
    std::size_t rows = 0;
    std::optional<Coordinates> coordinates;
    RbfParts parts;
    Matrix scaled_centers;
    Matrix solution;    ///< (1 + centres) × outputs
    TablePtr measured;  ///< what the coordinates were measured on
    std::vector<double> row_weights;

    Matrix outputs(const TableView& view) const {
        const Matrix points = coordinates->scaled(coordinates->raw(view));
        return product(activations(points, scaled_centers, parts.widths, options.bias), solution);
    }
};
using NetworkPtr = std::shared_ptr<const Network>;

/// The one width for all centres whose held-out error is least: factors of the typical distance between nearest centres.
double cross_validated_width(const Matrix& points, const Matrix& targets, std::span<const double> row_weights, const Matrix& centers,
                             bool centers_are_rows, bool bias, Rng rng) {
    const auto near = nearest_center_widths(centers, 1);
    const double typical = std::accumulate(near.begin(), near.end(), 0.0) / static_cast<double>(near.size());
    const std::size_t n = points.rows;
    const std::size_t folds = std::min<std::size_t>(5, n);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    double best = typical;
    double least = std::numeric_limits<double>::infinity();
    for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
        double error = 0;
        for (std::size_t fold = 0; fold < folds; ++fold) {
            std::vector<std::size_t> kept;
            std::vector<std::size_t> held;
            std::vector<double> weights;
            for (std::size_t i = 0; i < n; ++i) {
                (i % folds == fold ? held : kept).push_back(order[i]);
                if (i % folds != fold && !row_weights.empty()) weights.push_back(row_weights[order[i]]);
            }
            if (kept.empty()) continue;
            const Matrix inner = centers_are_rows ? rows_of(points, kept) : centers;
            const std::vector<double> widths(inner.rows, factor * typical);
            const Matrix solution = solve(activations(rows_of(points, kept), inner, widths, bias), rows_of(targets, kept), weights);
            const Matrix guess = product(activations(rows_of(points, held), inner, widths, bias), solution);
            for (std::size_t i = 0; i < held.size(); ++i)
                for (std::size_t c = 0; c < targets.columns; ++c) {
                    const double e = guess(i, c) - targets(held[i], c);
                    error += e * e * (row_weights.empty() ? 1 : row_weights[held[i]]);
                }
        }
        if (error < least) {
            least = error;
            best = factor * typical;
        }
    }
    return best;
}

class RbfClassifier final : public Classifier {
public:
    explicit RbfClassifier(NetworkPtr net) : Classifier(net->schema, net->rows), net_(std::move(net)) {}
    std::string_view kind() const override { return "rbf_network"; }
    const Network& network() const { return *net_; }
    /// Outputs estimate P(label | row); what is below 0 counts as 0.
    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        for (std::size_t i = 0; i < raw.rows; ++i) {
            double total = 0;
            for (const double y : raw.row(i)) total += std::max(y, 0.0);
            for (std::size_t k = 0; k < raw.columns; ++k)
                out[i * raw.columns + k] = total > 0 ? std::max(raw(i, k), 0.0) / total : 1.0 / static_cast<double>(raw.columns);
        }
        return Done{};
    }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        for (std::size_t i = 0; i < raw.rows; ++i)
            out[i] = static_cast<std::int32_t>(std::max_element(raw.row(i).begin(), raw.row(i).end()) - raw.row(i).begin());
        return Done{};
    }
    Result<Json> save() const override;

private:
    NetworkPtr net_;
};

class RbfRegressor final : public Regressor {
public:
    explicit RbfRegressor(NetworkPtr net) : Regressor(net->schema, net->rows), net_(std::move(net)) {}
    std::string_view kind() const override { return "rbf_network"; }
    const Network& network() const { return *net_; }
    Status predict(const TableView& rows, std::span<double> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        for (std::size_t i = 0; i < raw.rows; ++i) out[i] = raw(i, 0);
        return Done{};
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        const Matrix points = net_->coordinates->scaled(net_->coordinates->raw(rows));
        const Matrix a = activations(points, net_->scaled_centers, net_->parts.widths, net_->options.bias);
        DerivationWriter out;
        out.formula(fmt::format("{} = bias + sum of weight * exp(-d^2 / (2 width^2)) over {} centres", schema_.target.name,
                                net_->scaled_centers.rows));
        std::vector<Parts> terms;
        double total = 0;
        for (std::size_t k = net_->options.bias ? 0 : 1; k < a.columns; ++k) {
            Parts term = operand(Number::real(net_->solution(k, 0)));
            if (k > 0) append(term, {std::string(" * "), Number::real(a(0, k))});
            terms.push_back(std::move(term));
            total += net_->solution(k, 0) * a(0, k);
        }
        if (terms.size() <= longest_sum) {
            out.begin(joined(terms, " + "));
            out.result(Number::real(total));
        } else {
            out.note(fmt::format("{} = {:.6g}", schema_.target.name, total));
        }
        return std::move(out).take();
    }
    Result<Json> save() const override;

private:
    NetworkPtr net_;
};

Json saved_network(const Network& net) {
    return {{"schema", saved(net.schema)},
            {"rows", net.rows},
            {"bias", net.options.bias},
            {"scale", name_of(net.options.scaling)},
            {"measured", saved(*net.measured)},
            {"weights", saved(std::span<const double>(net.row_weights))},
            {"centers", saved(net.parts.centers)},
            {"widths", saved(std::span<const double>(net.parts.widths))},
            {"solution", saved(net.solution)}};
}

Result<Json> RbfClassifier::save() const { return saved_network(*net_); }
Result<Json> RbfRegressor::save() const { return saved_network(*net_); }

ModelPtr model_of(NetworkPtr net) {
    if (net->schema.target.kind == ColumnKind::label) return std::make_shared<const RbfClassifier>(std::move(net));
    return std::make_shared<const RbfRegressor>(std::move(net));
}

Status complete(Network& net) {
    auto coordinates = Coordinates::fit(net.schema, {.table = net.measured.get(), .rows = {}}, net.options.scaling, net.row_weights);
    if (!coordinates) return std::move(coordinates).fault();
    net.coordinates.emplace(*std::move(coordinates));
    for (const auto& t : net.coordinates->terms()) net.parts.columns.push_back(t.name);
    return Done{};
}

void finish(Network& net) {
    net.parts.weights = Matrix(net.solution.columns, net.solution.rows);
    for (std::size_t k = 0; k < net.solution.rows; ++k)
        for (std::size_t c = 0; c < net.solution.columns; ++c) net.parts.weights(c, k) = net.solution(k, c);
}

class RbfLearner final : public Learner {
public:
    explicit RbfLearner(RbfOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "rbf_network"; }
    TargetKind target() const override { return TargetKind::either; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        if (rows.table->columns.size() < 2)
            return Fault{.code = "E-TRAIN", .message = "rbf_network needs a column beside the target to measure distances in"};
        std::vector<std::uint32_t> kept;
        auto data = complete_table(rows, kept, run);
        if (!data) return std::move(data).fault();
        std::vector<double> used;
        for (const auto i : kept)
            if (!weights.empty()) used.push_back(weights[i]);
        auto net = std::make_shared<Network>();
        net->options = options_;
        net->measured = *data;
        net->row_weights = used;
        net->schema = schema_of(**data);
        net->rows = (*data)->row_count;
        Status done = complete(*net);
        if (!done) return std::move(done).fault();
        const TableView view{.table = data->get(), .rows = {}};
        const Matrix raw = net->coordinates->raw(view);
        auto centers = centers_of(raw, run);
        if (!centers) return std::move(centers).fault();
        net->parts.centers = *std::move(centers);
        net->scaled_centers = net->coordinates->scaled(net->parts.centers);
        const Matrix points = net->coordinates->scaled(raw);
        const Matrix targets = targets_of(*(*data)->columns.back());
        if (options_.width == RbfOptions::Width::given) net->parts.widths.assign(net->scaled_centers.rows, options_.size);
        if (options_.width == RbfOptions::Width::per_center) net->parts.widths = nearest_center_widths(net->scaled_centers, options_.size);
        if (options_.width == RbfOptions::Width::cross_validation)
            net->parts.widths.assign(net->scaled_centers.rows, cross_validated_width(points, targets, used, net->scaled_centers,
                                                                                     !options_.count && options_.centers.empty(),
                                                                                     options_.bias, run.rng.child("width")));
        if (run.stopped()) return stopped_fault();
        net->solution = solve(activations(points, net->scaled_centers, net->parts.widths, options_.bias), targets, used);
        finish(*net);
        return model_of(std::move(net));
    }

private:
    Result<Matrix> centers_of(const Matrix& raw, Run& run) const {
        const auto too_many = [](std::size_t n) {
            return Fault{.code = "E-COST",
                         .message = fmt::format("{} centres are too many for one least-squares problem (at most {})", n, most_centers),
                         .hint = "centers: 200, place: em"};
        };
        if (!options_.centers.empty()) {
            Matrix out(options_.centers.size(), raw.columns);
            for (std::size_t k = 0; k < out.rows; ++k) {
                if (options_.centers[k].size() != raw.columns)
                    return Fault{
                        .code = "E-PARAMETER",
                        .message = fmt::format("centre {} has {} number{}, and the columns make {}", k + 1, options_.centers[k].size(),
                                               options_.centers[k].size() == 1 ? "" : "s", raw.columns)};
                std::copy(options_.centers[k].begin(), options_.centers[k].end(), out.row(k).begin());
            }
            return out;
        }
        if (!options_.count) {
            if (raw.rows > most_centers) return too_many(raw.rows);
            return raw;
        }
        std::size_t n = *options_.count;
        if (n > most_centers) return too_many(n);
        if (options_.place != RbfOptions::Place::uniform && n > raw.rows) {
            if (run.note) run.note(fmt::format("centers is {}, and there are {} rows: each is a centre", n, raw.rows));
            n = raw.rows;
        }
        if (options_.place == RbfOptions::Place::random) return random_centers(raw, n, run.rng.child("centers"));
        if (options_.place == RbfOptions::Place::em) return em_centers(raw, n, run.rng.child("centers"));
        Matrix out = grid_centers(raw, n);
        if (out.rows < n && run.note) run.note(fmt::format("the largest even grid of at most {} centres has {}", n, out.rows));
        return out;
    }
    static Matrix targets_of(const Column& target) {
        if (target.kind == ColumnKind::numeric) {
            Matrix out(target.values.size(), 1);
            out.values = target.values;
            return out;
        }
        Matrix out(target.codes.size(), target.domain->size());
        for (std::size_t i = 0; i < out.rows; ++i) out(i, static_cast<std::size_t>(target.codes[i])) = 1;
        return out;
    }
    RbfOptions options_;
};

}  // namespace

LearnerPtr make_rbf_network(RbfOptions options) { return std::make_shared<const RbfLearner>(std::move(options)); }

const RbfParts& rbf_parts(const Model& model) {
    if (const auto* c = dynamic_cast<const RbfClassifier*>(&model)) return c->network().parts;
    return dynamic_cast<const RbfRegressor&>(model).network().parts;
}

Result<ModelPtr> load_rbf_network(const Json& json) {
    auto net = std::make_shared<Network>();
    auto schema = read_schema(json, "schema");
    if (!schema) return std::move(schema).fault();
    auto rows = read_count(json, "rows");
    if (!rows) return std::move(rows).fault();
    auto scale = read_text(json, "scale");
    if (!scale) return std::move(scale).fault();
    auto measured = read_table(json, "measured");
    if (!measured) return std::move(measured).fault();
    auto weights = read_reals(json, "weights");
    if (!weights) return std::move(weights).fault();
    auto centers = read_matrix(json, "centers");
    if (!centers) return std::move(centers).fault();
    auto widths = read_reals(json, "widths");
    if (!widths) return std::move(widths).fault();
    auto solution = read_matrix(json, "solution");
    if (!solution) return std::move(solution).fault();
    const auto scaling = scaling_named(*scale);
    if (!scaling) return damaged("there is no such scale");
    const bool fits = (*measured)->columns.size() == schema->features.size() + 1;
    if (!fits) return damaged("the stored rows do not fit the columns");
    for (std::size_t c = 0; c < schema->features.size(); ++c)
        if ((*measured)->columns[c]->kind != schema->features[c].kind || (*measured)->columns[c]->missing_count() > 0)
            return damaged("the stored rows do not fit the columns");
    net->options.bias = json.value("bias", true);
    net->options.scaling = *scaling;
    net->schema = *std::move(schema);
    net->rows = *rows;
    if (!weights->empty() && weights->size() != (*measured)->row_count) return damaged("there is not one weight a row");
    net->measured = *std::move(measured);
    net->row_weights = *std::move(weights);
    Status done = complete(*net);
    if (!done) return std::move(done).fault();
    const std::size_t outputs = net->schema.target.kind == ColumnKind::label ? net->schema.target.domain->size() : 1;
    if (centers->columns != net->parts.columns.size() || widths->size() != centers->rows || solution->rows != centers->rows + 1 ||
        solution->columns != outputs)
        return damaged("the network's parts do not fit together");
    for (const double w : *widths)
        if (!(w > 0)) return damaged("a width is none");
    net->parts.centers = *std::move(centers);
    net->parts.widths = *std::move(widths);
    net->solution = *std::move(solution);
    net->scaled_centers = net->coordinates->scaled(net->parts.centers);
    finish(*net);
    return model_of(std::move(net));
}

}  // namespace credence::rt
