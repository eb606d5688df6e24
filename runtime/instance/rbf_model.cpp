#include "runtime/instance/rbf_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/text.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

Matrix rbf_activations(const Matrix& points, const Matrix& centers, std::span<const double> widths, bool bias) {
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

Matrix rbf_weighted(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t c = 0; c < b.columns; ++c) out(i, c) += a(i, k) * b(k, c);
    return out;
}

std::vector<RbfOutput> rbf_output_units(std::vector<Field> fields) {
    std::vector<RbfOutput> out;
    std::size_t units = 0;
    for (auto& f : fields) {
        const std::size_t count = f.kind == ColumnKind::label ? f.domain->size() : 1;
        out.push_back({std::move(f), units, count});
        units += count;
    }
    return out;
}

Status RbfNetwork::measure() {
    auto fitted = TRY(Coordinates::fit(schema, {.table = measured.get(), .rows = {}}, scaling, row_weights));
    coordinates.emplace(std::move(fitted));
    for (const auto& t : coordinates->terms()) parts.columns.push_back(t.name);
    return Done{};
}

void RbfNetwork::finish(Matrix weights) {
    solution = std::move(weights);
    parts.weights = Matrix(solution.columns, solution.rows);
    for (std::size_t k = 0; k < solution.rows; ++k)
        for (std::size_t c = 0; c < solution.columns; ++c) parts.weights(c, k) = solution(k, c);
}

Matrix RbfNetwork::activations(const TableView& view) const {
    return rbf_activations(coordinates->scaled(coordinates->raw(view)), scaled_centers, parts.widths, bias);
}

namespace {

using NetworkPtr = std::shared_ptr<const RbfNetwork>;

Json saved_network(const RbfNetwork& net) {
    Json out{{"schema", saved(net.schema)},
             {"rows", net.rows},
             {"bias", net.bias},
             {"scale", name_of(net.scaling)},
             {"measured", saved(*net.measured)},
             {"weights", saved(std::span<const double>(net.row_weights))},
             {"centers", saved(net.parts.centers)},
             {"widths", saved(std::span<const double>(net.parts.widths))},
             {"solution", saved(net.solution)}};
    if (net.parts.outputs.size() > 1) {
        Schema outputs;
        for (const auto& o : net.parts.outputs) outputs.features.push_back(o.field);
        outputs.target = outputs.features.front();
        outputs.features.erase(outputs.features.begin());
        out.set("outputs", saved(outputs));
    }
    return out;
}

/// An output for the one row: the bias and what each centre adds.
void tell_output(const RbfNetwork& net, const TableView& rows, std::size_t output, const std::string& name, DerivationWriter& out) {
    const Matrix a = net.activations(rows);
    out.formula(
        fmt::format("{} = bias + sum of weight * exp(-d^2 / (2 width^2)) over {}", name, counted(net.scaled_centers.rows, "centre")));
    std::vector<Parts> terms;
    double total = 0;
    for (std::size_t k = net.bias ? 0 : 1; k < a.columns; ++k) {
        Parts term = operand(Number::real(net.solution(k, output)));
        if (k > 0) append(term, {std::string(" * "), Number::real(a(0, k))});
        terms.push_back(std::move(term));
        total += net.solution(k, output) * a(0, k);
    }
    if (terms.size() <= longest_sum) {
        out.begin(joined(terms, " + "));
        out.result(Number::real(total));
    } else {
        out.note(fmt::format("{} = {:.6g}", name, total));
    }
}

/// Centres with their widths, then the weights of each output unit.
ModelParts shown_parts(const RbfNetwork& net) {
    const RbfParts& parts = net.parts;
    std::vector<std::string> names = numbered(parts.centers.rows);
    PartTable centers;
    centers.names("center", names);
    for (std::size_t c = 0; c < parts.centers.columns; ++c) {
        std::vector<double> column;
        for (std::size_t r = 0; r < parts.centers.rows; ++r) column.push_back(parts.centers(r, c));
        centers.numbers(parts.columns[c], column);
    }
    centers.numbers("width", parts.widths);
    names.insert(names.begin(), "bias");
    PartTable weights;
    weights.names("center", names);
    for (const auto& output : parts.outputs)
        for (std::size_t k = 0; k < output.count; ++k)
            weights.numbers(output.field.domain ? (*output.field.domain)[k].text() : output.field.name,
                            parts.weights.row(output.first + k));
    return {std::move(centers).part("centers"), std::move(weights).part("weights"), count_part("rows", net.rows)};
}

class RbfClassifier final : public Classifier {
public:
    explicit RbfClassifier(NetworkPtr net) : Classifier(net->schema, net->rows), net_(std::move(net)) {}
    std::string_view kind() const override { return "rbf_network"; }
    const RbfNetwork& network() const { return *net_; }
    ModelParts parts() const override { return shown_parts(*net_); }
    /// Outputs estimate P(label | row); what is below 0 counts as 0.
    Status probabilities(const TableView& rows, std::span<double> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        const std::size_t labels = schema_.target.domain->size();
        for (std::size_t i = 0; i < raw.rows; ++i) {
            double total = 0;
            for (const double y : raw.row(i).first(labels)) total += std::max(y, 0.0);
            for (std::size_t k = 0; k < labels; ++k)
                out[i * labels + k] = total > 0 ? std::max(raw(i, k), 0.0) / total : 1.0 / static_cast<double>(labels);
        }
        return Done{};
    }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        for (std::size_t i = 0; i < raw.rows; ++i) {
            const auto own = raw.row(i).first(schema_.target.domain->size());
            out[i] = static_cast<std::int32_t>(std::max_element(own.begin(), own.end()) - own.begin());
        }
        return Done{};
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        DerivationWriter out;
        for (std::size_t k = 0; k < schema_.target.domain->size(); ++k)
            tell_output(*net_, rows, k, fmt::format("output of {}", (*schema_.target.domain)[k].text()), out);
        out.note("P = the output as a share of all, those below 0 counting as 0");
        auto shares = Classifier::explain_prediction(rows, run);
        if (!shares) return shares;
        Derivation all = std::move(out).take();
        all.insert(all.end(), std::make_move_iterator(shares->begin()), std::make_move_iterator(shares->end()));
        return all;
    }
    Result<Json> save() const override { return saved_network(*net_); }

private:
    NetworkPtr net_;
};

