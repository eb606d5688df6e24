// train LEARNER on DATA [by METHOD].

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/prob/learning/learning.hpp"
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

Result<rt::TrainingMethod> Evaluator::method_of(const Train& train, Frame& frame) {
    rt::TrainingMethod out;
    if (!train.by) return out;
    out.origin = origin(train.by->span);
    auto value = TRY(eval(*train.by, frame));
    if (const auto label = value.as_label()) {
        out.name = label->text();
        return out;
    }
    const auto* option = value.get<OptionPtr>();
    if (!option)
        return fault("E-TRAIN", fmt::format("by takes the name of a method, not {}", value.kind()), train.by->span, {},
                     "as in by em(restarts: 5)");
    out.name = (*option)->name;
    const auto& written = std::get<Call>(train.by->node).arguments;
    std::size_t i = 0;
    const auto add = [&](std::string name, const Value& v) -> Status {
        const Span span = written[i++].value->span;
        rt::TrainingMethod::Argument argument{std::move(name), {}, origin(span)};
        if (const auto* n = v.get<rt::Number>())
            argument.value = *n;
        else if (const auto* m = v.get<ModelValue>())
            argument.value = m->model;
        else if (const auto label = v.as_label())
            argument.value = label->text();
        else if (const List* items = v.items()) {
            std::vector<rt::Number> numbers;
            for (const auto& item : *items) {
                const auto* entry = item.get<rt::Number>();
                if (!entry) return fault("E-TYPE", fmt::format("a list of numbers is needed here, and it has {}", item.kind()), span);
                numbers.push_back(*entry);
            }
            argument.value = std::move(numbers);
        } else {
            return fault("E-TYPE", fmt::format("a method takes numbers, words, lists of numbers and models, not {}", v.kind()), span);
        }
        out.arguments.push_back(std::move(argument));
        return rt::Done{};
    };
    for (const auto& v : (*option)->positional) TRY(add({}, v));
    for (const auto& [name, v] : (*option)->named) TRY(add(name, v));
    return out;
}

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
            return fault("E-TRAIN", fmt::format("{} has its own way of learning: `by` is for models with holes", (*learner)->name),
                         train.by->span, {}, fmt::format("give its parameters instead: help {}", (*learner)->name));
        out.learner = (*learner)->learner;
    } else if (model) {
        auto method = TRY(method_of(train, frame));
        auto trainer = model->model->trainer(method);
        if (!trainer) return at(std::move(trainer).fault(), span);
        out.learner = *std::move(trainer);
    } else {
        const bool function = what->is<FunctionPtr>();
        return fault("E-TYPE", fmt::format("train takes a learner or a model with holes, not {}", what->kind()), train.learner->span,
                     "this cannot learn", function ? fmt::format("call it: train {}() on …", source_->text(train.learner->span)) : "");
    }
    if (const auto* table = data.get<rt::TablePtr>()) {
        out.table = *table;
        return out;
    }
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
    return fault("E-TYPE", fmt::format("train … on takes a table, not {}", data.kind()), train.data->span);
}

Result<rt::ModelPtr> Evaluator::fit(const Training& training, Span span) {
    const Span outer = std::exchange(statement_span_, span);
    run_.rng = world_.rng.child("train");
    run_.note = [this](std::string text) { note(std::move(text)); };
    auto model = rt::train(*training.learner, {.table = training.table.get(), .rows = {}}, {}, run_);
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
