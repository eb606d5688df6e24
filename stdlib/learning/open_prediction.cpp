#include "stdlib/learning/open_prediction.hpp"

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/judge/open_question.hpp"
#include "runtime/nets/trained_net.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/derivation.hpp"
#include "stdlib/learning/learner.hpp"

namespace credence::std_ {

using namespace lang;
using rt::Fault;
using rt::Result;

namespace {

std::vector<std::string> open_names(const OpenModel& m) {
    std::vector<std::string> out;
    for (const auto id : rt::listed_variables(*m.model)) out.push_back(m.model->variables()[rt::index(id)].variable.name);
    return out;
}

/// The cells of an instance or list as a record.
Result<Value> named_cells(const OpenModel& m, const List& cells, rt::Origin origin) {
    std::vector<std::string> names = m.target.empty() ? open_names(m) : m.columns;
    if (!m.target.empty() && cells.size() == names.size() + 1) names.push_back(m.target);
    if (cells.size() != names.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{} for {}", rt::counted(cells.size(), "value"),
                                            rt::counted(names.size(), m.target.empty() ? "variable" : "column")),
                     .origin = origin,
                     .label = fmt::format("they are {}", rt::joined(names, ", ")),
                     .hint = m.target.empty() ? "? marks the one to predict" : ""};
    Record out;
    for (std::size_t i = 0; i < names.size(); ++i) out.entries.emplace_back(names[i], cells[i]);
    return Value::record(std::move(out));
}

/// Which variables the row gives.
bool gives(const Value& row, const std::string& name) {
    if (const auto* table = row.get<rt::TablePtr>())
        return (*table)->target ? (*table)->columns[*(*table)->target]->name != name : (*table)->find(name).has_value();
    const auto* record = row.get<RecordPtr>();
    const Value* cell = record ? (*record)->find(name) : nullptr;
    return cell && !cell->is<AnyMark>();
}

rt::Field field_of(const rt::Variable& v) { return {v.name, v.is_discrete() ? rt::ColumnKind::label : rt::ColumnKind::numeric, v.domain}; }

/// What is predicted, and from what.
Result<rt::Schema> open_schema(const OpenModel& m, const Value& row, rt::Origin origin) {
    if (m.model->kind() == "pca")
        return Fault{.code = "E-TYPE",
                     .message = "principal components cannot predict: they reduce the columns of a table",
                     .origin = origin,
                     .hint = "transform(model, t)"};
    std::vector<std::string> open;
    for (const auto& name : open_names(m))
        if (!gives(row, name)) open.push_back(name);
    const bool is_table = row.is<rt::TablePtr>();
    std::string target = open.size() == 1 ? open[0] : "";
    if (open.size() != 1 && !m.target.empty() && (open.empty() || rt::contains(open, m.target))) target = m.target;
    if (is_table && (*row.get<rt::TablePtr>())->target) {
        const auto& own = (*row.get<rt::TablePtr>())->columns[*(*row.get<rt::TablePtr>())->target]->name;
        const auto names = open_names(m);
        if (rt::contains(names, own)) target = own;
    }
    if (target.empty())
        return Fault{
            .code = "E-ARGUMENT",
            .message = open.empty() ? "nothing is left to predict" : fmt::format("several variables are open: {}", rt::joined(open, ", ")),
            .origin = origin,
            .hint = "give all but one, or ask argmax P(X | …)"};
    rt::Schema schema;
    for (const auto id : rt::listed_variables(*m.model)) {
        const auto& v = m.model->variables()[rt::index(id)];
        if (v.variable.name == target)
            schema.target = field_of(v.variable);
        else
            schema.features.push_back(field_of(v.variable));
    }
    return schema;
}

/// The rows in the model's columns, and what they are asked for.
struct Asked {
    rt::Schema schema;
    rt::TablePtr rows;
    rt::OpenQuestion question;
};

Result<Asked> open_rows(CallContext& c, const OpenModel& m, const Value& x) {
    Value row = x;
    if (const List* cells = x.items(); cells && !x.is<SetPtr>()) { row = TRY(named_cells(m, *cells, c.argument(1))); }
    Asked out;
    out.schema = TRY(open_schema(m, row, c.argument(1)));
    out.rows = TRY(rows_for(c, out.schema, row, c.argument(1)));
    out.question = rt::question_of(*m.model, *out.rows, out.schema.target.name);
    return out;
}

Result<Value> predicted_value(const rt::Answer& answer, const std::string& target) {
    if (const auto* f = std::get_if<rt::Factor>(&answer.value)) return Value::label(f->labels(rt::argmax(*f).entry)[0]);
    if (const auto* d = std::get_if<rt::DistributionPtr>(&answer.value)) {
        auto mean = TRY((*d)->mean());
        if (const auto* number = std::get_if<rt::Number>(&mean)) return Value(*number);
    }
    return Fault{.code = "E-TYPE", .message = fmt::format("the model gives no value of {}", target)};
}

}  // namespace

OpenModel open_model(const Value& value, rt::ModelPtr model) {
    OpenModel out{std::move(model)};
    if (const auto* table = value.get<rt::TablePtr>(); table && (*table)->target) {
        for (std::size_t i = 0; i < (*table)->columns.size(); ++i)
            if (i != *(*table)->target) out.columns.push_back((*table)->columns[i]->name);
        out.target = (*table)->columns[*(*table)->target]->name;
    }
    if (const auto* net = dynamic_cast<const rt::TrainedNet*>(out.model.get())) {
        out.target = net->trained_on().target;
        out.columns = net->trained_on().columns;
    }
    return out;
}

Result<Value> predict_open(CallContext& c, const OpenModel& m, const Value& x) {
    auto asked = TRY(open_rows(c, m, x));
    List out;
    std::size_t impossible = 0;
    for (std::size_t r = 0; r < asked.rows->row_count; ++r) {
        auto answer = TRY(asked.question.answer(r, impossible, c.run()));
        auto value = predicted_value(answer, asked.schema.target.name);
        if (!value) return value;
        out.push_back(*std::move(value));
    }
    c.run().note = [&c](std::string text) { c.note(std::move(text)); };
    rt::note_impossible(impossible, asked.schema.target.name, c.run());
    c.run().note = {};
    return x.is<rt::TablePtr>() ? Value::list(std::move(out)) : out[0];
}

Result<rt::Derivation> explain_open(CallContext& c, const OpenModel& m, const Value& x) {
    auto asked = TRY(open_rows(c, m, x));
    std::size_t impossible = 0;
    auto answer = TRY(asked.question.answer(0, impossible, c.run()));
    auto story = m.model->explain(impossible > 0 ? asked.question.alone() : asked.question.at(0), answer, c.run());
    if (!story || impossible == 0) return story;
    rt::DerivationWriter out;
    out.note(fmt::format("the row has probability zero in the model: P({}) alone decides", asked.schema.target.name));
    rt::Derivation all = std::move(out).take();
    all.insert(all.end(), story->begin(), story->end());
    return all;
}

}  // namespace credence::std_