class RbfRegressor final : public Regressor {
public:
    explicit RbfRegressor(NetworkPtr net) : Regressor(net->schema, net->rows), net_(std::move(net)) {}
    std::string_view kind() const override { return "rbf_network"; }
    const RbfNetwork& network() const { return *net_; }
    ModelParts parts() const override { return shown_parts(*net_); }
    Status predict(const TableView& rows, std::span<double> out, Run&) const override {
        const Matrix raw = net_->outputs(rows);
        for (std::size_t i = 0; i < raw.rows; ++i) out[i] = raw(i, 0);
        return Done{};
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run&) const override {
        DerivationWriter out;
        tell_output(*net_, rows, 0, schema_.target.name, out);
        return std::move(out).take();
    }
    Result<Json> save() const override { return saved_network(*net_); }

private:
    NetworkPtr net_;
};

const RbfNetwork& network_of(const Model& model) {
    if (const auto* c = dynamic_cast<const RbfClassifier*>(&model)) return c->network();
    return dynamic_cast<const RbfRegressor&>(model).network();
}

}  // namespace

ModelPtr rbf_model(NetworkPtr net) {
    if (net->schema.target.kind == ColumnKind::label) return std::make_shared<const RbfClassifier>(std::move(net));
    return std::make_shared<const RbfRegressor>(std::move(net));
}

const RbfParts& rbf_parts(const Model& model) { return network_of(model).parts; }

std::vector<double> rbf_outputs(const Model& model, const TableView& row) { return network_of(model).outputs(row).values; }

Result<ModelPtr> load_rbf_network(const Json& json) {
    auto net = std::make_shared<RbfNetwork>();
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto scale = TRY(read_text(json, "scale"));
    auto measured = TRY(read_table(json, "measured"));
    auto weights = TRY(read_reals(json, "weights"));
    auto centers = TRY(read_matrix(json, "centers"));
    auto widths = TRY(read_reals(json, "widths"));
    auto solution = TRY(read_matrix(json, "solution"));
    const auto scaling = scaling_named(scale);
    if (!scaling) return damaged("there is no such scale");
    const bool fits = measured->columns.size() == schema.features.size() + 1;
    if (!fits) return damaged("the stored rows do not fit the columns");
    for (std::size_t c = 0; c < schema.features.size(); ++c)
        if (measured->columns[c]->kind != schema.features[c].kind || measured->columns[c]->missing_count() > 0)
            return damaged("the stored rows do not fit the columns");
    net->bias = json.flag("bias", true);
    net->scaling = *scaling;
    net->schema = std::move(schema);
    net->rows = rows;
    if (!weights.empty() && weights.size() != measured->row_count) return damaged("there is not one weight for each row");
    net->measured = std::move(measured);
    net->row_weights = std::move(weights);
    TRY(net->measure());
    std::vector<Field> fields{net->schema.target};
    if (json.contains("outputs")) {
        auto more = TRY(read_schema(json, "outputs"));
        fields.insert(fields.end(), more.features.begin(), more.features.end());
    }
    net->parts.outputs = rbf_output_units(std::move(fields));
    const std::size_t outputs = net->parts.outputs.back().first + net->parts.outputs.back().count;
    if (centers.columns != net->parts.columns.size() || widths.size() != centers.rows || solution.rows != centers.rows + 1 ||
        solution.columns != outputs)
        return damaged("the network's parts do not fit together");
    for (const double w : widths)
        if (!(w > 0)) return damaged("a width is invalid");
    net->parts.centers = std::move(centers);
    net->parts.widths = std::move(widths);
    net->scaled_centers = net->coordinates->scaled(net->parts.centers);
    net->finish(std::move(solution));
    return rbf_model(std::move(net));
}

}  // namespace credence::rt
