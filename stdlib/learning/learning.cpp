// Learning in common: predict, update, and the baseline that any learner has to beat.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/messages.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/classify/baseline.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/empirical.hpp"
#include "runtime/prob/learning.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

constexpr const char* subject = "learning";

/// One cell of a row that the script gave.
Result<rt::ColumnPtr> cell(const rt::Field& field, const Value& value, rt::Origin origin) {
    rt::ColumnBuilder column(field.name);
    if (value.is<AnyMark>()) {
        column.add_missing();
        return std::move(column).finish(field.kind);
    }
    const auto label = value.as_label();
    if (!label)
        return Fault{
            .code = "E-TYPE", .message = fmt::format("{} is a label or a number, not {}", field.name, value.kind()), .origin = origin};
    if (field.kind == rt::ColumnKind::numeric && !label->number())
        return Fault{.code = "E-TYPE", .message = fmt::format("{} is a number, not '{}'", field.name, label->text()), .origin = origin};
    if (field.kind == rt::ColumnKind::label && field.domain && !field.domain->find(*label)) {
        Fault fault = no_such_label({field.name, field.domain}, *label);
        fault.origin = origin;
        return fault;
    }
    column.add(*label);
    return std::move(column).finish(field.kind);
}

Result<rt::TablePtr> one_row(const rt::Schema& schema, std::span<const Value* const> cells, rt::Origin origin) {
    static const Value missing{Value::Node(AnyMark{})};
    rt::Table row;
    row.row_count = 1;
    for (std::size_t i = 0; i < schema.features.size(); ++i) {
        auto column = cell(schema.features[i], cells[i] ? *cells[i] : missing, origin);
        if (!column) return std::move(column).fault();
        row.columns.push_back(*std::move(column));
    }
    auto aligned = rt::align(schema, row);
    if (!aligned) return std::move(aligned).fault();
    return std::make_shared<const rt::Table>(*std::move(aligned));
}

std::vector<std::string> feature_names(const rt::Schema& schema) {
    std::vector<std::string> out;
    for (const auto& f : schema.features) out.push_back(f.name);
    return out;
}

Result<rt::TablePtr> row_of_record(const rt::Schema& schema, const Record& record, rt::Origin origin) {
    const auto names = feature_names(schema);
    std::vector<const Value*> cells(names.size(), nullptr);
    for (const auto& [key, value] : record.entries) {
        if (key == schema.target.name) continue;
        const auto found = std::find(names.begin(), names.end(), key);
        if (found == names.end()) {
            Fault fault{.code = "E-COLUMN",
                        .message = fmt::format("the model knows no column {}", key),
                        .origin = origin,
                        .label = fmt::format("its columns are {}", fmt::join(names, ", "))};
            if (const auto near = rt::nearest(key, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
            return fault;
        }
        cells[static_cast<std::size_t>(found - names.begin())] = &value;
    }
    return one_row(schema, cells, origin);
}

Result<rt::TablePtr> row_of_items(const rt::Schema& schema, const List& items, rt::Origin origin) {
    if (items.size() != schema.features.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{} value{} for {} column{}", items.size(), items.size() == 1 ? "" : "s",
                                            schema.features.size(), schema.features.size() == 1 ? "" : "s"),
                     .origin = origin,
                     .label = fmt::format("the columns are {}", fmt::join(feature_names(schema), ", "))};
    std::vector<const Value*> cells;
    for (const auto& item : items) cells.push_back(&item);
    return one_row(schema, cells, origin);
}

/// Predictions of aligned rows, as values.
Result<List> predictions(CallContext& c, const rt::Predictor& predictor, const rt::Table& rows) {
    const rt::TableView view{.table = &rows, .rows = {}};
    rt::Status cells = predictor.check_cells(view);
    if (!cells) return std::move(cells).fault();
    List out;
    if (const auto* classifier = dynamic_cast<const rt::Classifier*>(&predictor)) {
        std::vector<std::int32_t> codes(rows.row_count);
        rt::Status done = classifier->classify(view, codes, c.run());
        if (!done) return std::move(done).fault();
        for (const auto code : codes) out.push_back(Value::label((*predictor.schema().target.domain)[static_cast<std::size_t>(code)]));
        return out;
    }
    const auto& regressor = dynamic_cast<const rt::Regressor&>(predictor);
    if (rows.row_count <= rt::max_exact_rows && c.run().numbers != rt::NumberMode::real) {
        for (std::uint32_t r = 0; r < rows.row_count; ++r) {
            auto exact = regressor.exact_prediction({.table = &rows, .rows = {&r, 1}, .all = false}, c.run());
            if (!exact) return std::move(exact).fault();
            if (!*exact) break;
            out.emplace_back(rt::Number(**exact));
        }
        if (out.size() == rows.row_count) return out;
        out.clear();
    }
    std::vector<double> numbers(rows.row_count);
    rt::Status done = regressor.predict(view, numbers, c.run());
    if (!done) return std::move(done).fault();
    for (const double y : numbers) out.push_back(number_value(y));
    return out;
}

/// A model that answers P but was not trained on a target: the one variable that the record leaves open, or a table's target.
Result<Value> predict_open(CallContext& c, const ModelValue& m, const rt::Schema& schema, const Value& x) {
    auto rows = rows_for(c, schema, x, c.argument(1));
    if (!rows) return std::move(rows).fault();
    List out;
    rt::VarId target{};
    std::vector<rt::VarId> ids;
    for (const auto& field : schema.features)
        for (std::size_t v = 0; v < m.model->variables().size(); ++v)
            if (m.model->variables()[v].variable.name == field.name) ids.push_back(static_cast<rt::VarId>(v));
    for (std::size_t v = 0; v < m.model->variables().size(); ++v)
        if (m.model->variables()[v].variable.name == schema.target.name) target = static_cast<rt::VarId>(v);
    for (std::size_t r = 0; r < (*rows)->row_count; ++r) {
        rt::Query query;
        query.targets.free = {target};
        for (std::size_t k = 0; k < ids.size(); ++k)
            if (!(*rows)->columns[k]->is_missing(r)) {
                rt::Event event;
                event.atom = {ids[k], rt::Compare::equal, {(*rows)->columns[k]->label(r)}, c.argument(1)};
                query.given.events.push_back(std::move(event));
            }
        auto answer = m.model->ask(query, c.run());
        if (!answer) return std::move(answer).fault();
        const auto* f = std::get_if<rt::Factor>(&answer->value);
        if (!f)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} is real-valued: ask P({} | …)", schema.target.name, schema.target.name)};
        out.push_back(Value::label(f->labels(rt::argmax(*f).entry)[0]));
    }
    return x.is<rt::TablePtr>() ? Value::list(std::move(out)) : out[0];
}

