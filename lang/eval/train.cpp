// train LEARNER on DATA [by METHOD].

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/prob/learning/block_training.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/blocks_model.hpp"
#include "runtime/prob/queries/conditioned.hpp"

namespace credence::lang {

namespace {

/// What parse(…) gives is data by its tree in brackets.
std::optional<rt::Label> tree_label(const Value& item) {
    const auto* record = item.get<RecordPtr>();
    const Value* text = record && (*record)->find("tree") ? (*record)->find("text") : nullptr;
    return text ? text->as_label() : std::nullopt;
}

/// A list where a model has one variable: a table of that one column. Lists in the list are sequences of their own: a column `sequence`
/// beside it numbers them.
Result<rt::TablePtr> column_of(const List& outer, const std::string& name) {
    List items;
    rt::ColumnBuilder column(name);
    rt::ColumnBuilder number("sequence");
    const bool nested = !outer.empty() && std::all_of(outer.begin(), outer.end(), [](const Value& v) { return v.is<ListPtr>(); });
    for (std::size_t i = 0; nested && i < outer.size(); ++i)
        for (const auto& item : **outer[i].get<ListPtr>()) {
            items.push_back(item);
            number.add(rt::Label::of_number(rt::Number(rt::Rational(static_cast<std::int64_t>(i + 1)))));
        }
    if (!nested) items = outer;
    for (const auto& item : items) {
        if (item.is<AnyMark>()) {
            column.add_missing();
            continue;
        }
        const auto label = item.is<RecordPtr>() ? tree_label(item) : item.as_label();
        if (!label)
            return Fault{.code = "E-TYPE", .message = fmt::format("data are numbers and labels, and this list has {}", item.kind())};
        column.add(*label);
    }
    auto built = TRY(std::move(column).finish());
    auto table = std::make_shared<rt::Table>();
    table->row_count = items.size();
    table->columns.push_back(std::move(built));
    if (nested) {
        auto numbers = TRY(std::move(number).finish());
        table->columns.push_back(std::move(numbers));
    }
    return rt::TablePtr(std::move(table));
}

}  // namespace

Result<Evaluator::Training> Evaluator::training_of(const Train& train, Span span, Frame& frame) {
    auto what = eval(*train.learner, frame);
    if (!what) return std::move(what).fault();
    if (makes_learner(*what)) {
        what = call(*what, {});
        if (!what) return at(std::move(what).fault(), train.learner->span);
    }
    auto data = TRY(eval(*train.data, frame));
    Training out;
    const auto* model = what->get<ModelValue>();
    if (const auto* learner = what->get<LearnerValuePtr>()) {
        if (train.by)
            return fault("E-TRAIN", fmt::format("{} has its own training algorithm: `by` is for models with holes", (*learner)->name),
                         train.by->span, {}, fmt::format("give its parameters instead: help {}", (*learner)->name));
        out.learner = (*learner)->learner;
    } else if (model) {
        rt::MethodCall method;
        if (train.by) { method = TRY(method_call(*train.by, MethodUse::training, *model->model, frame)); }
        auto trainer = model->model->trainer(method);
        if (!trainer) return at(std::move(trainer).fault(), span);
        out.learner = *std::move(trainer);
    } else {
        const bool function = what->is<FunctionPtr>();
        const auto* record = what->get<RecordPtr>();
        if (const Value* inner = record ? (*record)->find("learner") : nullptr; inner && inner->is<LearnerValuePtr>())
            return fault("E-TYPE", "train takes a learner, and this is a record that has one", train.learner->span,
                         "its .learner can learn", fmt::format("train {}.learner on …", source_->text(train.learner->span)));
        return fault("E-TYPE", fmt::format("train takes a learner or a model with holes, not {}", what->kind()), train.learner->span,
                     "this cannot learn", function ? fmt::format("call it: train {}() on …", source_->text(train.learner->span)) : "");
    }
    if (const auto* table = data.get<rt::TablePtr>()) {
        out.table = *table;
        return out;
    }
    if (const auto* rows = data.get<ModelValue>()) out.blocks = rt::blocks_of(*rows->model);
    if (out.blocks) return out;
    if (const List* items = data.items()) {
        std::vector<std::string> names;
        if (model)
            for (const auto id : rt::listed_variables(*model->model))
                names.push_back(model->model->variables()[rt::index(id)].variable.name);
        const std::string name = model && model->model->kind() == "mixture" ? "x" : names.size() == 1 ? names[0] : "x";
        if (model && names.size() > 1 && name != "x")
            return fault("E-TYPE", fmt::format("a list is data for one variable, and {} has {}", model->name, names.size()),
                         train.data->span, {}, "give a table with a column for each");
        auto table = column_of(*items, name);
        if (!table) return at(std::move(table).fault(), train.data->span);
        out.table = *std::move(table);
        return out;
    }
    const auto* file = data.get<TextPtr>();
    return fault("E-TYPE", fmt::format("train … on takes a table, not {}", data.kind()), train.data->span, {},
                 file && (*file)->find('.') != std::string::npos
                     ? fmt::format("a file is loaded first: train … on load(\"{}\", target: COLUMN)", **file)
                     : "");
}

Result<rt::ModelPtr> Evaluator::fit(const Training& training, Span span) {
    const Span outer = std::exchange(statement_span_, span);
    run_.rng = world_.rng.child("train");
    run_.note = [this](std::string text) { add_note(std::move(text), true); };
    auto model = training.blocks ? rt::train(*training.learner, *training.blocks, run_)
                                 : rt::train(*training.learner, {.table = training.table.get(), .rows = {}}, {}, run_);
    statement_span_ = outer;
    if (!model) return at(std::move(model).fault(), span);
    return model;
}

Result<Value> Evaluator::eval_train(const Train& train, Span span, Frame& frame) {
    if (run_.stopped()) return rt::stopped_fault();
    auto training = TRY(training_of(train, span, frame));
    auto model = TRY(fit(training, span));
    return Value(Value::Node(ModelValue{std::move(model), {}}));
}

}  // namespace credence::lang
