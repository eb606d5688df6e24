#include "runtime/instance/knn.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/instance/axes.hpp"
#include "runtime/instance/coordinates.hpp"
#include "runtime/prob/learning/filled_rows.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/answers.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

using InstancesPtr = std::shared_ptr<const Instances>;
constexpr std::size_t neighbours_told = 12;
constexpr std::size_t exact_neighbours = 10'000;

std::string metric_text(const KnnOptions& options) {
    std::string out(name_of(options.space.metric));
    if (options.space.scaling != AxisScale::none) out += fmt::format(", scale: {}", name_of(options.space.scaling));
    return out;
}

std::string_view way_of(IndexKind index) {
    if (index == IndexKind::kd_tree) return "a k-d tree finds its neighbours";
    return index == IndexKind::ball_tree ? "a ball tree finds its neighbours" : "all rows are compared";
}

/// "distance sqrt((3 - 1)^2 + 1^2) = 2.23607"
std::string worked_distance(const Instances& stored, const Matrix& query, std::size_t place, double distance) {
    const auto& index = stored.index();
    const std::string text = index.space().distance_text(query.row(0).data(), index.points().row(place).data());
    return text.empty() ? fmt::format("distance {:.6g}", distance) : fmt::format("distance {} = {:.6g}", text, distance);
}

/// Of a small table also the rows that are too far away to vote.
void tell_others(DerivationWriter& out, const Instances& stored, const Matrix& query, const NeighbourVotes& votes, const Run& run) {
    if (stored.size() > neighbours_told || votes.votes.size() == stored.size()) return;
    out.note("The other rows:");
    for (const auto& other : stored.index().nearest(query, stored.size(), run)) {
        const bool votes_too =
            std::any_of(votes.votes.begin(), votes.votes.end(), [&](const NeighbourVote& v) { return v.place == other.row; });
        if (!votes_too)
            out.note(fmt::format("  row {}: {}, {} {}", stored.row_number(other.row),
                                 worked_distance(stored, query, other.row, other.distance), stored.target().name,
                                 stored.target().label(other.row).text()));
    }
}

/// The neighbours as lines: what each one is, and what it weighs.
void tell_neighbours(DerivationWriter& out, const Instances& stored, const TableView& rows, const NeighbourVotes& votes, const Run& run) {
    const Matrix query = stored.index().space().encode(rows);
    const Column& target = stored.target();
    const std::size_t n = votes.votes.size();
    const auto& k = stored.options().k;
    if (k && n > *k)
        out.note(fmt::format("The {} nearest of {} rows, and {} as near as the last of them ({}):", *k, stored.size(), n - *k,
                             metric_text(stored.options())));
    else if (k)
        out.note(fmt::format("The {} nearest of {} rows ({}):", n, stored.size(), metric_text(stored.options())));
    else
        out.note(fmt::format("All {} rows, nearest first ({}):", stored.size(), metric_text(stored.options())));
    if (stored.options().weight.kind == NeighbourWeight::Kind::inverse_square && !votes.equal_only) out.note("weight = 1 / distance^2:");
    if (stored.options().weight.kind == NeighbourWeight::Kind::gaussian && !votes.equal_only)
        out.note("weight = exp(-distance^2 / (2 s^2)), relative to that of the nearest:");
    for (std::size_t i = 0; i < n; ++i) {
        if (n > neighbours_told && i == neighbours_told - 2) {
            out.note(fmt::format("  … {} more …", n - neighbours_told + 1));
            i = n - 2;
            continue;
        }
        const NeighbourVote& v = votes.votes[i];
        std::string weight;
        if (!votes.counted || votes.equal_only)
            weight = fmt::format(", weight {:.6g}", v.weight);
        else if (v.count != 1)
            weight = fmt::format(", counted {:.6g} times", v.count);
        out.note(fmt::format("  row {}: {}, {} {}{}", stored.row_number(v.place), worked_distance(stored, query, v.place, v.distance),
                             target.name, target.label(v.place).text(), weight));
    }
    tell_others(out, stored, query, votes, run);
    if (votes.equal_only) out.note("The query equals stored rows, so only these decide.");
}

