#include "runtime/prob/learning/learning.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include "runtime/core/json.hpp"

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/models/predictor.hpp"

namespace credence::rt {

// --- what models and learners report if they cannot -------------------------------------------------------------------

Result<LearnerPtr> Model::trainer(const MethodCall& by) const {
    return Fault{.code = "E-TRAIN",
                 .message = fmt::format("a {} has nothing to learn", kind()),
                 .origin = by.origin,
                 .hint = predictor() ? "it is trained already: give the learner itself, as in regression()"
                                     : "nets, mixtures, hidden Markov models and grammars with holes (?) are trained, and learners such as "
                                       "regression()"};
}

Result<ModelPtr> Model::update(const TableView&, std::span<const double>, Run&) const {
    return Fault{.code = "E-TRAIN",
                 .message = fmt::format("a {} cannot be updated", kind()),
                 .hint = "train it again on all the rows: concat(a, b)"};
}

Result<Json> Model::save() const {
    return Fault{.code = "E-FILE",
                 .message = fmt::format("a {} cannot be saved", kind()),
                 .hint = "save the table it learned from, and train it again: save(t, \"t.csv\")"};
}

TargetKind Learner::target_for(const Column&) const { return target(); }

Result<Derivation> Learner::explain_fit(const TableView&, std::span<const double>, const Model&, Run&) const { return Derivation{}; }

// --- training ---------------------------------------------------------------------------------------------------------

namespace {

/// The rows and weights that reach fit, with what they point into.
struct Prepared {
    std::optional<Table> table;  ///< where the target was changed
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
    TableView view;
    std::span<const double> used;
};

Status check_weights(const TableView& in, std::span<const double> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (!std::isfinite(weights[i]) || weights[i] < 0)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("the weight of row {} is {}: weights are numbers, 0 or more", in.row(i) + 1, weights[i])};
    return Done{};
}

/// Leaves out the rows without a target value, with a note, and those of weight 0. E-EMPTY if none is left.
Status keep_rows(const TableView& in, const Column* target, std::span<const double> weights, std::string_view learner, Run& run,
                 Prepared& out) {
    std::size_t without = 0;
    std::vector<std::uint32_t> keep;
    keep.reserve(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool missing = target && target->is_missing(in.row(i));
        const bool weightless = !weights.empty() && weights[i] == 0;
        if (missing && !weightless) ++without;
        if (!missing && !weightless) keep.push_back(static_cast<std::uint32_t>(i));
    }
    out.used = weights;
    if (keep.size() != in.size()) {
        for (const auto i : keep) {
            out.rows.push_back(static_cast<std::uint32_t>(in.row(i)));
            if (!weights.empty()) out.weights.push_back(weights[i]);
        }
        out.view.rows = out.rows;
        out.view.all = false;
        out.used = out.weights;
    }
    if (without > 0 && run.note)
        run.note(fmt::format("{} without a value of {} {} left out", counted(without, "row"), target->name, without == 1 ? "was" : "were"));
    if (keep.empty()) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", learner)};
    return Done{};
}

Result<Done> prepare_target(const Learner& learner, const TableView& in, Run& run, Prepared& out) {
    const Table& table = *in.table;
    if (!table.target) {
        std::string last = table.columns.empty() ? "Column" : table.columns.back()->name;
        return Fault{.code = "E-TRAIN",
                     .message = fmt::format("{} needs a target column, and this table has none", learner.name()),
                     .hint = fmt::format("with_target(t, {}), load(…, target: {}), or `->` before it in a table block", last, last)};
    }
    const Column& target = *table.columns[*table.target];
    if (learner.target() == TargetKind::number && target.kind == ColumnKind::label)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("{} predicts numbers, and {} has labels", learner.name(), target.name),
                     .hint = "a classifier predicts labels; encode them as numbers for a regression"};
    if (target.kind == ColumnKind::numeric && learner.target_for(target) == TargetKind::label) {
        if (run.note && seem_measured(target))
            run.note(
                fmt::format("{0} is numeric, and {1} takes each of its values as a label: train regression() or decision_tree() to "
                            "predict the number, or make intervals with discretize(t, {0}, 4)",
                            target.name, learner.name()));
        auto labelled = TRY(as_labels(table, target.name));
        out.table = *labelled;
        out.view.table = &*out.table;
    }
    return Done{};
}

