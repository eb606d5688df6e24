#include "runtime/instance/lazy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/instance/bounded_kernels.hpp"
#include "runtime/instance/coordinates.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/answers.hpp"
#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

constexpr std::string_view lazy_kind = "lazy";

/// How a numeric column counts in a distance.
struct LazyUnit {
    double factor = 1;   ///< times a difference
    double lacking = 0;  ///< what a pair with a missing cell adds to the square
};

/// What was learned: the rows themselves, their weights, and the units of distance.
struct Memory {
    LearnerPtr inner;
    std::optional<std::size_t> k;
    LazyKernel kernel;
    AxisScale scaling = AxisScale::none;
    TablePtr table;
    std::vector<double> weights;        ///< one for each row; empty: all 1
    std::vector<std::size_t> features;  ///< columns of the table but the target
    std::vector<LazyUnit> units;        ///< one for each feature

    double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

/// The standard deviation is a sample's (n − 1), where a row of weight w is w rows. A column without spread keeps its own units.
LazyUnit unit_of(const Column& column, std::span<const double> weights, AxisScale scaling) {
    CompensatedSum total;
    CompensatedSum sum;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t r = 0; r < column.rows(); ++r) {
        if (column.is_missing(r)) continue;
        const double w = weights.empty() ? 1.0 : weights[r];
        total.add(w);
        sum.add(w * column.values[r]);
        low = std::min(low, column.values[r]);
        high = std::max(high, column.values[r]);
    }
    const double mean = sum.value() / total.value();
    CompensatedSum squares;
    for (std::size_t r = 0; r < column.rows(); ++r) {
        if (column.is_missing(r)) continue;
        const double d = column.values[r] - mean;
        squares.add((weights.empty() ? 1.0 : weights[r]) * d * d);
    }
    const double variance = total.value() > 1 ? squares.value() / (total.value() - 1) : 0.0;
    LazyUnit out;
    if (scaling == AxisScale::standard && variance > 0) out.factor = 1 / std::sqrt(variance);
    if (scaling == AxisScale::range && high > low) out.factor = 1 / (high - low);
    out.lacking = 2 * variance * out.factor * out.factor;
    return out;
}

/// Squared distances of one aligned row to all stored ones.
void distances_to(const Memory& memory, const Table& query, std::size_t row, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t f = 0; f < memory.features.size(); ++f) {
        const Column& stored = *memory.table->columns[memory.features[f]];
        const Column& asked = *query.columns[f];
        const bool missing = asked.is_missing(row);
        if (stored.kind == ColumnKind::label) {
            const std::int32_t code = asked.codes[row];
            for (std::size_t r = 0; r < out.size(); ++r) out[r] += missing || stored.codes[r] != code ? 1.0 : 0.0;
            continue;
        }
        const LazyUnit unit = memory.units[f];
        for (std::size_t r = 0; r < out.size(); ++r) {
            const double d = (stored.values[r] - asked.values[row]) * unit.factor;
            out[r] += missing || std::isnan(stored.values[r]) ? unit.lacking : d * d;
        }
    }
}

/// The rows that count, ascending, with their weights.
struct NearRows {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
};

NearRows nearest_rows(const Memory& memory, std::span<const double> squared) {
    std::vector<std::uint32_t> order(squared.size());
    std::iota(order.begin(), order.end(), 0U);
    NearRows out;
    if (!memory.k) {
        out.rows = std::move(order);
        for (const auto r : out.rows) out.weights.push_back(memory.weight(r));
        return out;
    }
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) { return squared[a] < squared[b] || (squared[a] == squared[b] && a < b); };
    // As many are sorted as are needed: k, and more where rows weigh less than 1.
    std::vector<std::pair<std::uint32_t, double>> taken;
    for (std::size_t sorted = *memory.k;; sorted *= 2) {
        sorted = std::min(sorted, order.size());
        const auto middle = order.begin() + static_cast<std::ptrdiff_t>(sorted);
        if (sorted < order.size()) std::nth_element(order.begin(), middle, order.end(), nearer);
        std::sort(order.begin(), middle, nearer);
        taken.clear();
        double left = static_cast<double>(*memory.k);
        for (std::size_t i = 0; i < sorted && left > 0; ++i) {
            const double count = std::min(left, memory.weight(order[i]));
            left -= count;
            taken.emplace_back(order[i], count);
        }
        if (!(left > 0) || sorted == order.size()) break;
    }
    std::sort(taken.begin(), taken.end());
    for (const auto& [row, count] : taken) {
        out.rows.push_back(row);
        out.weights.push_back(count);
    }
    return out;
}

constexpr double nowhere = 1e-300;  ///< a squared distance that is none

