#include "runtime/ensembles/forest.hpp"

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

Matrix ForestModel::means(const TableView& rows, unsigned threads) const {
    Matrix out(rows.size(), std::max<std::size_t>(labels, 1));
    parallel_chunks(rows.size(), 256, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t features = bins.features.size();
        const auto cells = binned_by_row(bins, rows.table->columns, rows, begin, end);
        for (const auto& tree : trees)
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t leaf = tree.tree.leaf_of(cells.data() + (i - begin) * features);
                if (labels == 0)
                    out(i, 0) += tree.values[leaf];
                else
                    for (std::uint32_t k = tree.first[leaf]; k < tree.first[leaf + 1]; ++k)
                        out(i, tree.shares[k].label) += tree.shares[k].share;
            }
        for (std::size_t i = begin; i < end; ++i)
            for (double& v : out.row(i)) v /= static_cast<double>(trees.size());
    });
    return out;
}

// --- models -----------------------------------------------------------------------------------------------------------

Status ForestClassifier::probabilities(const TableView& rows, std::span<double> out, Run& run) const {
    const Matrix p = forest_.means(rows, run.threads);
    for (std::size_t i = 0; i < p.rows; ++i) {
        double total = 0;
        for (const double v : p.row(i)) total += v;
        for (std::size_t k = 0; k < p.columns; ++k) out[i * p.columns + k] = p(i, k) / total;
    }
    return Done{};
}

Status ForestRegressor::predict(const TableView& rows, std::span<double> out, Run& run) const {
    const Matrix p = forest_.means(rows, run.threads);
    for (std::size_t i = 0; i < p.rows; ++i) out[i] = p(i, 0);
    return Done{};
}

/// What each of the first trees predicts and by which path, and the mean of all.
Result<Derivation> ForestPart::explained(const Predictor& model, const TableView& row, Run& run) const {
    constexpr std::size_t told = 6;
    const Schema& schema = model.schema();
    DerivationWriter out;
    const auto cells = binned_by_row(forest_.bins, row.table->columns, row, 0, 1);
    out.formula(forest_.labels > 0 ? "P(label) = the mean over the trees of the label's share in the leaf that the row reaches"
                                   : fmt::format("{} = the mean over the trees of the leaf that the row reaches", schema.target.name));
    for (std::size_t t = 0; t < forest_.trees.size() && t < told; ++t) {
        const ForestTree& tree = forest_.trees[t];
        const std::uint32_t leaf = tree.tree.leaf_of(cells.data());
        std::string says;
        if (forest_.labels == 0) {
            says = fmt::format("{:.6g}", tree.values[leaf]);
        } else {
            std::vector<std::string> shares;
            for (std::uint32_t k = tree.first[leaf]; k < tree.first[leaf + 1]; ++k)
                shares.push_back(fmt::format("{} {:.6g}", (*schema.target.domain)[tree.shares[k].label].text(), tree.shares[k].share));
            says = joined(shares, ", ");
        }
        out.note(fmt::format("Tree {}: {}: {}.", t + 1, binned_path_text(schema, forest_.bins, tree.tree, cells.data()), says));
    }
    if (forest_.trees.size() > told) out.note(fmt::format("… {} in all.", counted(forest_.trees.size(), "tree")));
    TRY(tell_outcome(out, model, row, run));
    return std::move(out).take();
}

ModelParts ForestPart::listed_parts(const Schema& schema, std::size_t rows) const {
    std::size_t leaves = 0;
    for (const auto& tree : forest_.trees) leaves += tree.tree.leaves;
    ModelParts out{importance_part(schema, forest_.importance), count_part("trees", forest_.trees.size()), count_part("leaves", leaves)};
    if (forest_.out_of_bag.rows > 0)
        out.push_back(figure(forest_.labels > 0 ? "out_of_bag_accuracy" : "out_of_bag_rmse", forest_.out_of_bag.score));
    out.push_back(count_part("rows", rows));
    return out;
}

// --- saving -----------------------------------------------------------------------------------------------------------

Result<Json> ForestPart::saved_part() const {
    const auto list = [](const std::vector<double>& v) { return saved(std::span<const double>(v)); };
    Json trees = Json::array();
    for (const auto& t : forest_.trees) {
        Json item{{"nodes", t.tree.save()}};
        if (forest_.labels == 0) {
            item.set("values", list(t.values));
        } else {
            std::vector<double> first(t.first.begin(), t.first.end());
            std::vector<double> labels;
            std::vector<double> shares;
            for (const auto& s : t.shares) {
                labels.push_back(s.label);
                shares.push_back(s.share);
            }
            item.set("first", list(first));
            item.set("labels", list(labels));
            item.set("shares", list(shares));
        }
        trees.push_back(std::move(item));
    }
    return Json{{"bins", forest_.bins.save()},
                {"trees", std::move(trees)},
                {"importance", list(forest_.importance)},
                {"out_of_bag_rows", forest_.out_of_bag.rows},
                {"out_of_bag_score", forest_.out_of_bag.score}};
}

