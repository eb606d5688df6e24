// Learning in common: predict, update, and the baseline that any learner has to beat.

#include <algorithm>

#include <fmt/format.h>

#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/prob/learning/learner_info.hpp"
#include "runtime/prob/learning/learning.hpp"
#include "runtime/prob/models/empirical.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "stdlib/learning/expected_log.hpp"
#include "stdlib/learning/learner.hpp"
#include "stdlib/learning/open_prediction.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/tables/to_table.hpp"

namespace credence::std_ {

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

/// Cells by feature; null if none is given, which is not a missing cell: a model that needs the column says so.
Result<rt::TablePtr> one_row(const rt::Schema& schema, std::span<const Value* const> cells, rt::Origin origin) {
    rt::Table row;
    row.row_count = 1;
    for (std::size_t i = 0; i < schema.features.size(); ++i) {
        if (!cells[i]) continue;
        auto column = TRY(cell(schema.features[i], *cells[i], origin));
        row.columns.push_back(std::move(column));
    }
    auto aligned = TRY(rt::align(schema, row));
    return std::make_shared<const rt::Table>(std::move(aligned));
}

std::vector<std::string> feature_names(const rt::Schema& schema) {
    std::vector<std::string> out;
    for (const auto& f : schema.features) out.push_back(f.name);
    return out;
}

/// A row of a wider table has all the columns and others besides; where a column is missing too, a strange one is a slip.
Result<rt::TablePtr> row_of_record(const rt::Schema& schema, const Record& record, rt::Origin origin) {
    const auto names = feature_names(schema);
    std::vector<const Value*> cells(names.size(), nullptr);
    const std::string* strange = nullptr;
    for (const auto& [key, value] : record.entries) {
        if (key == schema.target.name) continue;
        const auto found = std::find(names.begin(), names.end(), key);
        if (found != names.end())
            cells[static_cast<std::size_t>(found - names.begin())] = &value;
        else if (!strange)
            strange = &key;
    }
    if (strange && rt::contains(cells, nullptr)) {
        Fault fault{.code = "E-COLUMN",
                    .message = fmt::format("the model has no column {}", *strange),
                    .origin = origin,
                    .label = fmt::format("its columns are {}", rt::joined(names, ", "))};
        if (const auto near = rt::nearest(*strange, names)) fault.hint = fmt::format("did you mean '{}'?", *near);
        return fault;
    }
    return one_row(schema, cells, origin);
}

Result<rt::TablePtr> row_of_items(const rt::Schema& schema, const List& items, rt::Origin origin) {
    if (items.size() != schema.features.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{} for {}", rt::counted(items.size(), "value"), rt::counted(schema.features.size(), "column")),
                     .origin = origin,
                     .label = fmt::format("the columns are {}", rt::joined(feature_names(schema), ", "))};
    std::vector<const Value*> cells;
    for (const auto& item : items) cells.push_back(&item);
    return one_row(schema, cells, origin);
}

/// The features that a row or a table speaks of, one flag each; `?` is said too.
std::vector<char> columns_given(const rt::Schema& schema, const Value& x) {
    if (const auto* table = x.get<rt::TablePtr>()) return rt::features_in(schema, **table);
    std::vector<char> out(schema.features.size(), 1);
    if (const auto* record = x.get<RecordPtr>())
        for (std::size_t c = 0; c < out.size(); ++c) out[c] = (*record)->find(schema.features[c].name) != nullptr;
    return out;
}

/// Predictions of aligned rows, as values.
Result<List> predictions(CallContext& c, const rt::Predictor& predictor, const rt::Table& rows, std::span<const char> given) {
    const rt::TableView view{.table = &rows, .rows = {}};
    rt::Status cells = predictor.check_cells(view);
    if (cells) cells = predictor.check_given(view, given);
    if (!cells) return std::move(cells).fault();
    List out;
    if (const auto* classifier = dynamic_cast<const rt::Classifier*>(&predictor)) {
        std::vector<std::int32_t> codes(rows.row_count);
        TRY(classifier->classify(view, codes, c.run()));
        for (const auto code : codes) out.push_back(Value::label((*predictor.schema().target.domain)[static_cast<std::size_t>(code)]));
        return out;
    }
    const auto& regressor = dynamic_cast<const rt::Regressor&>(predictor);
    if (rows.row_count <= rt::max_exact_rows && c.run().numbers != rt::NumberMode::real) {
        for (std::uint32_t r = 0; r < rows.row_count; ++r) {
            auto exact = TRY(regressor.exact_prediction({.table = &rows, .rows = {&r, 1}, .all = false}, c.run()).or_nothing());
            if (!exact) break;
            out.emplace_back(rt::Number(*exact));
        }
        if (out.size() == rows.row_count) return out;
        out.clear();
    }
    std::vector<double> numbers(rows.row_count);
    TRY(regressor.predict(view, numbers, c.run()));
    for (const double y : numbers) out.push_back(number_value(y));
    return out;
}

/// Whether a list is rows to predict one by one: instances or records, or the values of a model's only column.
bool is_rows(const List& items, const ModelValue& m, const rt::Predictor* predictor) {
    if (items.empty()) return true;
    const auto all = [&](auto test) { return std::all_of(items.begin(), items.end(), test); };
    if (all([](const Value& v) { return v.is<InstancePtr>() || v.is<RecordPtr>(); })) return true;
    const auto known = static_cast<std::ptrdiff_t>(rt::listed_variables(*m.model).size());
    const auto features = predictor ? static_cast<std::ptrdiff_t>(predictor->schema().features.size()) : known - 1;
    return features == 1 && all([](const Value& v) { return v.as_label().has_value(); });
}

/// The columns of the model; of one that judges what it has not seen, with the values of the row or table besides its own.
rt::Schema schema_for(const rt::Predictor& predictor, const Value& x) {
    rt::Schema out = predictor.schema();
    if (!predictor.judges_unseen()) return out;
    const auto add = [](rt::Field& field, const rt::Label& label) {
        if (!field.domain || field.domain->find(label)) return;
        auto labels = field.domain->labels();
        labels.push_back(label);
        field.domain = rt::make_domain(std::move(labels));
    };
    const List* items = x.items();
    const auto* table = x.get<rt::TablePtr>();
    const auto* record = x.get<RecordPtr>();
    for (std::size_t i = 0; i < out.features.size(); ++i) {
        rt::Field& field = out.features[i];
        if (table) {
            const auto column = (*table)->find(field.name);
            for (std::size_t r = 0; column && r < (*table)->row_count; ++r)
                if (!(*table)->columns[*column]->is_missing(r)) add(field, (*table)->columns[*column]->label(r));
            continue;
        }
        const Value* cell = record                       ? (*record)->find(field.name)
                            : items && i < items->size() ? &(*items)[i]
                            : !items && i == 0           ? &x
                                                         : nullptr;
        if (const auto label = cell ? cell->as_label() : std::nullopt) add(field, *label);
    }
    return out;
}

Result<ModelValue> predicting_model(CallContext& c, const Value& value) {
    if (const auto* given = value.get<ModelValue>()) return *given;
    if (const auto* table = value.get<rt::TablePtr>()) return ModelValue{rt::make_empirical_model(*table), "the table"};
    return Fault{.code = "E-TYPE", .message = fmt::format("predict takes a trained model, not {}", value.kind()), .origin = c.argument(0)};
}

Result<Value> predict(CallContext& c, Value model, Value x) {
    auto asked = TRY(predicting_model(c, model));
    const ModelValue& m = asked;
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
    if (!predictor) return predict_open(c, open_model(model, m.model), x);
    auto rows = TRY(rows_for(c, schema_for(*predictor, x), x, c.argument(1)));
    c.run().rng = c.rng().child("predict");
    c.run().note = [&c](std::string text) { c.note(std::move(text)); };
    auto out = predictions(c, *predictor, *rows, columns_given(predictor->schema(), x));
    c.run().note = {};
    if (!out) {
        Fault fault = std::move(out).fault();
        if (fault.origin == rt::Origin::none) fault.origin = c.argument(1);
        return fault;
    }
    return x.is<rt::TablePtr>() ? Value::list(*std::move(out)) : (*out)[0];
}

/// The columns of an instance that a model learns from: the target last, and then the counts where it has one value more.
std::vector<std::string> learned_columns(const ModelValue& m) {
    std::vector<std::string> out;
    if (const rt::Predictor* predictor = m.model->predictor()) {
        out = feature_names(predictor->schema());
        out.push_back(predictor->schema().target.name);
        return out;
    }
    OpenModel open = open_model(Value(Value::Node(m)), m.model);
    out = std::move(open.columns);
    if (!open.target.empty()) out.push_back(open.target);
    return out;
}

/// What `update` learns from: a table, or rows with their target: a record, an instance with the target last, or a list of these.
Result<rt::TablePtr> rows_to_learn(const ModelValue& m, const Value& x, const std::optional<ColumnName>& counts, rt::Origin origin) {
    if (const auto* table = x.get<rt::TablePtr>()) return *table;
    const std::vector<std::string> columns = learned_columns(m);
    std::optional<Fault> wrong;
    List records;
    const auto add = [&](const Value& row) {
        const auto* instance = row.get<InstancePtr>();
        if (!instance) return records.push_back(row);
        const List& cells = (*instance)->elements;
        std::vector<std::string> names = columns;
        if (counts && cells.size() == names.size() + 1) names.push_back(counts->text);
        if (cells.size() != names.size())
            wrong = Fault{.code = "E-ARGUMENT",
                          .message = fmt::format("the instance has {}, and the model learns from {}", rt::counted(cells.size(), "value"),
                                                 rt::counted(names.size(), "column")),
                          .origin = origin,
                          .label = fmt::format("in order: {}", rt::joined(names, ", "))};
        Record named;
        for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) named.entries.emplace_back(names[i], cells[i]);
        records.push_back(Value::record(std::move(named)));
    };
    if (const auto* items = x.get<ListPtr>())
        for (const auto& item : **items) add(item);
    else
        add(x);
    if (wrong) return *std::move(wrong);
    const bool fine = std::all_of(records.begin(), records.end(), [](const Value& v) { return v.is<RecordPtr>(); });
    if (!fine)
        return Fault{.code = "E-TYPE",
                     .message = fmt::format("update learns from a table, a record, an instance with the target last, or a list of these; "
                                            "this is {}",
                                            x.kind()),
                     .origin = origin};
    return table_of_records(records, origin);
}