/// A code such as 0 and 1 that is learned as if it were a measurement.
void note_codes(const Column& target, const TableView& in, const Run& run) {
    constexpr std::size_t few = 10;
    constexpr std::size_t rows_for_each = 10;
    std::vector<double> seen;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t row = in.row(i);
        if (target.is_missing(row) || contains(seen, target.values[row])) continue;
        if (target.values[row] != std::floor(target.values[row]) || seen.size() == few) return;
        seen.push_back(target.values[row]);
    }
    const bool binary = seen.size() == 2 && in.size() > 4;
    if (!binary && (seen.size() < 2 || in.size() < seen.size() * rows_for_each)) return;
    run.note(fmt::format("{} has {} values: as_labels(t, {}) classifies", target.name, seen.size(), target.name));
}

Result<Done> prepare(const Learner& learner, const TableView& in, std::span<const double> weights, Run& run, Prepared& out) {
    out.view = in;
    if (in.size() == 0) return Fault{.code = "E-EMPTY", .message = fmt::format("{} has no rows to learn from", learner.name())};
    if (learner.target() != TargetKind::none) {
        Status done = prepare_target(learner, in, run, out);
        if (!done) return done;
    }
    Status fine = check_weights(in, weights);
    if (!fine) return fine;
    const Column* target = learner.target() == TargetKind::none ? nullptr : out.view.table->columns[*out.view.table->target].get();
    if (run.note && target && target->kind == ColumnKind::numeric && learner.target_for(*target) == TargetKind::either)
        note_codes(*target, in, run);
    return keep_rows(in, target, weights, learner.name(), run, out);
}

/// The target column in the codes of the model's labels.
Result<ColumnPtr> target_for(const Schema& schema, const TableView& in) {
    const Field& field = schema.target;
    const ColumnPtr& column = in.table->columns[*in.table->find(field.name)];
    if (field.kind == ColumnKind::numeric) {
        if (column->kind == ColumnKind::label && column->missing_count() < column->rows())
            return Fault{.code = "E-TYPE", .message = fmt::format("{} was numeric in training, and has labels here", field.name)};
        return column;
    }
    auto out = std::make_shared<Column>();
    out->name = field.name;
    out->domain = field.domain;
    out->codes.assign(column->rows(), -1);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t row = in.row(i);
        if (column->is_missing(row)) continue;
        const Label label = column->label(row);
        const auto code = field.domain->find(label);
        if (!code) {
            std::vector<std::string> known;
            for (const auto& l : field.domain->labels()) known.push_back(l.text());
            Fault fault{.code = "E-LABEL",
                        .message = fmt::format("row {} has {} = {}, which was not seen in training", row + 1, field.name, label.text()),
                        .label = fmt::format("the model's labels are {}", joined(known, ", ")),
                        .hint = "train it again on all the rows: concat(a, b)"};
            if (const auto near = nearest(label.text(), known)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        out->codes[row] = static_cast<std::int32_t>(*code);
    }
    return ColumnPtr(std::move(out));
}

/// The rows as the model's schema has them, the target last.
Result<Table> rows_for_update(const Schema& schema, const TableView& in, Run& run) {
    std::vector<std::string> names;
    for (const auto& f : schema.features) names.push_back(f.name);
    names.push_back(schema.target.name);
    for (const auto& name : names)
        if (!in.table->find(name)) return no_such_column(name, column_names(*in.table));
    std::size_t unseen = 0;
    auto out = align(schema, *in.table, &unseen);
    if (!out) return out;
    if (unseen > 0 && run.note)
        run.note(fmt::format("{} cell{} not seen in training, and {} treated as missing", unseen,
                             unseen == 1 ? " has a label" : "s have labels", unseen == 1 ? "is" : "are"));
    auto target = TRY(target_for(schema, in));
    out->target = out->columns.size();
    out->columns.push_back(std::move(target));
    return out;
}

class WeightedLearner final : public Learner {
public:
    WeightedLearner(LearnerPtr inner, std::string column) : inner_(std::move(inner)), column_(std::move(column)) {}
    std::string_view name() const override { return inner_->name(); }
    TargetKind target() const override { return inner_->target(); }
    TargetKind target_for(const Column& numbers) const override { return inner_->target_for(numbers); }
    UnweightedLearner parts() const { return {inner_, column_}; }
    bool single_threaded() const override { return inner_->single_threaded(); }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> row_weights, Run& run) const override {
        Table without;
        auto weights = TRY(take_out(rows, row_weights, without));
        TableView view = rows;
        view.table = &without;
        return train(*inner_, view, weights, run);
    }
    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> row_weights, const Model& fitted,
                                   Run& run) const override {
        Table without;
        auto weights = TRY(take_out(rows, row_weights, without));
        TableView view = rows;
        view.table = &without;
        return explain_training(*inner_, view, weights, fitted, run);
    }