Status weigh(const Memory& memory, std::span<const double> squared, NearRows& near) {
    const LazyKernel& kernel = memory.kernel;
    if (kernel.kind == LazyKernel::Kind::none) return Done{};
    double least = squared[near.rows[0]];
    for (const auto r : near.rows) least = std::min(least, squared[r]);
    // Far from all rows every gaussian weight is 0 in doubles; their ratios are not, so the nearest then counts 1.
    const double shift = std::exp(-least / (2 * kernel.s * kernel.s)) < 1e-200 ? least : 0.0;
    for (std::size_t i = 0; i < near.rows.size(); ++i) {
        const double d2 = squared[near.rows[i]];
        double w = 0;
        switch (kernel.kind) {
            case LazyKernel::Kind::none:
                w = 1;
                break;
            case LazyKernel::Kind::gaussian:
                w = std::exp(-(d2 - shift) / (2 * kernel.s * kernel.s));
                break;
            case LazyKernel::Kind::inverse_square:
                w = least < nowhere ? (d2 < nowhere ? 1.0 : 0.0) : 1 / d2;
                break;
            case LazyKernel::Kind::tricube:
                w = tricube_weight(std::sqrt(d2) / kernel.s);
                break;
            case LazyKernel::Kind::epanechnikov:
                w = epanechnikov_weight(std::sqrt(d2) / kernel.s);
                break;
            case LazyKernel::Kind::function: {
                auto given = TRY(kernel.function(std::sqrt(d2)));
                if (!std::isfinite(given) || given < 0)
                    return Fault{
                        .code = "E-TRAIN",
                        .message = fmt::format("the kernel gives {} at distance {}: weights are numbers, 0 or more", given, std::sqrt(d2))};
                w = given;
                break;
            }
        }
        near.weights[i] *= w;
    }
    return Done{};
}

/// The label that all rows of positive weight share, or −1.
std::int32_t only_label(const Memory& memory, const NearRows& near) {
    const Column& target = *memory.table->columns[*memory.table->target];
    std::int32_t out = -1;
    for (std::size_t i = 0; i < near.rows.size(); ++i) {
        if (near.weights[i] == 0) continue;
        const auto code = target.codes[near.rows[i]];
        if (out >= 0 && code != out) return -1;
        out = code;
    }
    return out;
}

/// A model for one query, and the query as that model wants it.
struct Local {
    ModelPtr model;
    Table row;
    std::int32_t only = -1;  ///< the answer, where there is no model
    NearRows near = {};

    TableView view() const { return {.table = &row, .rows = {}}; }
};

Result<Local> local_model(const Memory& memory, const TableView& rows, std::size_t i, Run& run) {
    if (run.stopped()) return stopped_fault();
    std::vector<double> squared(memory.table->row_count);
    distances_to(memory, *rows.table, rows.row(i), squared);
    NearRows near = nearest_rows(memory, squared);
    TRY(weigh(memory, squared, near));
    Run own = run;
    own.note = nullptr;  // what hundreds of local trainings leave out is not worth a note
    Local out;
    auto model = train(*memory.inner, {.table = memory.table.get(), .rows = near.rows, .all = false}, near.weights, own);
    if (!model) {
        const bool labels = memory.table->columns[*memory.table->target]->kind == ColumnKind::label;
        if (labels && model.fault().code == "E-TRAIN") out.only = only_label(memory, near);
        if (out.only >= 0) {
            out.near = std::move(near);
            return out;
        }
        Fault fault = std::move(model).fault();
        fault.message += fmt::format(" (lazy: {})", counted(near.rows.size(), "neighbour"));
        return fault;
    }
    out.model = *std::move(model);
    out.near = std::move(near);
    const Predictor* predictor = out.model->predictor();
    if (!predictor)
        return Fault{
            .code = "E-TRAIN",
            .message = fmt::format("lazy needs a learner that predicts a target, but {} models all columns", memory.inner->name())};
    const std::uint32_t one[] = {static_cast<std::uint32_t>(rows.row(i))};
    auto single = TRY(take_rows(*rows.table, one));
    out.row = TRY(align(predictor->schema(), *single));
    TRY(predictor->check_cells(out.view()));
    return out;
}

/// The rows that the model of one query is trained on, then its own story.
Derivation told_by(const Memory& memory, const Local& local, Derivation story) {
    DerivationWriter out;
    const Column& target = *memory.table->columns[*memory.table->target];
    out.note(fmt::format("{} is trained on {} of {} rows{}:", memory.inner->name(), local.near.rows.size(), memory.table->row_count,
                         memory.kernel.kind == LazyKernel::Kind::none ? "" : ", weighted by the kernel"));
    for (std::size_t i = 0; i < local.near.rows.size(); ++i)
        out.note(fmt::format("  row {}: {} {}{}", local.near.rows[i] + 1, target.name, target.label(local.near.rows[i]).text(),
                             local.near.weights[i] == 1 ? "" : fmt::format(", weight {:.6g}", local.near.weights[i])));
    // Kernel weights are rounded numbers, and so is what they lead to.
    if (memory.kernel.kind != LazyKernel::Kind::none)
        for (auto& line : story)
            for (auto& part : line.parts)
                if (auto* number = std::get_if<Number>(&part); number && line.kind == DerivationLine::Kind::result)
                    *number = Number::real(number->real());
    Derivation all = std::move(out).take();
    all.insert(all.end(), std::make_move_iterator(story.begin()), std::make_move_iterator(story.end()));
    return all;
}

