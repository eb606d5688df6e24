#include "lang/value/json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "lang/value/function.hpp"
#include "lang/value/show.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/prob/distributions/joint.hpp"
#include "runtime/prob/queries/conditioned.hpp"

namespace credence::lang {

namespace {

using Json = nlohmann::ordered_json;

void put_number(Json& out, const rt::Number& n) {
    const double real = n.real();
    if (std::isfinite(real))
        out["value"] = real;
    else
        out["value"] = std::isnan(real) ? "undefined" : real > 0 ? "∞" : "-∞";
    if (n.is_exact()) out["exact"] = n.exact().text();
}

Json items_json(const List& items) {
    Json out = Json::array();
    for (const auto& item : items) out.push_back(to_json(item));
    return out;
}

Json factor_json(const rt::Factor& f) {
    Json out;
    out["type"] = "factor";
    Json names = Json::array();
    for (const auto& v : f.variables()) names.push_back(v.name);
    out["variables"] = std::move(names);
    Json entries = Json::array();
    for (std::size_t i = 0; i < f.size(); ++i) {
        Json entry;
        Json labels = Json::array();
        for (const auto& label : f.labels(i)) labels.push_back(label.text());
        entry["labels"] = std::move(labels);
        put_number(entry, f.at(i));
        entries.push_back(std::move(entry));
    }
    out["entries"] = std::move(entries);
    return out;
}

Json table_json(const rt::Table& t) {
    Json out;
    out["type"] = "table";
    Json columns = Json::array();
    for (const auto& c : t.columns) columns.push_back(c->name);
    out["columns"] = std::move(columns);
    if (t.target) out["target"] = t.columns[*t.target]->name;
    Json rows = Json::array();
    for (std::size_t r = 0; r < t.rows(); ++r) {
        Json row = Json::array();
        for (const auto& c : t.columns) {
            if (c->is_missing(r))
                row.push_back(nullptr);
            else if (c->kind == rt::ColumnKind::numeric)
                row.push_back(c->values[r]);
            else
                row.push_back(c->label(r).text());
        }
        rows.push_back(std::move(row));
    }
    out["rows"] = std::move(rows);
    Json exact = Json::object();  // the numbers that doubles round, column by column
    for (const auto& c : t.columns) {
        if (c->kind != rt::ColumnKind::numeric || c->real) continue;
        Json fractions = Json::array();
        for (std::size_t r = 0; r < t.rows(); ++r) {
            const rt::Number cell = c->is_missing(r) ? rt::Number::real(0) : c->number(r);
            fractions.push_back(cell.is_exact() ? Json(cell.exact().text()) : Json(nullptr));
        }
        exact[c->name] = std::move(fractions);
    }
    if (!exact.empty()) out["exact"] = std::move(exact);
    return out;
}

Json number_json(const rt::Number& n) {
    Json out{{"type", "number"}};
    put_number(out, n);
    return out;
}

Json numbers_json(const std::vector<rt::Number>& numbers) {
    Json out = Json::array();
    for (const auto& n : numbers) out.push_back(number_json(n));
    return out;
}

/// A number, a list, a matrix as a list of lists, or numbers by label.
Json parameter_json(const rt::ParameterValue& value) {
    if (const auto* n = std::get_if<rt::Number>(&value)) return number_json(*n);
    if (const auto* list = std::get_if<std::vector<rt::Number>>(&value)) return numbers_json(*list);
    Json out;
    if (const auto* matrix = std::get_if<std::vector<std::vector<rt::Number>>>(&value)) {
        out = Json::array();
        for (const auto& row : *matrix) out.push_back(numbers_json(row));
        return out;
    }
    out = Json::object();
    for (const auto& [label, n] : std::get<std::vector<std::pair<rt::Label, rt::Number>>>(value)) out[label.text()] = number_json(n);
    return out;
}

/// Its parameters, and mean and variance where they are numbers that exist.
Json distribution_json(const rt::Distribution& d) {
    Json out{{"type", "distribution"}, {"name", d.name()}};
    Json parameters = Json::object();
    for (const auto& p : d.parameters()) parameters[std::string(p.name)] = parameter_json(p.value);
    out["parameters"] = std::move(parameters);
    if (const auto names = rt::coordinate_names(d); !names.empty()) out["variables"] = names;
    const auto put = [&](const char* key, const rt::Result<rt::Outcome>& moment) {
        if (!moment) return;
        if (const auto* n = std::get_if<rt::Number>(&*moment)) out[key] = number_json(*n);
    };
    put("mean", d.mean());
    put("variance", d.variance());
    return out;
}

struct Visitor {
    Json operator()(const rt::Number& n) const { return number_json(n); }
    Json operator()(bool b) const { return {{"type", "boolean"}, {"value", b}}; }
    Json operator()(const TextPtr& t) const { return {{"type", "text"}, {"value", *t}}; }
    Json operator()(const ListPtr& l) const { return {{"type", "list"}, {"items", items_json(*l)}}; }
    Json operator()(const RecordPtr& r) const {
        Json fields = Json::object();
        for (const auto& [key, value] : r->entries) fields[key] = to_json(value);
        return {{"type", "record"}, {"fields", std::move(fields)}};
    }
    Json operator()(const SetPtr& s) const { return {{"type", "set"}, {"items", items_json(s->items)}}; }
    Json operator()(const InstancePtr& i) const { return {{"type", "instance"}, {"items", items_json(i->elements)}}; }
    Json operator()(const FactorPtr& f) const { return factor_json(*f); }
    Json operator()(const rt::DistributionPtr& d) const {
        Json out = distribution_json(*d);
        out["text"] = show_inline(Value(Value::Node(d)), {.digits = 17});
        return out;
    }
    Json operator()(const rt::TablePtr& t) const { return table_json(*t); }
    Json operator()(const ModelValue& m) const {
        Json names = Json::array();
        for (const auto id : rt::listed_variables(*m.model)) names.push_back(m.model->variables()[rt::index(id)].variable.name);
        return {{"type", "model"}, {"kind", m.model->kind()}, {"name", m.name}, {"variables", std::move(names)}};
    }
    Json operator()(const LearnerValuePtr& l) const {
        return {{"type", "learner"}, {"name", l->name}, {"text", show_inline(Value(Value::Node(l)), {.digits = 17})}};
    }
    Json operator()(const OptionPtr& o) const { return {{"type", "option"}, {"text", show_inline(Value(Value::Node(o)), {.digits = 17})}}; }
    Json operator()(const rt::PicturePtr& p) const { return {{"type", "plot"}, {"svg", p->svg()}}; }
    Json operator()(const rt::QuantityPtr&) const { return {{"type", "uncertain"}}; }
    Json operator()(const rt::FunctionGraphPtr& g) const {
        return {{"type", "graph"}, {"text", show_inline(Value(Value::Node(g)), {.digits = 17})}};
    }
    Json operator()(const FunctionPtr& f) const { return {{"type", "function"}, {"text", describe(*f)}}; }
    Json operator()(AnyMark) const { return {{"type", "any"}}; }
    Json operator()(EmptyMark) const { return {{"type", "none"}}; }
};

}  // namespace

Json to_json(const Value& value) { return std::visit(Visitor{}, value.node()); }

}  // namespace credence::lang
