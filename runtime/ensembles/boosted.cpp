#include "runtime/ensembles/boosted.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/parallel.hpp"
#include "runtime/core/text.hpp"
#include "runtime/ensembles/shared.hpp"
#include "runtime/prob/learning/learner_info.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

Matrix BoostedModel::scores(const TableView& rows, unsigned threads) const {
    Matrix out(rows.size(), outputs());
    parallel_chunks(rows.size(), 256, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t features = bins.features.size();
        const auto cells = binned_by_row(bins, rows.table->columns, rows, begin, end);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t k = 0; k < outputs(); ++k) out(i, k) = start[k];
        for (const auto& round : rounds)
            for (std::size_t k = 0; k < round.size(); ++k)
                for (std::size_t i = begin; i < end; ++i)
                    out(i, k) += round[k].values[round[k].tree.leaf_of(cells.data() + (i - begin) * features)];
    });
    return out;
}

// --- models -----------------------------------------------------------------------------------------------------------

Status BoostedClassifier::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    const Matrix s = boosted_.scores(rows, run.threads);
    const std::size_t labels = schema_.target.domain->size();
    for (std::size_t i = 0; i < s.rows; ++i) {
        const auto row = out.subspan(i * labels, labels);
        if (labels == 1) {
            row[0] = 1;
            continue;
        }
        if (s.columns == 1) {
            row[1] = 1 / (1 + std::exp(-s(i, 0)));
            row[0] = 1 - row[1];
            continue;
        }
        const double largest = *std::max_element(s.row(i).begin(), s.row(i).end());
        double sum = 0;
        for (std::size_t k = 0; k < labels; ++k) sum += row[k] = std::exp(s(i, k) - largest);
        for (double& p : row) p /= sum;
    }
    return Done{};
}

Status BoostedRegressor::predict(const TableView& rows, std::span<double> out, Run& run) const {
    const Matrix s = boosted_.scores(rows, run.threads);
    for (std::size_t i = 0; i < s.rows; ++i) out[i] = s(i, 0);
    return Done{};
}

/// The start and what each tree adds; of many rounds the first ones, and the sum of the others.
Result<Derivation> BoostedPart::explained(const Predictor& model, const TableView& row, Run& run) const {
    constexpr std::size_t told = 6;
    const Schema& schema = model.schema();
    DerivationWriter out;
    const auto cells = binned_by_row(boosted_.bins, row.table->columns, row, 0, 1);
    for (std::size_t k = 0; k < boosted_.outputs(); ++k) {
        const std::string name = schema.target.kind == ColumnKind::numeric ? schema.target.name
                                 : boosted_.outputs() == 1 ? fmt::format("s of {}", schema.target.domain->labels().back().text())
                                                           : fmt::format("s of {}", (*schema.target.domain)[k].text());
        out.note(fmt::format("{}: {:.6g} for all rows.", name, boosted_.start[k]));
        Parts sum{Number::real(boosted_.start[k])};
        double rest = 0;
        double total = boosted_.start[k];
        for (std::size_t r = 0; r < boosted_.rounds.size(); ++r) {
            const BoostedTree& tree = boosted_.rounds[r][k];
            const double value = tree.values[tree.tree.leaf_of(cells.data())];
            total += value;
            if (r >= told) {
                rest += value;
                continue;
            }
            out.note(fmt::format("Tree {}: {}: {:.6g}.", r + 1, binned_path_text(schema, boosted_.bins, tree.tree, cells.data()), value));
            append(sum, {" + ", Number::real(value)});
        }
        if (boosted_.rounds.size() > told) {
            out.note(fmt::format("The other {}: {:.6g}.", counted(boosted_.rounds.size() - told, "tree"), rest));
            append(sum, {" + ", Number::real(rest)});
        }
        out.begin(sum);
        out.result(Number::real(total));
    }
    if (schema.target.kind == ColumnKind::numeric) return std::move(out).take();  // the sum is the number
    out.formula(boosted_.outputs() == 1 ? "P = 1 / (1 + exp(-s))" : "P(label) = exp(s of the label) / the sum of all exp(s)");
    TRY(tell_outcome(out, model, row, run));
    return std::move(out).take();
}

