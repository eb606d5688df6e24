// knn, shepard, and choosing k and axes.

#include <cmath>

#include "runtime/data/columns.hpp"
#include "runtime/instance/axes.hpp"
#include "runtime/instance/knn.hpp"
#include "stdlib/instances/options.hpp"
#include "stdlib/subjects.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

Result<rt::NeighbourWeight> weight_of(CallContext& c, const std::optional<Setting>& setting, std::size_t parameter,
                                      rt::NeighbourWeight::Kind otherwise) {
    rt::NeighbourWeight out;
    out.kind = otherwise;
    if (!setting) return out;
    if (setting->name == "none") {
        out.kind = rt::NeighbourWeight::Kind::none;
    } else if (setting->name == "inverse_square") {
        out.kind = rt::NeighbourWeight::Kind::inverse_square;
    } else if (setting->name == "gaussian" || setting->name == "tricube" || setting->name == "epanechnikov") {
        out.kind = setting->name == "gaussian"  ? rt::NeighbourWeight::Kind::gaussian
                   : setting->name == "tricube" ? rt::NeighbourWeight::Kind::tricube
                                                : rt::NeighbourWeight::Kind::epanechnikov;
        out.width = TRY(positive_argument(c, *setting, 0, parameter, "width"));
    } else {
        out.kind = rt::NeighbourWeight::Kind::function;
        out.function = TRY(distance_function(c, *setting->value, parameter));
    }
    return out;
}

/// `exact:` says something where a weight is infinite at distance 0, and nothing elsewhere.
Result<bool> unit_of(CallContext& c, const std::optional<Choice>& exact, std::size_t parameter, const rt::NeighbourWeight& weight) {
    if (!exact) return false;
    if (weight.kind != rt::NeighbourWeight::Kind::inverse_square && weight.kind != rt::NeighbourWeight::Kind::function)
        return Fault{.code = "E-PARAMETER",
                     .message = "exact: is for weights without a value at distance 0",
                     .origin = c.argument(parameter),
                     .hint = "weight: inverse_square, or a function such as d -> 1 / d"};
    return exact->text == "unit";
}

/// A list in the order of the columns, or a record by column, as learn_axes gives it.
rt::Status set_axes(CallContext& c, const Value& given, std::size_t parameter, rt::MetricOptions& options) {
    List items;
    if (const List* list = given.items()) items = *list;
    if (const auto* record = given.get<RecordPtr>())
        for (const auto& [name, value] : (*record)->entries) {
            options.axis_names.push_back(name);
            items.push_back(value);
        }
    for (const auto& item : items)
        if (const auto* n = item.get<rt::Number>()) options.axes.push_back(n->real());
    if (options.axes.size() != items.size() || items.empty())
        return Fault{.code = "E-TYPE",
                     .message = "axes are ones, learned, or numbers, one for each column",
                     .origin = c.argument(parameter),
                     .hint = "as in axes: [1, 0, 2], or by name: axes: {x: 2}"};
    return rt::Done{};
}

Value vote_value(const rt::Instances& stored, const rt::NeighbourVote& v, bool with_weight) {
    Record out;
    out.entries.emplace_back("row", Value(rt::Number(rt::Rational(static_cast<std::int64_t>(stored.row_number(v.place))))));
    out.entries.emplace_back("distance", number_value(v.distance));
    out.entries.emplace_back("value", Value::label(stored.target().label(v.place)));
    if (with_weight) out.entries.emplace_back("weight", number_value(v.weight));
    return Value::record(std::move(out));
}

/// The votes for one row given as an instance or a record.
Result<rt::NeighbourVotes> votes_at(CallContext& c, const ModelValue& m, const Value& x, const rt::Instances& stored) {
    auto rows = TRY(rows_for(c, m.model->predictor()->schema(), x, c.argument(1)));
    if (rows->row_count != 1)
        return Fault{.code = "E-ARGUMENT", .message = "this takes one row", .origin = c.argument(1), .hint = "take one: t[1]"};
    const rt::TableView view{.table = rows.get(), .rows = {}};
    TRY(m.model->predictor()->check_cells(view));
    auto votes = TRY(stored.votes(view, c.run()));
    return std::move(votes[0]);
}

Result<Value> neighbours(CallContext& c, ModelValue m, Value x) {
    const rt::Instances& stored = *rt::instances_of(*m.model);
    auto votes = TRY(votes_at(c, m, x, stored));
    List out;
    for (const auto& v : votes.votes) out.push_back(vote_value(stored, v, false));
    return Value::list(std::move(out));
}

Result<Value> shares_at(CallContext& c, ModelValue m, Value x) {
    const rt::Instances& stored = *rt::instances_of(*m.model);
    auto votes = TRY(votes_at(c, m, x, stored));
    double total = 0;
    for (const auto& v : votes.votes) total += v.weight;
    List told;
    for (auto v : votes.votes) {
        v.weight /= total;
        told.push_back(vote_value(stored, v, true));
    }
    return Value::list(std::move(told));
}