Result<ModelPtr> relearned(const Instances& stored, const TableView& more, std::span<const double> weights, Run& run) {
    auto table = TRY(with_more_rows(stored.data(), more));
    const auto all = with_more_weights(stored.row_weights(), stored.size(), weights, more.size());
    return train(*make_knn(stored.options()), {.table = table.get(), .rows = {}}, all, run);
}

Status savable(const Instances& stored) {
    if (stored.options().weight.kind != NeighbourWeight::Kind::function) return Done{};
    return Fault{.code = "E-FILE",
                 .message = "a weight that is a function of the script cannot be saved",
                 .hint = "inverse_square, gaussian(s) and the like can"};
}

std::string weight_text(const NeighbourWeight& weight) {
    switch (weight.kind) {
        case NeighbourWeight::Kind::none:
            return "none";
        case NeighbourWeight::Kind::inverse_square:
            return "inverse_square";
        case NeighbourWeight::Kind::gaussian:
            return fmt::format("gaussian({:.6g})", weight.width);
        case NeighbourWeight::Kind::function:
            return "a function";
        case NeighbourWeight::Kind::tricube:
            return fmt::format("tricube({:.6g})", weight.width);
        case NeighbourWeight::Kind::epanechnikov:
            return fmt::format("epanechnikov({:.6g})", weight.width);
    }
    return {};
}

std::string_view index_text(IndexKind kind) {
    switch (kind) {
        case IndexKind::automatic:
            break;
        case IndexKind::kd_tree:
            return "kd_tree";
        case IndexKind::brute:
            return "brute";
        case IndexKind::ball_tree:
            return "ball_tree";
    }
    return "automatic";
}

/// How distances are measured, and the stretch of each column where they differ.
ModelParts neighbour_parts(const Instances& stored, const Schema& schema) {
    const KnnOptions& options = stored.options();
    const MetricOptions& space = stored.index().space().options();
    ModelParts out;
    if (options.k)
        out.push_back(count_part("k", *options.k));
    else
        out.push_back(words_part("k", "all"));
    out.push_back(words_part("metric", std::string(name_of(space.metric))));
    out.push_back(words_part("scale", std::string(name_of(space.scaling))));
    out.push_back(words_part("weight", weight_text(options.weight)));
    out.push_back(words_part("index", std::string(index_text(stored.index().kind()))));
    out.push_back(count_part("rows", stored.size()));
    if (space.axes.size() == schema.features.size() && !space.axes.empty()) {
        std::vector<std::string> names;
        for (const auto& f : schema.features) names.push_back(f.name);
        PartTable axes;
        axes.names("column", names).numbers("stretch", space.axes);
        out.push_back(std::move(axes).part("axes"));
    }
    return out;
}

/// What a classifier and a regressor by neighbours share.
template <class Base>
class Neighbours : public Base {
public:
    Neighbours(Schema schema, InstancesPtr stored) : Base(std::move(schema), stored->size()), stored_(std::move(stored)) {}
    std::string_view kind() const override { return stored_->options().name; }
    bool takes_missing() const override { return stored_->index().space().takes_missing(); }
    const Instances& stored() const { return *stored_; }
    ModelParts parts() const override { return neighbour_parts(*stored_, this->schema_); }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        return relearned(*stored_, rows, weights, run);
    }
    Result<Json> save() const override {
        TRY(savable(*stored_));
        return stored_->save(this->schema_);
    }

protected:
    InstancesPtr stored_;
};