ModelParts BoostedPart::listed_parts(const Schema& schema, std::size_t rows) const {
    std::size_t leaves = 0;
    for (const auto& round : boosted_.rounds)
        for (const auto& tree : round) leaves += tree.tree.leaves;
    ModelParts out{importance_part(schema, boosted_.importance), count_part("rounds", boosted_.rounds.size()), count_part("leaves", leaves),
                   figure("loss", boosted_.history[std::min(boosted_.rounds.size(), boosted_.history.size() - 1)])};
    if (!boosted_.validation.empty()) out.push_back(figure("validation_loss", boosted_.validation[boosted_.rounds.size()]));
    out.push_back(count_part("rows", rows));
    return out;
}

// --- saving -----------------------------------------------------------------------------------------------------------

Result<Json> BoostedPart::saved_part() const {
    Json rounds = Json::array();
    for (const auto& round : boosted_.rounds) {
        Json trees = Json::array();
        for (const auto& t : round) trees.push_back(Json{{"nodes", t.tree.save()}, {"values", saved(std::span<const double>(t.values))}});
        rounds.push_back(std::move(trees));
    }
    const auto list = [](const std::vector<double>& v) { return saved(std::span<const double>(v)); };
    return Json{{"bins", boosted_.bins.save()},      {"start", list(boosted_.start)},
                {"rounds", std::move(rounds)},       {"importance", list(boosted_.importance)},
                {"history", list(boosted_.history)}, {"validation", list(boosted_.validation)}};
}