Value whole(std::size_t n) { return Value(rt::Number(rt::Rational(static_cast<std::int64_t>(n)))); }

/// Every stored row predicted from the others.
Result<Value> leave_one_out(CallContext& c, ModelValue m) {
    const rt::Instances& stored = *rt::instances_of(*m.model);
    auto all = TRY(stored.votes_without_self(c.run()));
    const rt::Column& target = stored.target();
    List predictions;
    std::size_t right = 0;
    double squares = 0;
    double sizes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> shares(target.kind == rt::ColumnKind::label ? target.domain->size() : 0, 0.0);
        double sum = 0;
        double total = 0;
        for (const auto& v : all[i].votes) {
            total += v.weight;
            if (shares.empty())
                sum += v.weight * target.values[v.place];
            else
                shares[static_cast<std::size_t>(target.codes[v.place])] += v.weight;
        }
        if (shares.empty()) {
            const double e = sum / total - target.values[i];
            squares += e * e;
            sizes += std::abs(e);
            predictions.push_back(number_value(sum / total));
            continue;
        }
        const auto best = std::max_element(shares.begin(), shares.end()) - shares.begin();
        right += best == target.codes[i];
        predictions.push_back(Value::label((*target.domain)[static_cast<std::size_t>(best)]));
    }
    const auto n = static_cast<double>(all.size());
    Record out;
    if (target.kind == rt::ColumnKind::label) {
        out.entries.emplace_back("accuracy",
                                 Value(rt::Number(rt::Rational(static_cast<std::int64_t>(right), static_cast<std::int64_t>(all.size())))));
    } else {
        out.entries.emplace_back("rmse", number_value(std::sqrt(squares / n)));
        out.entries.emplace_back("mae", number_value(sizes / n));
    }
    out.entries.emplace_back("predictions", Value::list(std::move(predictions)));
    return Value::record(std::move(out));
}

rt::Result<rt::TableView> labelled(const rt::TablePtr& t, rt::Origin origin) {
    if (!t->target)
        return Fault{.code = "E-TRAIN",
                     .message = "this needs a target column, and the table has none",
                     .origin = origin,
                     .hint = "with_target(t, Column)"};
    if (t->columns[*t->target]->missing_count() > 0)
        return Fault{.code = "E-MISSING",
                     .message = fmt::format("{} is missing in some rows", t->columns[*t->target]->name),
                     .origin = origin,
                     .hint = "leave them out with where(t, …)"};
    return rt::TableView{.table = t.get(), .rows = {}};
}

Value learner_of(rt::KnnOptions options) { return learner_value(rt::make_knn(std::move(options))); }

const ParameterDoc count_doc{"k", "5", {}, {{"all"}}, "a whole number"};
const Options weights = {{"none"}, {"inverse_square"}, {"gaussian", {"s"}}};
const Words metrics = {"euclidean", "manhattan", "chebyshev", "cosine", "hamming", "gower"};
const Words scales = {"none", "standard", "range"};

void add_knn(Registry& r) {
    r.add_learner(bind(
        {subject::instances,
         "knn",
         {count_doc,
          {"weight", "none", {}, weights, "a function of the distance"},
          {"exact", "value", {"value", "unit"}},
          {"ties", "all", {"all", "first", "shared"}},
          {"metric", "euclidean", metrics},
          {"axes", "ones", {}, {{"ones"}, {"learned"}}, "a list or a record by column"},
          {"scale", "none", scales},
          {"index", "auto", {"auto", "kd_tree", "ball_tree", "brute"}}},
         "A learner: the k nearest rows vote for a label, or their mean is the predicted number. Rows as near as the k-th vote too. With "
         "ties: first, exactly k rows vote; among equally near rows, the first in the table. With ties: shared, rows as near as the k-th "
         "share the votes that the nearer ones leave, which suits small tables of labels. If votes are equal, the label declared first "
         "wins. Two labels of a column have distance 0 or 1. If a weight is infinite at distance 0, a query equal to stored rows takes "
         "their value; exact: unit gives them weight 1 instead. index: auto uses a k-d tree for up to eight numeric columns. With more "
         "columns, or with labels, it uses a tree if a trial shows that it saves work. The answers are the same with any index.",
         "predict(train knn(k: 2) on line, <1.4>) == 4"},
        +[](CallContext& c, std::optional<Setting> k, std::optional<Setting> weight, std::optional<Choice> exact,
            std::optional<Choice> ties, std::optional<Choice> metric, std::optional<Setting> axes, std::optional<Choice> scale,
            std::optional<Choice> index) -> Result<Value> {
            rt::KnnOptions options;
            options.k = TRY(neighbour_count(c, k, 0, 5));
            options.weight = TRY(weight_of(c, weight, 1, rt::NeighbourWeight::Kind::none));
            options.unit_when_equal = TRY(unit_of(c, exact, 2, options.weight));
            if (ties && ties->text == "first") options.ties = rt::TieVotes::first;
            if (ties && ties->text == "shared") options.ties = rt::TieVotes::shared;
            if (metric) options.space.metric = *rt::metric_named(metric->text);
            if (scale) options.space.scaling = *rt::scaling_named(scale->text);
            if (axes && axes->name == "learned") options.learn_axes = true;
            if (axes && axes->value) { TRY(set_axes(c, *axes->value, 5, options.space)); }
            if (index && index->text == "kd_tree") options.index = rt::IndexKind::kd_tree;
            if (index && index->text == "ball_tree") options.index = rt::IndexKind::ball_tree;
            if (index && index->text == "brute") options.index = rt::IndexKind::brute;
            return learner_of(std::move(options));
        }));
    r.add_loader("knn", [](const rt::Json& json) { return rt::load_knn(json, "knn"); });
}