/// What such a model predicts, and from what.
Result<rt::Schema> open_schema(const ModelValue& m, const Value& x, const std::optional<std::string>& target, rt::Origin origin) {
    if (m.model->kind() == "pca")
        return Fault{.code = "E-TYPE",
                     .message = "principal components predict nothing: they turn a table into one of fewer columns",
                     .origin = origin,
                     .hint = "transform(model, t)"};
    std::vector<const rt::Variable*> open;
    rt::Schema schema;
    const auto* record = x.get<RecordPtr>();
    const auto* table = x.get<rt::TablePtr>();
    const auto given = [&](const std::string& name) {
        if (target) return name != *target;
        if (table) return (*table)->target ? (*table)->columns[*(*table)->target]->name != name : (*table)->find(name).has_value();
        return record && (*record)->find(name) != nullptr;
    };
    for (const auto& v : m.model->variables()) {
        if (v.next) continue;
        const bool discrete = v.variable.is_discrete();
        if (given(v.variable.name))
            schema.features.push_back({v.variable.name, discrete ? rt::ColumnKind::label : rt::ColumnKind::numeric, v.variable.domain});
        else
            open.push_back(&v.variable);
    }
    if (open.size() != 1) {
        std::string names;
        for (const auto* v : open) names += (names.empty() ? "" : ", ") + v->name;
        return Fault{.code = "E-ARGUMENT",
                     .message = open.empty() ? "nothing is left to predict" : fmt::format("several variables are open: {}", names),
                     .origin = origin,
                     .hint = "give all but one, or ask argmax P(X | …)"};
    }
    schema.target = {open[0]->name, open[0]->is_discrete() ? rt::ColumnKind::label : rt::ColumnKind::numeric, open[0]->domain};
    return schema;
}

/// Whether a list is rows to predict one by one: instances or records, or the values of a model's only column.
bool is_rows(const List& items, const ModelValue& m, const rt::Predictor* predictor) {
    if (items.empty()) return true;
    const auto all = [&](auto test) { return std::all_of(items.begin(), items.end(), test); };
    if (all([](const Value& v) { return v.is<InstancePtr>() || v.is<RecordPtr>(); })) return true;
    const auto known = std::count_if(m.model->variables().begin(), m.model->variables().end(), [](const auto& v) { return !v.next; });
    const auto features = predictor ? static_cast<std::ptrdiff_t>(predictor->schema().features.size()) : known - 1;
    return features == 1 && all([](const Value& v) { return v.as_label().has_value(); });
}

Result<Value> predict(CallContext& c, Value model, Value x) {
    ModelValue m;
    std::optional<std::string> target;
    if (const auto* given = model.get<ModelValue>())
        m = *given;
    else if (const auto* table = model.get<rt::TablePtr>()) {
        m = {rt::make_empirical_model(*table), "the table"};
        if ((*table)->target) target = (*table)->columns[*(*table)->target]->name;
    } else {
        return Fault{
            .code = "E-TYPE", .message = fmt::format("predict takes a trained model, not {}", model.kind()), .origin = c.argument(0)};
    }
    const rt::Predictor* predictor = m.model->predictor();
    if (const auto* items = x.get<ListPtr>(); items && is_rows(**items, m, predictor)) {
        List out;
        for (const auto& item : **items) {
            auto one = predict(c, model, item.as_label() ? Value::instance({item}) : item);
            if (!one) return one;
            out.push_back(*std::move(one));
        }
        return Value::list(std::move(out));
    }
    if (!predictor) {
        auto schema = open_schema(m, x, target, c.argument(1));
        if (!schema) return std::move(schema).fault();
        return predict_open(c, m, *schema, x);
    }
    auto rows = rows_for(c, predictor->schema(), x, c.argument(1));
    if (!rows) return std::move(rows).fault();
    c.run().rng = c.rng().child("predict");
    c.run().note = [&c](std::string text) { c.note(std::move(text)); };
    auto out = predictions(c, *predictor, **rows);
    c.run().note = {};
    if (!out) {
        Fault fault = std::move(out).fault();
        if (fault.origin == rt::Origin::none) fault.origin = c.argument(1);
        return fault;
    }
    return x.is<rt::TablePtr>() ? Value::list(*std::move(out)) : (*out)[0];
}