namespace {

Result<BoostedModel> read_boosted(const Json& json, const Schema& schema) {
    BoostedModel out;
    TRY(read_columns(json, schema, out.bins, out.importance));
    out.start = TRY(read_reals(json, "start"));
    const std::size_t labels = schema.target.domain ? schema.target.domain->size() : 0;
    if (out.start.size() != (labels > 2 ? labels : 1)) return damaged("there is not one start for each output");
    for (const double v : out.start)
        if (!(std::abs(v) < 1e200)) return damaged("the start is too large");
    out.history = TRY(read_reals(json, "history"));
    out.validation = TRY(read_reals(json, "validation"));
    const Json* rounds = TRY(read_member(json, "rounds"));
    if (!rounds->is_array()) return damaged("'rounds' is not a list");
    for (const auto& item : *rounds) {
        if (!item.is_array() || item.size() != out.start.size()) return damaged("a round has not one tree for each output");
        auto& trees = out.rounds.emplace_back();
        for (const auto& t : item) {
            const Json* nodes = TRY(read_member(t, "nodes"));
            BoostedTree tree;
            tree.tree = TRY(read_binned_tree(*nodes, out.bins));
            tree.values = TRY(read_reals(t, "values"));
            if (tree.values.size() != tree.tree.leaves) return damaged("there is not one value for each leaf");
            for (const double v : tree.values)
                if (!(std::abs(v) < 1e200)) return damaged("the value of a leaf is too large");
            trees.push_back(std::move(tree));
        }
    }
    if (out.history.size() <= out.rounds.size() || (!out.validation.empty() && out.validation.size() <= out.rounds.size()))
        return damaged("the history does not fit the rounds");
    return out;
}

class BoostedTrees final : public Learner {
public:
    explicit BoostedTrees(BoostedOptions options) : options_(options) {}
    std::string_view name() const override { return "boosted_trees"; }
    TargetKind target() const override { return TargetKind::either; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        Schema schema = schema_of(*rows.table);
        const auto target = TRY(ensemble_target(rows, schema));
        auto model = TRY(boost(options_, rows, weights, target, run));
        if (run.note && options_.validation > 0 && model.validation.size() > model.rounds.size() + 1)
            run.note(fmt::format("boosting ended after {} rounds; the first {} are kept, which had the smallest validation loss",
                                 model.validation.size() - 1, model.rounds.size()));
        return predictor_for<BoostedClassifier, BoostedRegressor>(std::move(schema), rows.size(), std::move(model));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double>, const Model& fitted, Run&) const override {
        const auto& model = dynamic_cast<const BoostedPart&>(fitted).boosted();
        const Schema& schema = fitted.predictor()->schema();
        DerivationWriter out;
        out.formula(schema.target.kind == ColumnKind::numeric ? "loss = 1/2 * (y - s)^2;  gradient g = s - y, curvature h = 1"
                    : model.outputs() == 1                    ? "loss = -ln P, P = 1 / (1 + exp(-s));  gradient g = P - y, h = P * (1 - P)"
                                           : "loss = -ln P(label), P by softmax;  of each label g = P - y, h = P * (1 - P)");
        out.formula("gain of a split = G_L^2 / H_L + G_R^2 / H_R - G^2 / H;  a leaf adds -rate * G / H");
        for (std::size_t k = 0; k < model.outputs(); ++k)
            out.note(fmt::format("Start{}: {:.6g}; mean loss {:.6g} over {}.",
                                 model.outputs() > 1 ? fmt::format(" of {}", (*schema.target.domain)[k].text()) : "", model.start[k],
                                 model.history[0], counted(rows.size(), "row")));
        constexpr std::size_t told = 5;
        for (std::size_t r = 0; r < model.rounds.size() && r < told; ++r) {
            const BoostedTree& tree = model.rounds[r][0];
            out.note(fmt::format("Round {}: mean loss {:.6g}.{}", r + 1, model.history[r + 1],
                                 model.outputs() > 1 ? fmt::format(" The tree of {}:", (*schema.target.domain)[0].text()) : ""));
            for (const auto& line : binned_tree_lines(schema, model.bins, tree.tree,
                                                      [&](std::uint32_t leaf) { return fmt::format("{:.6g}", tree.values[leaf]); }))
                out.note("  " + line);
        }
        if (model.rounds.size() > told)
            out.note(fmt::format("… {} rounds in all; mean loss {:.6g}.", model.rounds.size(), model.history[model.rounds.size()]));
        return std::move(out).take();
    }

private:
    BoostedOptions options_;
};

Result<ModelPtr> load_boosted_trees(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    const std::size_t rows = TRY(read_count(json, "rows"));
    const Json* part = TRY(read_member(json, "boosted"));
    auto model = TRY(read_boosted(*part, schema));
    return predictor_for<BoostedClassifier, BoostedRegressor>(std::move(schema), rows, std::move(model));
}

using O = BoostedOptions;
constexpr NumberRange up_to_most{.least = 1, .most = 100'000};
constexpr MethodRecord boosted_trees_call(
    "boosted_trees",
    {option<O, &O::rounds>("rounds", up_to_most), option<O, &O::rate>("rate", {.least = 0, .above = true}),
     found(option<O, &O::depth>("depth", up_to_most), [] { return std::string("unlimited"); }),
     found(option<O, &O::leaves>("leaves", {.least = 2, .most = 100'000}), [] { return std::string("31, or 2^depth"); }),
     found(option<O, &O::min_rows>("min_rows", {.least = 0, .above = true}), [] { return std::string("20, or fewer for under 400 rows"); }),
     option<O, &O::ridge>("ridge", {.least = 0}), option<O, &O::sample>("sample", {.least = 0, .most = 1, .above = true}),
     option<O, &O::validation>("validation", {.least = 0, .most = 1}), option<O, &O::patience>("patience", up_to_most)},
    "A learner of boosted trees: each round adds a tree that follows the gradient of the loss, the squared error for numbers, -ln P for "
    "labels (softmax for several). Numbers are cut into at most 255 bins. A missing cell goes the way that fits better. depth: 1 gives "
    "stumps. `sample` is the share of the rows drawn in each round. With `validation`, that share of the rows is kept back, and boosting "
    "ends when their loss has not fallen for `patience` rounds.",
    "abs(predict(train boosted_trees() on line, <2>) - 5) < 0.1");

}  // namespace

LearnerPtr make_boosted_trees(BoostedOptions options) { return std::make_shared<const BoostedTrees>(options); }

const LearnerInfo boosted_trees_learner{
    .subject = "trees",
    .call = boosted_trees_call.info(),
    .make = [](const MethodCall& call) -> Result<LearnerPtr> {
        const BoostedOptions options = boosted_trees_call.options(call);
        for (const auto& argument : call.arguments)
            if (argument.name == "patience" && options.validation == 0)
                return Fault{.code = "E-PARAMETER",
                             .message = "patience is for training with validation, as validation: 0.2",
                             .origin = argument.origin};
        return make_boosted_trees(options);
    },
    .load = load_boosted_trees,
};

}  // namespace credence::rt