void add_shepard(Registry& r) {
    r.add_learner(bind(
        {subject::instances,
         "shepard",
         {{"kernel",
           "inverse_square",
           {},
           {{"inverse_square"}, {"gaussian", {"s"}}, {"tricube", {"h"}}, {"epanechnikov", {"h"}}},
           "a function of the distance"},
          {"k", "all", {}, {{"all"}}, "a whole number"},
          {"exact", "value", {"value", "unit"}},
          {"scale", "none", scales}},
         "A learner: Shepard's method. The prediction is the mean of all rows, weighted by their distance to the query (1/d² by default). "
         "A stored row is predicted exactly.",
         "predict(train shepard() on line, <3>) == 7"},
        +[](CallContext& c, std::optional<Setting> kernel, std::optional<Setting> k, std::optional<Choice> exact,
            std::optional<Choice> scale) -> Result<Value> {
            rt::KnnOptions options;
            options.name = "shepard";
            options.weight = TRY(weight_of(c, kernel, 0, rt::NeighbourWeight::Kind::inverse_square));
            options.k = TRY(neighbour_count(c, k, 1, std::nullopt));
            options.unit_when_equal = TRY(unit_of(c, exact, 2, options.weight));
            if (scale) options.space.scaling = *rt::scaling_named(scale->text);
            return learner_of(std::move(options));
        }));
    r.add_loader("shepard", [](const rt::Json& json) { return rt::load_knn(json, "shepard"); });
}

void add_learners(Registry& r) {
    add_knn(r);
    add_shepard(r);
}