/// The memory with more rows, as if all had been learned at once.
Result<ModelPtr> with_more_memory(const Memory& memory, const TableView& rows, std::span<const double> weights, Run& run) {
    auto table = TRY(with_more_rows(*memory.table, rows));
    const auto all = with_more_weights(memory.weights, memory.table->row_count, weights, rows.size());
    return train(*make_lazy(memory.inner, memory.k, memory.kernel, memory.scaling), {.table = table.get(), .rows = {}}, all, run);
}

std::string lazy_kernel_text(const LazyKernel& kernel) {
    switch (kernel.kind) {
        case LazyKernel::Kind::none:
            return "none";
        case LazyKernel::Kind::gaussian:
            return fmt::format("gaussian({:.6g})", kernel.s);
        case LazyKernel::Kind::inverse_square:
            return "inverse_square";
        case LazyKernel::Kind::tricube:
            return fmt::format("tricube({:.6g})", kernel.s);
        case LazyKernel::Kind::epanechnikov:
            return fmt::format("epanechnikov({:.6g})", kernel.s);
        case LazyKernel::Kind::function:
            return "a function";
    }
    return {};
}

/// A distance is over all columns.
std::vector<std::size_t> not_given(std::span<const char> given) {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < given.size(); ++c)
        if (!given[c]) out.push_back(c);
    return out;
}

/// What a lazy classifier and a lazy regressor share.
template <class Base>
class LazyPredictor : public Base {
public:
    LazyPredictor(Schema schema, Memory memory) : Base(std::move(schema), memory.table->row_count), memory_(std::move(memory)) {}
    std::string_view kind() const override { return lazy_kind; }
    ModelParts parts() const override {
        ModelParts out{words_part("learner", std::string(memory_.inner->name()))};
        out.push_back(memory_.k ? count_part("k", *memory_.k) : words_part("k", "all"));
        out.push_back(words_part("kernel", lazy_kernel_text(memory_.kernel)));
        out.push_back(words_part("scale", std::string(name_of(memory_.scaling))));
        out.push_back(count_part("rows", memory_.table->row_count));
        return out;
    }
    bool takes_missing() const override { return true; }
    Result<Derivation> explain_prediction(const TableView& rows, Run& run) const override {
        auto local = TRY(local_model(memory_, rows, 0, run));
        // Where all the rows nearby have one label, there is no model.
        auto story =
            TRY(local.only >= 0 ? Base::explain_prediction(rows, run) : local.model->predictor()->explain_prediction(local.view(), run));
        return told_by(memory_, local, std::move(story));
    }
    std::vector<std::size_t> columns_needed(const Table&, std::size_t, std::span<const char> given) const override {
        return not_given(given);
    }
    Result<ModelPtr> update(const TableView& rows, std::span<const double> weights, Run& run) const override {
        return with_more_memory(memory_, rows, weights, run);
    }

protected:
    Memory memory_;
};

class LazyClassifier final : public LazyPredictor<Classifier>, public AnswersTogether {
public:
    using LazyPredictor::LazyPredictor;
    Status probabilities(const TableView& rows, std::span<double> out, Run& run) const override {
        const std::size_t labels = schema_.target.domain->size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto local = TRY(local_model(memory_, rows, i, run));
            const auto place = out.subspan(i * labels, labels);
            if (local.only >= 0) {
                certain(local.only, place);
                continue;
            }
            Status done = dynamic_cast<const Classifier&>(*local.model).probabilities(local.view(), place, run);
            if (!done) return done;
        }
        return Done{};
    }
    Status classify(const TableView& rows, std::span<std::int32_t> out, Run& run) const override {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto local = TRY(local_model(memory_, rows, i, run));
            out[i] = local.only;
            if (local.only >= 0) continue;
            Status done = dynamic_cast<const Classifier&>(*local.model).classify(local.view(), out.subspan(i, 1), run);
            if (!done) return done;
        }
        return Done{};
    }
    Status answer(const TableView& rows, std::span<std::int32_t> said, std::span<double> shares, Run& run) const override {
        const std::size_t labels = schema_.target.domain->size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto local = TRY(local_model(memory_, rows, i, run));
            const auto place = shares.subspan(i * labels, labels);
            if (local.only >= 0) {
                said[i] = local.only;
                certain(local.only, place);
                continue;
            }
            Status done = answers_of(dynamic_cast<const Classifier&>(*local.model), local.view(), said.subspan(i, 1), place, run);
            if (!done) return done;
        }
        return Done{};
    }
    Attempt<std::vector<Rational>> exact_probabilities(const TableView& rows, Run& run) const override {
        // Kernel weights are rounded numbers: only votes of equal weight stay fractions.
        if (memory_.kernel.kind != LazyKernel::Kind::none) return not_applicable;
        auto local = TRY(local_model(memory_, rows, 0, run));
        if (local.only >= 0) return not_applicable;
        return dynamic_cast<const Classifier&>(*local.model).exact_probabilities(local.view(), run);
    }