Result<rt::Derivation> explain_predict(CallContext& c, Arguments arguments) {
    auto m = TRY(predicting_model(c, *arguments[0]));
    if (arguments[1]->is<rt::TablePtr>())
        return Fault{.code = "E-EXPLAIN", .message = "explain predict takes one row", .origin = c.argument(1), .hint = "take one: t[1]"};
    const rt::Predictor* predictor = m.model->predictor();
    if (!predictor) return explain_open(c, open_model(*arguments[0], m.model), *arguments[1]);
    auto rows = TRY(rows_for(c, schema_for(*predictor, *arguments[1]), *arguments[1], c.argument(1)));
    const rt::TableView view{.table = rows.get(), .rows = {}};
    rt::Status cells = predictor->check_cells(view);
    if (cells) cells = predictor->check_given(view, columns_given(predictor->schema(), *arguments[1]));
    if (!cells) {
        Fault fault = std::move(cells).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    c.run().rng = c.rng().child("predict");
    return predictor->explain_prediction(view, c.run());
}

}  // namespace

Result<rt::TablePtr> rows_for(CallContext& context, const rt::Schema& schema, const Value& value, rt::Origin origin) {
    if (const auto* table = value.get<rt::TablePtr>()) {
        std::size_t unseen = 0;
        std::size_t filled = 0;
        auto aligned = rt::align(schema, **table, &unseen, &filled);
        if (!aligned) {
            Fault fault = std::move(aligned).fault();
            fault.origin = origin;
            return fault;
        }
        if (unseen > 0)
            context.note(fmt::format("{} cell{} not seen in training, and {} treated as missing", unseen,
                                     unseen == 1 ? " has a label" : "s have labels", unseen == 1 ? "is" : "are"));
        if (filled > 0) context.note(fmt::format("{} filled in as in training", rt::counted(filled, "missing cell")));
        return std::make_shared<const rt::Table>(*std::move(aligned));
    }
    if (const auto* record = value.get<RecordPtr>()) return row_of_record(schema, **record, origin);
    if (const List* items = value.items(); items && !value.is<SetPtr>()) return row_of_items(schema, *items, origin);
    if (schema.features.size() == 1 && value.as_label()) return row_of_items(schema, {value}, origin);
    return Fault{.code = "E-TYPE",
                 .message = fmt::format("a row is an instance <…>, a record or a table, not {}", value.kind()),
                 .origin = origin,
                 .label = fmt::format("the columns are {}", rt::joined(feature_names(schema), ", "))};
}