void add_members(Registry& r) {
    const auto member = [&](const char* kind, Doc doc, auto function) { r.add_member(kind, bind(std::move(doc), function)); };
    member(
        "knn",
        {subject::instances,
         "neighbors",
         {{"model"}, {"x"}},
         "The neighbours that vote, nearest first: records .row .distance .value.",
         "(train knn(k: 2) on line).neighbors(<1.4>)[1].row == 1"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<Value> { return neighbours(c, std::move(m), std::move(x)); });
    member(
        "shepard",
        {subject::instances,
         "neighbors",
         {{"model"}, {"x"}},
         "The rows with their distances, nearest first: records .row .distance .value.",
         "(train shepard() on line).neighbors(<1.4>)[1].row == 1"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<Value> { return neighbours(c, std::move(m), std::move(x)); });
    member(
        "shepard",
        {subject::instances,
         "fit_at",
         {{"model"}, {"x"}},
         "The rows that contribute to a prediction, with their weights: records .row .distance .value .weight.",
         "sum(map((train shepard() on line).fit_at(<2.5>), n -> n.weight)) == 1 within 1e-12"},
        +[](CallContext& c, ModelValue m, Value x) -> Result<Value> { return shares_at(c, std::move(m), std::move(x)); });
    for (const char* kind : {"knn", "shepard"}) {
        const std::string example = kind == std::string("knn") ? "(train knn(k: 2) on line).leave_one_out.predictions[2] == 5"
                                                               : "(train shepard() on line).leave_one_out.predictions[2] == 5 within 1e-12";
        member(
            kind,
            {subject::instances,
             "leave_one_out",
             {{"model"}},
             "Every stored row predicted from the others, without retraining: .accuracy (or .rmse .mae) and .predictions.",
             example},
            +[](CallContext& c, ModelValue m) -> Result<Value> { return leave_one_out(c, std::move(m)); });
        member(
            kind,
            {subject::instances,
             "axes",
             {{"model"}},
             "The factor by which each column is stretched, by name.",
             kind == std::string("knn") ? "(train knn(axes: [2]) on line).axes.x == 2" : "(train shepard() on line).axes.x == 1"},
            +[](CallContext&, ModelValue m) -> Result<Value> {
                const rt::Instances& stored = *rt::instances_of(*m.model);
                Record out;
                const auto& axes = stored.index().space().options().axes;
                const auto& features = m.model->predictor()->schema().features;
                for (std::size_t i = 0; i < features.size(); ++i)
                    out.entries.emplace_back(features[i].name, axes.empty() ? Value(rt::Number(1)) : number_value(axes[i]));
                return Value::record(std::move(out));
            });
    }
}

/// What choose_k and k_curve share.
Result<rt::NeighbourCount> chosen_count(CallContext& c, const rt::TablePtr& t, const std::optional<Choice>& method,
                                        const std::optional<Count>& most, const std::optional<Choice>& scale) {
    auto view = TRY(labelled(t, c.argument(0)));
    rt::CountMethod by = rt::CountMethod::cross_validation;
    if (method && method->text == "sqrt") by = rt::CountMethod::sqrt;
    if (method && method->text == "validation") by = rt::CountMethod::validation;
    if (method && method->text == "elbow") by = rt::CountMethod::elbow;
    const std::size_t limit = most ? most->value : 51;
    if (limit < 1) return Fault{.code = "E-PARAMETER", .message = "most is 1 or more", .origin = c.argument(2)};
    rt::KnnOptions options;
    if (scale) options.space.scaling = *rt::scaling_named(scale->text);
    c.run().rng = c.rng().child("choose_k");
    return rt::choose_count(view, by, limit, std::move(options), c.run());
}

void add_choosing(Registry& r) {
    r.add(bind(
        {subject::instances,
         "choose_k",
         {{"t"},
          {"method", "cross_validation", {"cross_validation", "sqrt", "validation", "elbow"}},
          {"most", "51"},
          {"scale", "none", scales}},
         "A number of neighbours for knn on this table. sqrt: the largest odd number below √n. validation: a third of the rows is held "
         "out. cross_validation: ten folds. elbow: where the leave-one-out curve becomes stable. k_curve shows the errors.",
         "choose_k(line |> concat(line), method: sqrt) == 1"},
        +[](CallContext& c, rt::TablePtr t, std::optional<Choice> method, std::optional<Count> most,
            std::optional<Choice> scale) -> Result<Value> {
            auto found = TRY(chosen_count(c, t, method, most, scale));
            return whole(found.k);
        }));
    r.add(bind(
        {subject::instances,
         "k_curve",
         {{"t"}, {"method", "cross_validation", {"cross_validation", "validation", "elbow"}}, {"most", "51"}, {"scale", "none", scales}},
         "The errors that choose_k compares: a record .k .error for each k = 1, 3, 5 … that it tries. With method: elbow they are "
         "leave-one-out errors.",
         "k_curve(line |> concat(line), method: elbow)[1].k == 1"},
        +[](CallContext& c, rt::TablePtr t, std::optional<Choice> method, std::optional<Count> most,
            std::optional<Choice> scale) -> Result<Value> {
            auto found = TRY(chosen_count(c, t, method, most, scale));
            List curve;
            for (const auto& [k, e] : found.curve) {
                Record point;
                point.entries.emplace_back("k", whole(k));
                point.entries.emplace_back("error", number_value(e));
                curve.push_back(Value::record(std::move(point)));
            }
            return Value::list(std::move(curve));
        }));
    r.add(bind(
        {subject::instances,
         "learn_axes",
         {{"t"}, {"k", "5"}, {"scale", "standard", {"standard", "range", "none"}}},
         "The factor by which to stretch each column so that the leave-one-out error of nearest neighbours is smallest. The result is a "
         "record by column; 0 drops a column. knn(axes: learned) does the same in training.",
         "learn_axes(line |> concat(line), k: 1).x == 1"},
        +[](CallContext& c, rt::TablePtr t, std::optional<Count> k, std::optional<Choice> scale) -> Result<Value> {
            auto view = TRY(labelled(t, c.argument(0)));
            rt::KnnOptions options;
            options.k = k ? k->value : 5;
            if (*options.k < 1) return Fault{.code = "E-PARAMETER", .message = "k is 1 or more", .origin = c.argument(1)};
            options.space.scaling = scale ? *rt::scaling_named(scale->text) : rt::AxisScale::standard;
            c.run().rng = c.rng().child("learn_axes");
            auto found = TRY(rt::learn_axes(view, options, c.run()));
            Record out;
            std::size_t i = 0;
            for (const auto& f : rt::schema_of(*t).features) out.entries.emplace_back(f.name, number_value(found.axes[i++]));
            return Value::record(std::move(out));
        }));
}

}  // namespace

void add_neighbours(Registry& r) {
    add_learners(r);
    add_members(r);
    add_choosing(r);
}

}  // namespace credence::std_
