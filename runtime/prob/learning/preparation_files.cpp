#include "runtime/prob/learning/preparation_files.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/models/saved.hpp"

namespace credence::rt {

namespace {

Json fields_saved(std::span<const Field> fields) {
    Schema schema;
    schema.features.assign(fields.begin(), fields.end());
    schema.target = {"none", ColumnKind::numeric, nullptr};
    return Json{{"columns", saved(schema)}};
}

Json label_saved(const Label& label) { return label.number() ? saved(*label.number()) : Json(label.text()); }

Result<Label> read_fill(const Json& json, ColumnKind kind) {
    if (kind == ColumnKind::label) {
        if (!json.is_string()) return damaged("what fills a column is not a label");
        return Label::of_text(json.text());
    }
    const Number number = TRY(read_number(json));
    if (!std::isfinite(number.real())) return damaged("what fills a column is not a number");
    return Label::of_number(number);
}

Result<LearnedPreparationPtr> read_discretized(const Json& json) {
    const auto* list = TRY(read_member(json, "cut"));
    if (!list->is_array()) return damaged("'cut' is not a list");
    std::vector<Discretized::Cut> columns;
    for (const auto& item : *list) {
        Discretized::Cut one;
        one.column = TRY(read_text(item, "column"));
        const auto* cuts = TRY(read_member(item, "cuts"));
        if (!cuts->is_array() || cuts->empty()) return damaged(fmt::format("{} has no cut points", one.column));
        for (const auto& cut : *cuts) {
            const Number number = TRY(read_number(cut));
            if (!std::isfinite(number.real()) || (!one.cuts.empty() && !(one.cuts.back() < number)))
                return damaged(fmt::format("the cut points of {} do not ascend", one.column));
            one.cuts.push_back(number);
        }
        columns.push_back(std::move(one));
    }
    return LearnedPreparationPtr(std::make_shared<const Discretized>(std::move(columns)));
}

}  // namespace

Json Fills::save() const {
    Json fills = Json::array();
    for (const auto& fill : fills_) {
        Json one{{"column", fill.column}, {"numeric", fill.kind == ColumnKind::numeric ? 1 : 0}};
        if (fill.otherwise) one.set("fill", label_saved(*fill.otherwise));
        fills.push_back(std::move(one));
    }
    return Json{{"fills", std::move(fills)}};  // classes are for training rows
}

Json Discretized::save() const {
    Json columns = Json::array();
    for (const auto& c : columns_) {
        Json cuts = Json::array();
        for (const auto& cut : c.cuts) cuts.push_back(saved(cut));
        columns.push_back(Json{{"column", c.column}, {"cuts", std::move(cuts)}});
    }
    return Json{{"cut", std::move(columns)}};
}

Json Scales::save() const { return fields_saved(fields_); }
Json Encoded::save() const { return fields_saved(fields_); }

Result<LearnedPreparationPtr> load_prepared(std::string_view kind, const Json& json) {
    if (kind == "impute") {
        const auto* list = TRY(read_member(json, "fills"));
        if (!list->is_array()) return damaged("'fills' is not a list");
        std::vector<ColumnFill> fills;
        for (const auto& item : *list) {
            ColumnFill fill;
            fill.column = TRY(read_text(item, "column"));
            const std::size_t numeric = TRY(read_count(item, "numeric"));
            fill.kind = numeric == 1 ? ColumnKind::numeric : ColumnKind::label;
            if (const Json* value = item.find("fill")) fill.otherwise = TRY(read_fill(*value, fill.kind));
            fills.push_back(std::move(fill));
        }
        return LearnedPreparationPtr(std::make_shared<const Fills>(std::move(fills)));
    }
    if (kind == "discretize") return read_discretized(json);
    auto schema = TRY(read_schema(json, "columns"));
    if (kind == "scale") {
        for (const auto& field : schema.features)
            if (!field.scale) return damaged(fmt::format("{} has no scale", field.name));
        return LearnedPreparationPtr(std::make_shared<const Scales>(std::move(schema.features)));
    }
    if (kind == "encode") {
        for (const auto& field : schema.features)
            if (!field.domain) return damaged(fmt::format("{} has no labels", field.name));
        return LearnedPreparationPtr(std::make_shared<const Encoded>(std::move(schema.features)));
    }
    return damaged(fmt::format("'{}' is not a preparation", kind));
}

}  // namespace credence::rt