class NeighbourClassifier final : public Neighbours<Classifier>, public AnswersTogether {
public:
    using Neighbours::Neighbours;

    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        const std::size_t labels = schema_.target.domain->size();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto share = out.subspan(i * labels, labels);
            std::fill(share.begin(), share.end(), 0.0);
            double total = 0;
            for (const auto& v : all[i].votes) {
                share[code(v)] += v.weight;
                total += v.weight;
            }
            for (double& p : share) p /= total;
            settle_tie(all[i], *rows.table, rows.row(i), share);
        }
        return Done{};
    }
    Status answer(const TableView& rows, std::span<std::int32_t> labels, std::span<double> shares, Run& run) const override {
        Status done = probabilities(rows, shares, run);
        if (done) most_probable(shares, labels);
        return done;
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        const NeighbourVotes& votes = all[0];
        if (!votes.counted || votes.votes.size() > exact_neighbours) return not_applicable;
        std::vector<Rational> out = counts(votes);
        Rational total;
        for (const auto& c : out) total += c;
        for (auto& c : out) c /= total;
        return out;
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        const NeighbourVotes& votes = all[0];
        DerivationWriter out;
        tell_neighbours(out, *stored_, rows, votes, run);
        const auto exact = counts(votes);
        std::vector<Number> each;
        Number total = votes.counted ? Number(0) : Number::real(0);
        for (std::size_t k = 0; k < exact.size(); ++k) {
            double real = 0;
            for (const auto& v : votes.votes) real += code(v) == k ? v.weight : 0;
            each.push_back(votes.counted ? Number(exact[k]) : Number::real(real));
            total += each.back();
        }
        std::vector<double> shares(each.size());
        TRY(probabilities(rows, shares, run));
        const auto best = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
        for (std::size_t k = 0; k < each.size(); ++k) {
            out.formula(fmt::format("P({} = {}) = its {} / all", schema_.target.name, (*schema_.target.domain)[k].text(),
                                    votes.counted ? "votes" : "weight"));
            out.begin(quotient(each[k], total));
            out.result(each[k] / total);
        }
        const auto equal = std::count(shares.begin(), shares.end(), shares[best]);
        const std::string label = (*schema_.target.domain)[best].text();
        out.note(equal > 1 ? fmt::format("{} labels have the most votes; {} is declared first", equal, label)
                           : fmt::format("Most votes: {}", label));
        return std::move(out).take();
    }

private:
    std::size_t code(const NeighbourVote& v) const { return static_cast<std::size_t>(stored_->target().codes[v.place]); }
    /// Rounding may part two labels whose weights are equal. Where 1 / distance^2 is a fraction, those at the top are added up exactly.
    void settle_tie(const NeighbourVotes& votes, const Table& rows, std::size_t row, std::span<double> share) const {
        constexpr double rounding = 1e-9;
        const double top = *std::max_element(share.begin(), share.end());
        const auto close = [&](double p) { return p >= top * (1 - rounding); };
        const auto& options = stored_->options();
        if (std::count_if(share.begin(), share.end(), close) < 2 || votes.counted || votes.votes.size() > exact_neighbours ||
            options.weight.kind != NeighbourWeight::Kind::inverse_square || votes.votes[0].distance == 0 || options.learn_axes ||
            options.space.metric != Metric::euclidean || options.space.scaling != AxisScale::none || !options.space.axes.empty())
            return;
        std::vector<Rational> sums(share.size());
        for (const auto& v : votes.votes) {
            const auto square = squared_distance(rows, row, v.place);
            if (!square || square->is_zero()) return;
            sums[code(v)] += Rational::from_decimal(v.count) / *square;
        }
        Rational total;
        for (const auto& sum : sums) total += sum;
        for (std::size_t k = 0; k < share.size(); ++k) share[k] = (sums[k] / total).to_double();
    }
    /// Between a query and a stored row, both without missing cells; two labels are 0 or 1 apart. Nothing if a cell is a double.
    std::optional<Rational> squared_distance(const Table& rows, std::size_t row, std::size_t place) const {
        Rational out;
        for (std::size_t c = 0; c < schema_.features.size(); ++c) {
            const Column& here = *rows.columns[c];
            const Column& there = *stored_->data().columns[c];
            if (here.real || there.real) return std::nullopt;
            if (here.kind == ColumnKind::label) {
                if (here.codes[row] != there.codes[place]) out += Rational(1);
                continue;
            }
            const Rational difference = here.number(row).exact() - there.number(place).exact();
            out += difference * difference;
        }
        return out;
    }
    std::vector<Rational> counts(const NeighbourVotes& votes) const {
        std::vector<Rational> out(schema_.target.domain->size());
        for (const auto& v : votes.votes)
            if (v.weight > 0) out[code(v)] += Rational::from_decimal(v.weight);
        return out;
    }
};