Result<rt::Derivation> explain_predict(CallContext& c, Arguments arguments) {
    const auto* m = arguments[0]->get<ModelValue>();
    const rt::Predictor* predictor = m ? m->model->predictor() : nullptr;
    if (!predictor)
        return Fault{
            .code = "E-EXPLAIN", .message = "predict of this model has no derivation of its own", .hint = "explain P(X | …) in model"};
    if (arguments[1]->is<rt::TablePtr>())
        return Fault{.code = "E-EXPLAIN", .message = "explain predict tells of one row", .origin = c.argument(1), .hint = "take one: t[1]"};
    auto rows = rows_for(c, predictor->schema(), *arguments[1], c.argument(1));
    if (!rows) return std::move(rows).fault();
    c.run().rng = c.rng().child("predict");
    return predictor->explain_prediction({.table = rows->get(), .rows = {}}, c.run());
}

}  // namespace

Result<rt::TablePtr> rows_for(CallContext& context, const rt::Schema& schema, const Value& value, rt::Origin origin) {
    if (const auto* table = value.get<rt::TablePtr>()) {
        std::size_t unseen = 0;
        auto aligned = rt::align(schema, **table, &unseen);
        if (!aligned) {
            Fault fault = std::move(aligned).fault();
            fault.origin = origin;
            return fault;
        }
        if (unseen > 0)
            context.note(fmt::format("{} cell{} that training never saw {} taken as missing", unseen,
                                     unseen == 1 ? " has a label" : "s have labels", unseen == 1 ? "is" : "are"));
        return std::make_shared<const rt::Table>(*std::move(aligned));
    }
    if (const auto* record = value.get<RecordPtr>()) return row_of_record(schema, **record, origin);
    if (const List* items = value.items(); items && !value.is<SetPtr>()) return row_of_items(schema, *items, origin);
    if (schema.features.size() == 1 && value.as_label()) return row_of_items(schema, {value}, origin);
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a row is an instance <…>, a record or a table, not {}", value.kind()),
                 .origin = origin,
                 .label = fmt::format("the columns are {}", fmt::join(feature_names(schema), ", "))};
}

void add_learning(Registry& r) {
    using V = Value;
    Builtin predicting = bind(
        {subject,
         "predict",
         {{"model"}, {"x"}},
         "What a trained model says for an instance <…>, a record, or each row of a table or list (then a list): a label or a number.",
         "predict(train baseline() on weather, <hot>) == \"yes\""},
        +[](CallContext& c, Value model, Value x) -> Result<V> { return predict(c, std::move(model), std::move(x)); });
    predicting.explain = explain_predict;
    r.add(std::move(predicting));

    r.add(bind(
        {subject,
         "update",
         {{"model"}, {"rows"}, {"counts", "none"}},
         "The model after learning on from more rows, where it can: counts, naive Bayes, neighbours, conjugate posteriors.",
         "predict(update(train baseline() on weather, weather), <hot>) == \"yes\""},
        +[](CallContext& c, ModelValue m, rt::TablePtr rows, std::optional<ColumnName> counts) -> Result<V> {
            const rt::TableView view{.table = rows.get(), .rows = {}};
            std::vector<double> weights;
            if (counts) {
                auto given = rt::weights_in(view, counts->text);
                if (!given) return std::move(given).fault();
                weights = *std::move(given);
            }
            rt::Run run = c.run();
            run.rng = c.rng().child("train");
            run.note = [&c](std::string text) { c.note(std::move(text)); };
            auto out = rt::update(*m.model, view, weights, run);
            if (!out) {
                Fault fault = std::move(out).fault();
                if (fault.origin == rt::Origin::none) fault.origin = c.argument(1);
                return fault;
            }
            return V(V::Node(ModelValue{*std::move(out), {}}));
        }));

    r.add_learner(bind(
        {subject,
         "baseline",
         {},
         "A learner that looks at the target alone: predicts its most frequent label, or its mean. What any other has to beat.",
         "predict(train baseline() on weather, <hot>) == \"yes\""},
        +[](CallContext&) -> Result<V> { return learner_value(rt::make_baseline()); }));
    r.add_loader("baseline", rt::load_baseline);
}

}  // namespace credence::std_