void add_learning(Registry& r) {
    using V = Value;
    Builtin predicting = bind(
        {subject,
         "predict",
         {{"model"}, {"x"}},
         "The prediction of a trained model, a label or a number, for an instance <…> or a record. For a table or a list of rows, it is a "
         "list of predictions.",
         "predict(train baseline() on weather, <hot>) == \"yes\""},
        +[](CallContext& c, Value model, Value x) -> Result<V> { return predict(c, std::move(model), std::move(x)); });
    predicting.explain = explain_predict;
    r.add(std::move(predicting));

    r.add(bind(
        {subject,
         "update",
         {{"model"}, {"rows"}, {"counts", "none"}},
         "The model after learning from more rows: a table, a record, or a list of records. This works for counts, naive Bayes, nearest "
         "neighbours and conjugate posteriors.",
         "predict(update(train baseline() on weather, weather), <hot>) == \"yes\""},
        +[](CallContext& c, ModelValue m, Value x, std::optional<ColumnName> counts) -> Result<V> {
            auto rows = TRY(rows_to_learn(m, x, counts, c.argument(1)));
            const rt::TableView view{.table = rows.get(), .rows = {}};
            std::vector<double> weights;
            if (counts) { weights = TRY(rt::weights_in(view, counts->text)); }
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

#define LEARNER(name) r.add_learner(rt::name##_learner);
#include "runtime/prob/learning/learners.def"
#undef LEARNER
    add_expected_log(r);
}

}  // namespace credence::std_