class NeighbourRegressor final : public Neighbours<Regressor> {
public:
    using Neighbours::Neighbours;

    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        for (std::size_t i = 0; i < all.size(); ++i) {
            double sum = 0;
            double total = 0;
            for (const auto& v : all[i].votes) {
                sum += v.weight * stored_->target().values[v.place];
                total += v.weight;
            }
            out[i] = sum / total;
        }
        return Done{};
    }
    Attempt<Rational> exact_prediction(const TableView& rows, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        const NeighbourVotes& votes = all[0];
        if (!votes.counted || stored_->target().real || votes.votes.size() > exact_neighbours) return not_applicable;
        const auto [sum, total] = totals(votes);
        return (sum / total).exact();
    }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        auto all = TRY(stored_->votes(rows, run));
        const NeighbourVotes& votes = all[0];
        DerivationWriter out;
        tell_neighbours(out, *stored_, rows, votes, run);
        const auto [sum, total] = totals(votes);
        out.formula(votes.counted ? fmt::format("the mean of {} over the neighbours", schema_.target.name)
                                  : fmt::format("sum of weight * {} / sum of weights", schema_.target.name));
        if (votes.counted && votes.votes.size() <= longest_sum && !votes.equal_only) {
            std::vector<Parts> terms;
            bool single = true;
            for (const auto& v : votes.votes) {
                terms.push_back(operand(stored_->target().number(v.place)));
                single = single && v.count == 1;
            }
            if (single) {
                Parts above{std::string("(")};
                append(above, joined(terms, " + "));
                append(above, {std::string(") / "), total});
                out.begin(std::move(above));
                out.step(quotient(sum, total));
                out.result(sum / total);
                return std::move(out).take();
            }
        }
        out.begin(quotient(sum, total));
        out.result(sum / total);
        return std::move(out).take();
    }

private:
    std::pair<Number, Number> totals(const NeighbourVotes& votes) const {
        const bool exact = votes.counted && !stored_->target().real;
        Number sum = exact ? Number(0) : Number::real(0);
        Number total = sum;
        for (const auto& v : votes.votes) {
            if (!(v.weight > 0)) continue;
            const Number w = exact ? Number(Rational::from_decimal(v.weight)) : Number::real(v.weight);
            sum += w * (exact ? stored_->target().number(v.place) : Number::real(stored_->target().values[v.place]));
            total += w;
        }
        return {sum, total};
    }
};

ModelPtr model_over(InstancesPtr stored) {
    const bool gaps = stored->index().space().takes_missing();
    const TableView rows{.table = &stored->data(), .rows = {}};
    Schema schema = gaps ? schema_of(stored->data()) : schema_with_fills(rows, stored->row_weights());
    if (schema.target.kind == ColumnKind::label) return std::make_shared<const NeighbourClassifier>(std::move(schema), std::move(stored));
    return std::make_shared<const NeighbourRegressor>(std::move(schema), std::move(stored));
}