private:
    static void certain(std::int32_t label, std::span<double> shares) {
        std::fill(shares.begin(), shares.end(), 0.0);
        shares[static_cast<std::size_t>(label)] = 1;
    }
};

class LazyRegressor final : public LazyPredictor<Regressor> {
public:
    using LazyPredictor::LazyPredictor;
    Status predict(const TableView& rows, std::span<double> out, Run& run) const override {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto local = TRY(local_model(memory_, rows, i, run));
            Status done = dynamic_cast<const Regressor&>(*local.model).predict(local.view(), out.subspan(i, 1), run);
            if (!done) return done;
        }
        return Done{};
    }
    Attempt<Rational> exact_prediction(const TableView& rows, Run& run) const override {
        if (memory_.kernel.kind != LazyKernel::Kind::none) return not_applicable;
        auto local = TRY(local_model(memory_, rows, 0, run));
        return dynamic_cast<const Regressor&>(*local.model).exact_prediction(local.view(), run);
    }
    Result<DistributionPtr> distribution(const TableView& rows, Run& run) const override {
        auto local = TRY(local_model(memory_, rows, 0, run));
        return dynamic_cast<const Regressor&>(*local.model).distribution(local.view(), run);
    }
};

class Lazy final : public Learner {
public:
    Lazy(LearnerPtr inner, std::optional<std::size_t> k, LazyKernel kernel, AxisScale scaling)
        : inner_(std::move(inner)), k_(k), kernel_(std::move(kernel)), scaling_(scaling) {}
    std::string_view name() const override { return lazy_kind; }
    TargetKind target() const override { return inner_->target(); }
    TargetKind target_for(const Column& numbers) const override { return inner_->target_for(numbers); }
    bool single_threaded() const override { return kernel_.kind == LazyKernel::Kind::function || inner_->single_threaded(); }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run&) const override {
        if (inner_->target() == TargetKind::none)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("lazy needs a learner that predicts a target, but {} models all columns", inner_->name())};
        Memory memory{.inner = inner_,
                      .k = k_,
                      .kernel = kernel_,
                      .scaling = scaling_,
                      .table = {},
                      .weights = {weights.begin(), weights.end()},
                      .features = {},
                      .units = {}};
        std::vector<std::uint32_t> all;
        for (std::size_t i = 0; i < rows.size(); ++i) all.push_back(static_cast<std::uint32_t>(rows.row(i)));
        memory.table = TRY(take_rows(*rows.table, all));
        for (std::size_t c = 0; c < memory.table->columns.size(); ++c) {
            if (memory.table->target == c) continue;
            const Column& column = *memory.table->columns[c];
            memory.features.push_back(c);
            memory.units.push_back(column.kind == ColumnKind::numeric ? unit_of(column, weights, scaling_) : LazyUnit{});
        }
        const Schema schema = schema_of(*memory.table);
        if (schema.target.kind == ColumnKind::label) return ModelPtr(std::make_shared<const LazyClassifier>(schema, std::move(memory)));
        return ModelPtr(std::make_shared<const LazyRegressor>(schema, std::move(memory)));
    }
    Result<Derivation> explain_fit(const TableView&, std::span<const double>, const Model& fitted, Run&) const override {
        DerivationWriter out;
        out.note(fmt::format("{} rows are stored unchanged; for each query {} is trained on {}.", fitted.predictor()->rows_seen(),
                             inner_->name(), k_ ? fmt::format("the {} nearest of them", *k_) : "all of them, weighted by the kernel"));
        return std::move(out).take();
    }

private:
    LearnerPtr inner_;
    std::optional<std::size_t> k_;
    LazyKernel kernel_;
    AxisScale scaling_;
};

}  // namespace

LearnerPtr make_lazy(LearnerPtr inner, std::optional<std::size_t> k, LazyKernel kernel, AxisScale scaling) {
    return std::make_shared<const Lazy>(std::move(inner), k, std::move(kernel), scaling);
}

}  // namespace credence::rt
