#include "runtime/prob/models/saved.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace credence::rt {

namespace {

Json saved_real(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

std::optional<double> real_of(const Json& value) {
    if (value.is_number()) return value.real();
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.text();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

Json saved(const Field& field) {
    Json out{{"name", field.name}};
    if (field.kind == ColumnKind::label) out.set("labels", saved(*field.domain));
    if (field.fill) out.set("fill", saved_real(*field.fill));
    if (field.scale) out.set("scale", Json{{"offset", saved_real(field.scale->offset)}, {"unit", saved_real(field.scale->unit)}});
    return out;
}

Result<Field> read_field(const Json& json) {
    auto name = TRY(read_text(json, "name"));
    Field out{std::move(name), ColumnKind::numeric, nullptr};
    if (json.contains("labels")) {
        out.kind = ColumnKind::label;
        out.domain = TRY(read_domain(*json.find("labels")));
    }
    if (const Json* scale = json.find("scale")) {
        FieldScale by;
        by.offset = TRY(read_real(*scale, "offset"));
        by.unit = TRY(read_real(*scale, "unit"));
        constexpr double largest = 1e120;  // a cell of usual size is still a number when it is scaled
        if (out.domain || !(std::abs(by.offset) <= largest) || !(by.unit >= 1 / largest && by.unit <= largest))
            return damaged(fmt::format("what scales {} is invalid", out.name));
        out.scale = by;
    }
    if (!json.contains("fill")) return out;
    out.fill = TRY(read_real(json, "fill"));
    const bool place =
        out.domain && *out.fill >= 0 && *out.fill < static_cast<double>(out.domain->size()) && *out.fill == std::floor(*out.fill);
    if (out.domain ? !place : !std::isfinite(*out.fill)) return damaged(fmt::format("what fills {} is invalid", out.name));
    return out;
}

template <class T, class F>
Result<std::vector<T>> read_list(const Json& json, const char* key, F read) {
    auto list = TRY(read_member(json, key));
    if (!list->is_array()) return damaged(fmt::format("'{}' is not a list", key));
    std::vector<T> out;
    out.reserve(list->size());
    for (const auto& item : *list) {
        auto value = read(item);
        if (!value) return damaged(fmt::format("'{}' contains something other than numbers", key));
        out.push_back(*std::move(value));
    }
    return out;
}

}  // namespace

Fault damaged(std::string what) { return {.code = "E-FILE", .message = "the file is damaged: " + std::move(what)}; }

Json saved(const Number& number) { return number.is_exact() ? Json(number.exact().text()) : saved_real(number.real()); }

Json saved(const Domain& domain) {
    Json out = Json::array();
    for (const auto& label : domain.labels()) out.push_back(label.text());
    return out;
}

Json saved(const Schema& schema) {
    Json features = Json::array();
    for (const auto& f : schema.features) features.push_back(saved(f));
    return {{"features", std::move(features)}, {"target", saved(schema.target)}};
}

Json saved(std::span<const double> values) {
    Json out = Json::array();
    for (const double v : values) out.push_back(saved_real(v));
    return out;
}

Json saved(std::span<const Number> values) {
    Json out = Json::array();
    for (const auto& v : values) out.push_back(saved(v));
    return out;
}

Json saved(const Matrix& matrix) {
    return {{"rows", matrix.rows}, {"columns", matrix.columns}, {"values", saved(std::span<const double>(matrix.values))}};
}

Json saved(const Table& table) {
    Json columns = Json::array();
    for (const auto& c : table.columns) {
        Json column{{"name", c->name}};
        if (c->kind == ColumnKind::label) {
            column.set("labels", saved(*c->domain));
            column.set("cells", c->codes);
        } else {
            Json cells = Json::array();
            for (std::size_t r = 0; r < c->rows(); ++r)
                cells.push_back(c->is_missing(r) ? Json() : c->exact.empty() ? saved_real(c->values[r]) : Json(c->exact[r].text()));
            column.set("cells", std::move(cells));
            column.set("real", c->real);
        }
        columns.push_back(std::move(column));
    }
    Json out{{"rows", table.row_count}, {"columns", std::move(columns)}};
    if (table.target) out.set("target", *table.target);
    return out;
}

Result<const Json*> read_member(const Json& json, const char* key) {
    const Json* member = json.find(key);
    if (!member) return damaged(fmt::format("'{}' is missing", key));
    return member;
}

Result<double> read_real(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    const auto value = real_of(*member);
    if (!value) return damaged(fmt::format("'{}' is not a number", key));
    return *value;
}

Result<std::size_t> read_count(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    if (!member->is_count()) return damaged(fmt::format("'{}' is not a count", key));
    return static_cast<std::size_t>(member->integer());
}

Result<std::string> read_text(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    if (!member->is_string()) return damaged(fmt::format("'{}' is not text", key));
    return member->text();
}

Result<Number> read_number(const Json& value) {
    if (value.is_string())
        if (const auto exact = Rational::parse(value.text())) return Number(*exact);
    const auto real = real_of(value);
    if (!real) return damaged("a number is invalid");
    return Number::real(*real);
}

Result<std::vector<double>> read_reals(const Json& json, const char* key) {
    return read_list<double>(json, key, [](const Json& v) { return real_of(v); });
}

Result<std::vector<Number>> read_numbers(const Json& json, const char* key) {
    return read_list<Number>(json, key, [](const Json& v) { return read_number(v); });
}

Result<Matrix> read_matrix(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    auto rows = TRY(read_count(*member, "rows"));
    auto columns = TRY(read_count(*member, "columns"));
    auto values = TRY(read_reals(*member, "values"));
    if (columns != 0 && (values.size() % columns != 0 || values.size() / columns != rows))
        return damaged(fmt::format("'{}' has the wrong size", key));
    if (columns == 0 && !values.empty()) return damaged(fmt::format("'{}' has the wrong size", key));
    Matrix out;
    out.rows = rows;
    out.columns = columns;
    out.values = std::move(values);
    return out;
}

Result<DomainPtr> read_domain(const Json& value) {
    if (!value.is_array()) return damaged("labels are not a list");
    std::vector<Label> labels;
    for (const auto& item : value) {
        if (!item.is_string()) return damaged("a label is not text");
        labels.push_back(Label::of_text(item.text()));
        for (std::size_t k = 0; k + 1 < labels.size() && labels.size() < 10'000; ++k)
            if (labels[k] == labels.back()) return damaged("a label comes twice");
    }
    return make_domain(std::move(labels));
}

Result<Schema> read_schema(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    auto features = TRY(read_member(*member, "features"));
    auto target = TRY(read_member(*member, "target"));
    if (!features->is_array()) return damaged("'features' is not a list");
    Schema out;
    for (const auto& item : *features) {
        auto field = TRY(read_field(item));
        out.features.push_back(std::move(field));
    }
    out.target = TRY(read_field(*target));
    return out;
}

Result<TablePtr> read_table(const Json& json, const char* key) {
    auto member = TRY(read_member(json, key));
    auto rows = TRY(read_count(*member, "rows"));
    auto columns = TRY(read_member(*member, "columns"));
    if (!columns->is_array()) return damaged("'columns' is not a list");
    auto out = std::make_shared<Table>();
    out->row_count = rows;
    for (const auto& item : *columns) {
        auto field = TRY(read_field(item));
        auto cells = TRY(read_member(item, "cells"));
        if (!cells->is_array() || cells->size() != rows) return damaged(fmt::format("column {} has the wrong length", field.name));
        auto column = std::make_shared<Column>();
        column->name = field.name;
        column->kind = field.kind;
        column->domain = field.domain;
        bool fractions = false;
        for (const auto& cell : *cells) fractions = fractions || (cell.is_string() && !real_of(cell));
        for (const auto& cell : *cells) {
            if (field.kind == ColumnKind::label) {
                if (!cell.is_integer()) return damaged("a label's number is invalid");
                const auto code = cell.integer();
                if (code < -1 || code >= static_cast<std::int64_t>(field.domain->size()))
                    return damaged("a label's number is out of range");
                column->codes.push_back(static_cast<std::int32_t>(code));
                continue;
            }
            if (cell.is_null()) {
                column->values.push_back(std::numeric_limits<double>::quiet_NaN());
                if (fractions) column->exact.emplace_back(0);
                continue;
            }
            auto number = TRY(read_number(cell));
            column->values.push_back(number.real());
            if (fractions) column->exact.push_back(number.is_exact() ? number.exact() : Rational::from_decimal(number.real()));
        }
        column->real = item.flag("real", false);
        out->columns.push_back(std::move(column));
    }
    if (member->contains("target")) {
        auto target = TRY(read_count(*member, "target"));
        if (target >= out->columns.size()) return damaged("the target is not a column");
        out->target = target;
    }
    return TablePtr(std::move(out));
}

}  // namespace credence::rt