class KnnLearner final : public Learner {
public:
    explicit KnnLearner(KnnOptions options) : options_(std::move(options)) {}
    std::string_view name() const override { return options_.name; }
    TargetKind target() const override { return TargetKind::either; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        KnnOptions options = options_;
        if (rows.table->columns.size() < 2)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("{} needs a column besides the target to measure distances", options_.name)};
        if (options.learn_axes) {
            auto found = TRY(learn_axes(rows, options, run));
            options.space.axes = found.axes;
        }
        auto stored = TRY(Instances::build(rows, weights, options, std::nullopt, run));
        if (options.k && weights.empty() && *options.k > stored->size() && run.note)
            run.note(stored->size() == 1 ? fmt::format("k is {}, and there is 1 row: it decides alone", *options.k)
                                         : fmt::format("k is {}, and there are {} rows: all of them vote", *options.k, stored->size()));
        return model_over(std::move(stored));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        const Instances& stored = *instances_of(fitted);
        DerivationWriter out;
        out.note(fmt::format("{} row{} stored unchanged; the work is done at query time ({}).", stored.size(),
                             stored.size() == 1 ? " is" : "s are", way_of(stored.index().kind())));
        if (!options_.learn_axes) return std::move(out).take();
        out.note("Each axis is stretched by the factor with the smallest leave-one-out error:");
        const auto& axes = stored.index().space().options().axes;
        const Schema schema = schema_of(stored.data());
        for (std::size_t c = 0; c < axes.size(); ++c) out.note(fmt::format("  {}: {:.6g}", schema.features[c].name, axes[c]));
        return std::move(out).take();
    }

private:
    KnnOptions options_;
};

}  // namespace

LearnerPtr make_knn(KnnOptions options) { return std::make_shared<const KnnLearner>(std::move(options)); }

const Instances* instances_of(const Model& model) {
    if (const auto* c = dynamic_cast<const NeighbourClassifier*>(&model)) return &c->stored();
    if (const auto* r = dynamic_cast<const NeighbourRegressor*>(&model)) return &r->stored();
    return nullptr;
}

Result<ModelPtr> load_knn(const Json& json, std::string_view kind) {
    auto schema = TRY(read_schema(json, "schema"));
    auto data = TRY(read_table(json, "data"));
    auto k = TRY(read_count(json, "k"));
    auto weight = TRY(read_count(json, "weight"));
    auto width = TRY(read_real(json, "width"));
    auto index = TRY(read_count(json, "index"));
    auto weights = TRY(read_reals(json, "weights"));
    auto space_json = TRY(read_member(json, "space"));
    const Schema stored_schema = data->target ? schema_of(*data) : Schema{};
    if (!data->target || *data->target + 1 != data->columns.size() || stored_schema.features.size() != schema.features.size())
        return damaged("the stored rows do not fit the columns");
    for (std::size_t c = 0; c < schema.features.size(); ++c)
        if (stored_schema.features[c].kind != schema.features[c].kind) return damaged("the stored rows do not fit the columns");
    auto space = TRY(MetricSpace::load(*space_json, schema));
    if (data->row_count == 0 || data->columns.back()->missing_count() > 0) return damaged("a stored row has no target");
    if (weight > 5 || weight == 3 || index > 3 || !(width > 0)) return damaged("a setting is invalid");
    if (!weights.empty() && weights.size() != data->row_count) return damaged("there is not one weight for each row");
    for (const double w : weights)
        if (!(w > 0) || !std::isfinite(w)) return damaged("a weight is invalid");
    KnnOptions options;
    options.name = kind;
    if (k > 0) options.k = k;
    options.weight.kind = static_cast<NeighbourWeight::Kind>(weight);
    options.weight.width = width;
    options.unit_when_equal = json.flag("unit", false);
    if (!json.flag("ties", false)) options.ties = TieVotes::first;
    if (json.flag("shared", false)) options.ties = TieVotes::shared;
    options.learn_axes = json.flag("learned", false);
    options.space = space.options();
    options.index = static_cast<IndexKind>(index);
    Run run;
    const TableView view{.table = data.get(), .rows = {}};
    std::vector<std::size_t> numbers;
    if (const Json* list = json.find("numbers"))
        for (const auto& n : *list)
            if (n.is_count()) numbers.push_back(static_cast<std::size_t>(n.integer()));
    auto stored = TRY(Instances::build(view, weights, options, std::move(space), run, std::move(numbers)));
    return model_over(std::move(stored));
}

}  // namespace credence::rt