namespace {

Result<ForestTree> read_forest_tree(const Json& json, const Bins& bins, std::size_t labels) {
    ForestTree out;
    const Json* nodes = TRY(read_member(json, "nodes"));
    out.tree = TRY(read_binned_tree(*nodes, bins));
    if (labels == 0) {
        out.values = TRY(read_reals(json, "values"));
        if (out.values.size() != out.tree.leaves) return damaged("there is not one value for each leaf");
        for (const double v : out.values)
            if (!(std::abs(v) < 1e300)) return damaged("the value of a leaf is too large");
        return out;
    }
    const auto first = TRY(read_reals(json, "first"));
    const auto names = TRY(read_reals(json, "labels"));
    const auto shares = TRY(read_reals(json, "shares"));
    if (first.size() != std::size_t{out.tree.leaves} + 1 || names.size() != shares.size()) return damaged("the leaves do not fit the tree");
    for (std::size_t k = 0; k < shares.size(); ++k) {
        if (!(names[k] >= 0 && names[k] < static_cast<double>(labels) && shares[k] > 0 && shares[k] <= 1 + 1e-9))
            return damaged("a share of a leaf is invalid");
        out.shares.push_back({static_cast<std::uint32_t>(names[k]), shares[k]});
    }
    for (const double f : first) {
        if (!(f >= 0 && f <= static_cast<double>(shares.size())) || (!out.first.empty() && !(f > out.first.back())))
            return damaged("the leaves do not fit the tree");
        out.first.push_back(static_cast<std::uint32_t>(f));
    }
    if (out.first.front() != 0 || out.first.back() != shares.size()) return damaged("the leaves do not fit the tree");
    return out;
}

class RandomForest final : public Learner {
public:
    explicit RandomForest(ForestOptions options) : options_(options) {}
    std::string_view name() const override { return "random_forest"; }
    TargetKind target() const override { return TargetKind::either; }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        Schema schema = schema_of(*rows.table);
        const auto target = TRY(ensemble_target(rows, schema));
        auto model = TRY(grow_forest(options_, rows, weights, target, run));
        return predictor_for<ForestClassifier, ForestRegressor>(std::move(schema), rows.size(), std::move(model));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double>, const Model& fitted, Run&) const override {
        const auto& model = dynamic_cast<const ForestPart&>(fitted).forest();
        const Schema& schema = fitted.predictor()->schema();
        DerivationWriter out;
        out.formula(model.labels > 0 ? "Gini(S) = 1 - the sum of p^2;  fall(S, A) = Gini(S) - the sum of |S_v|/|S| * Gini(S_v)"
                                     : "fall(S, A) = Var(S) - the sum of |S_v|/|S| * Var(S_v)");
        out.note(fmt::format("{}, each grown from {} drawn with replacement; each test is the best of some columns drawn at random.",
                             counted(model.trees.size(), "tree"), counted(rows.size(), "row")));
        const ForestTree& tree = model.trees[0];
        out.note("Tree 1:");
        for (const auto& line : binned_tree_lines(schema, model.bins, tree.tree, [&](std::uint32_t leaf) {
                 if (model.labels == 0) return fmt::format("{:.6g}", tree.values[leaf]);
                 std::vector<std::string> shares;
                 for (std::uint32_t k = tree.first[leaf]; k < tree.first[leaf + 1]; ++k)
                     shares.push_back(fmt::format("{} {:.6g}", (*schema.target.domain)[tree.shares[k].label].text(), tree.shares[k].share));
                 return joined(shares, ", ");
             }))
            out.note("  " + line);
        if (model.out_of_bag.rows > 0)
            out.note(fmt::format("Out of the bag, each row predicted by the trees that did not see it: {} {:.6g}.",
                                 model.labels > 0 ? "accuracy" : "rmse", model.out_of_bag.score));
        return std::move(out).take();
    }

private:
    ForestOptions options_;
};

Result<ModelPtr> load_random_forest(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    const std::size_t rows = TRY(read_count(json, "rows"));
    const Json* part = TRY(read_member(json, "forest"));
    ForestModel model;
    TRY(read_columns(*part, schema, model.bins, model.importance));
    model.labels = schema.target.domain ? schema.target.domain->size() : 0;
    model.out_of_bag.rows = TRY(read_real(*part, "out_of_bag_rows"));
    model.out_of_bag.score = TRY(read_real(*part, "out_of_bag_score"));
    const Json* trees = TRY(read_member(*part, "trees"));
    if (!trees->is_array() || trees->empty()) return damaged("'trees' is not a list");
    for (const auto& item : *trees) {
        auto tree = TRY(read_forest_tree(item, model.bins, model.labels));
        model.trees.push_back(std::move(tree));
    }
    return predictor_for<ForestClassifier, ForestRegressor>(std::move(schema), rows, std::move(model));
}

constexpr NumberRange at_least_one{.least = 1, .most = 100'000};
constexpr MethodRecord random_forest_call(
    "random_forest",
    {option<ForestOptions, &ForestOptions::trees>("trees", at_least_one),
     found(option<ForestOptions, &ForestOptions::columns>("columns", at_least_one),
           [] { return std::string("the square root of their number; all for numbers"); }),
     found(option<ForestOptions, &ForestOptions::depth>("depth", at_least_one), [] { return std::string("unlimited"); }),
     option<ForestOptions, &ForestOptions::min_rows>("min_rows", {.least = 0, .above = true}),
     option<ForestOptions, &ForestOptions::sample>("sample", {.least = 0, .most = 10, .above = true})},
    "A learner of random forests: the mean of trees grown from rows drawn with replacement (`sample` times as many as there are). Each "
    "test is the best of some columns drawn at random, by the Gini impurity or the squared error. A missing cell goes the way that fits "
    "better.",
    "predict(train random_forest() on line, <2>) > 2");

}  // namespace

LearnerPtr make_random_forest(ForestOptions options) { return std::make_shared<const RandomForest>(options); }

const LearnerInfo random_forest_learner{
    .subject = "trees",
    .call = random_forest_call.info(),
    .make = [](const MethodCall& call) -> Result<LearnerPtr> { return make_random_forest(random_forest_call.options(call)); },
    .load = load_random_forest,
};

}  // namespace credence::rt
