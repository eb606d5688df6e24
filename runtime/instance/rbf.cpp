#include "runtime/instance/rbf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/minimum_norm.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/instance/rbf_centers.hpp"
#include "runtime/instance/rbf_model.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_centers = 2'000;

Result<Matrix> solve(const Matrix& activation, const Matrix& outputs, std::span<const double> row_weights, const Run& run) {
    if (row_weights.empty()) return minimum_norm_least_squares(activation, outputs, run);
    Matrix a = activation;
    Matrix b = outputs;
    for (std::size_t i = 0; i < a.rows; ++i) {
        const double root = std::sqrt(row_weights[i]);
        for (double& x : a.row(i)) x *= root;
        for (double& x : b.row(i)) x *= root;
    }
    return minimum_norm_least_squares(a, b, run);
}

Matrix rows_of(const Matrix& m, std::span<const std::size_t> rows) {
    Matrix out(rows.size(), m.columns);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy(m.row(rows[i]).begin(), m.row(rows[i]).end(), out.row(i).begin());
    return out;
}

/// The one width for all centres whose held-out error is least: factors of the typical distance between nearest centres.
Result<double> cross_validated_width(const Matrix& points, const Matrix& targets, std::span<const double> row_weights,
                                     const Matrix& centers, bool centers_are_rows, bool bias, Run& run) {
    Rng rng = run.rng.child("width");
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
            const Matrix activations = rbf_activations(rows_of(points, kept), inner, widths, bias);
            const auto solution = TRY(solve(activations, rows_of(targets, kept), weights, run));
            const Matrix guess = rbf_weighted(rbf_activations(rows_of(points, held), inner, widths, bias), solution);
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

class RbfLearner final : public Learner {
public:
    explicit RbfLearner(RbfOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return "rbf_network"; }
    TargetKind target() const override { return TargetKind::either; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto table = TRY(inputs_of(*rows.table));
        if (table->columns.size() < 2)
            return Fault{.code = "E-TRAIN", .message = "rbf_network needs a column besides the target to measure distances"};
        TableView inputs = rows;
        inputs.table = table.get();
        auto data = TRY(complete_table(inputs, weights, run));
        const std::vector<double> used(weights.begin(), weights.end());
        auto net = std::make_shared<RbfNetwork>();
        net->bias = options_.bias;
        net->scaling = options_.scaling;
        net->measured = data;
        net->row_weights = used;
        net->schema = schema_with_fills({.table = data.get(), .rows = {}}, weights);
        net->rows = data->row_count;
        TRY(net->measure());
        const Matrix raw = net->coordinates->raw({.table = data.get(), .rows = {}});
        net->parts.centers = TRY(centers_of(raw, run));
        net->scaled_centers = net->coordinates->scaled(net->parts.centers);
        const Matrix points = net->coordinates->scaled(raw);
        std::vector<Field> fields{net->schema.target};
        std::vector<ColumnPtr> columns{rows.table->columns[*rows.table->target]};
        for (const auto& name : options_.outputs) {
            columns.push_back(rows.table->columns[*rows.table->find(name)]);
            fields.push_back({name, columns.back()->kind, columns.back()->domain});
        }
        net->parts.outputs = rbf_output_units(std::move(fields));
        Matrix targets(net->rows, net->parts.outputs.back().first + net->parts.outputs.back().count);
        for (std::size_t o = 0; o < columns.size(); ++o) { TRY(fill_targets(*columns[o], net->parts.outputs[o].first, rows, targets)); }
        if (options_.width == RbfOptions::Width::given) net->parts.widths.assign(net->scaled_centers.rows, options_.size);
        if (!options_.widths.empty()) {
            if (options_.widths.size() != net->scaled_centers.rows)
                return Fault{.code = "E-PARAMETER",
                             .message = fmt::format("there are {} for {}", counted(options_.widths.size(), "width"),
                                                    counted(net->scaled_centers.rows, "centre"))};
            net->parts.widths = options_.widths;
        }
        if (options_.width == RbfOptions::Width::per_center) net->parts.widths = nearest_center_widths(net->scaled_centers, options_.size);
        if (options_.width == RbfOptions::Width::cross_validation) {
            const double width = TRY(cross_validated_width(points, targets, used, net->scaled_centers,
                                                           !options_.count && options_.centers.empty(), options_.bias, run));
            net->parts.widths.assign(net->scaled_centers.rows, width);
        }
        const Matrix activations = rbf_activations(points, net->scaled_centers, net->parts.widths, options_.bias);
        auto solution = TRY(solve(activations, targets, used, run));
        if (!std::all_of(solution.values.begin(), solution.values.end(), [](double w) { return std::isfinite(w); }))
            return Fault{.code = "E-RANGE",
                         .message = "the weights of the network are too large for a number",
                         .hint = "scale the target: its numbers come near the largest there are"};
        net->finish(std::move(solution));
        return rbf_model(std::move(net));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        const RbfParts& parts = rbf_parts(fitted);
        DerivationWriter out;
        out.formula("an output = bias + sum of weight * exp(-d^2 / (2 width^2)), the weights by least squares of least norm");
        for (const RbfOutput& output : parts.outputs)
            for (std::size_t o = output.first; o < output.first + output.count; ++o) {
                const bool label = output.field.kind == ColumnKind::label;
                out.note(label ? fmt::format("{} = {}, 1 for this label and 0 for others:", output.field.name,
                                             (*output.field.domain)[o - output.first].text())
                               : output.field.name + ":");
                out.note(fmt::format("  bias {:.6g}", parts.weights(o, 0)));
                for (std::size_t k = 0; k < parts.centers.rows; ++k) {
                    std::string at;
                    for (std::size_t c = 0; c < parts.columns.size(); ++c)
                        at += fmt::format("{}{} {:.6g}", c == 0 ? "" : ", ", parts.columns[c], parts.centers(k, c));
                    out.note(
                        fmt::format("  centre {} ({}): width {:.6g}, weight {:.6g}", k + 1, at, parts.widths[k], parts.weights(o, k + 1)));
                }
            }
        return std::move(out).take();
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
                    return Fault{.code = "E-PARAMETER",
                                 .message = fmt::format("centre {} has {}, and the columns make {}", k + 1,
                                                        counted(options_.centers[k].size(), "number"), raw.columns)};
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
        if (options_.place == RbfOptions::Place::em) return em_centers(raw, n, run.rng.child("centers"), run);
        Matrix out = grid_centers(raw, n);
        if (out.rows < n && run.note) run.note(fmt::format("the largest even grid of at most {} centres has {}", n, out.rows));
        return out;
    }
    /// The table without the further outputs.
    Result<TablePtr> inputs_of(const Table& table) const {
        const std::string& target = table.columns[*table.target]->name;
        for (const auto& name : options_.outputs)
            if (name == target) return Fault{.code = "E-PARAMETER", .message = fmt::format("{} is the target already", name)};
        return drop(table, options_.outputs);
    }
    /// A number as it is, a label as 1 in its own unit.
    static Status fill_targets(const Column& column, std::size_t first, const TableView& rows, Matrix& out) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t row = rows.row(i);
            if (column.is_missing(row))
                return Fault{.code = "E-MISSING", .message = fmt::format("{} has no value in row {}", column.name, row + 1)};
            if (column.kind == ColumnKind::numeric)
                out(i, first) = column.values[row];
            else
                out(i, first + static_cast<std::size_t>(column.codes[row])) = 1;
        }
        return Done{};
    }
    RbfOptions options_;
};

}  // namespace

LearnerPtr make_rbf_network(RbfOptions options) { return std::make_shared<const RbfLearner>(std::move(options)); }

}  // namespace credence::rt