private:
    Result<std::vector<double>> take_out(const TableView& rows, std::span<const double> row_weights, Table& without) const {
        auto weights = weights_in(rows, column_);
        if (!weights) return weights;
        for (std::size_t i = 0; i < row_weights.size(); ++i) (*weights)[i] *= row_weights[i];
        const std::string names[] = {column_};
        auto dropped = TRY(drop(*rows.table, names));
        without = *dropped;
        return weights;
    }
    LearnerPtr inner_;
    std::string column_;
};

}  // namespace

Result<ModelPtr> train(const Learner& learner, const TableView& rows, std::span<const double> row_weights, Run& run) {
    Prepared prepared;
    TRY(prepare(learner, rows, row_weights, run, prepared));
    return learner.fit(prepared.view, prepared.used, run);
}

Result<Derivation> explain_training(const Learner& learner, const TableView& rows, std::span<const double> row_weights, const Model& fitted,
                                    Run& run) {
    Prepared prepared;
    TRY(prepare(learner, rows, row_weights, run, prepared));
    return learner.explain_fit(prepared.view, prepared.used, fitted, run);
}

Result<ModelPtr> update(const Model& model, const TableView& rows, std::span<const double> row_weights, Run& run) {
    TRY(check_weights(rows, row_weights));
    Prepared prepared;
    prepared.view = rows;
    const Column* target = nullptr;
    if (const Predictor* predictor = model.predictor()) {
        prepared.table = TRY(rows_for_update(predictor->schema(), rows, run));
        prepared.view.table = &*prepared.table;
        target = prepared.table->columns.back().get();
    }
    TRY(keep_rows(rows, target, row_weights, fmt::format("the {}", model.kind()), run, prepared));
    return model.update(prepared.view, prepared.used, run);
}

LearnerPtr weighted_by(LearnerPtr learner, std::string column) {
    return std::make_shared<const WeightedLearner>(std::move(learner), std::move(column));
}

UnweightedLearner unweighted(LearnerPtr learner) {
    const auto* weighted = dynamic_cast<const WeightedLearner*>(learner.get());
    return weighted ? weighted->parts() : UnweightedLearner{std::move(learner)};
}

Result<std::vector<double>> weights_in(const TableView& rows, const std::string& column) {
    const auto found = rows.table->find(column);
    if (!found) return no_such_column(column, column_names(*rows.table));
    const Column& c = *rows.table->columns[*found];
    if (rows.table->target == found)
        return Fault{.code = "E-TRAIN", .message = fmt::format("{} is the target and cannot also count the rows", column)};
    if (c.kind != ColumnKind::numeric)
        return Fault{.code = "E-TYPE", .message = fmt::format("counts: {} has labels, and counts are numbers", column)};
    std::vector<double> out(rows.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double w = c.values[rows.row(i)];
        if (std::isnan(w) || !std::isfinite(w) || w < 0)
            return Fault{.code = "E-TRAIN",
                         .message = std::isnan(w)
                                        ? fmt::format("the count {1} is missing in row {0}", rows.row(i) + 1, column)
                                        : fmt::format("{} is {} in row {}: counts are numbers, 0 or more", column, w, rows.row(i) + 1)};
        out[i] = w;
    }
    return out;
}

}  // namespace credence::rt
