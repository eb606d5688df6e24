// x[i] and x.name.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/syntax/habits.hpp"
#include "lang/value/table_value.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/distributions/joint.hpp"

namespace credence::lang {

namespace {

std::string_view member_kind(const Value& v) {
    if (v.is<FactorPtr>()) return "factor";
    if (v.is<rt::TablePtr>()) return "table";
    if (const List* parts = v.is<ListPtr>() ? v.items() : nullptr;
        parts && parts->size() == 2 && (*parts)[0].is<rt::TablePtr>() && (*parts)[1].is<rt::TablePtr>())
        return "split";  // what split gives: its tables have names
    if (v.is<rt::DistributionPtr>()) return "distribution";
    if (v.is<rt::FunctionGraphPtr>()) return "graph";
    if (v.is<rt::PicturePtr>()) return "plot";
    return "";
}

}  // namespace

Result<std::string> Evaluator::index_text(const Value& index, Span span) {
    if (const auto label = index.as_label()) return label->text();
    if (const auto* record = index.get<RecordPtr>(); record && (*record)->row > 0) return std::to_string((*record)->row);
    return fault("E-TYPE", fmt::format("the index of a variable is a number or a label, not {}", index.kind()), span);
}

Result<std::string> Evaluator::index_text(const Expr& index, Frame& frame) {
    const auto* joined = std::get_if<TextLit>(&index.node);
    if (!joined || joined->parts.size() < 2) {
        auto value = TRY(eval(index, frame));
        return index_text(value, index.span);
    }
    std::string out;
    for (const auto& part : joined->parts) {
        if (const auto* piece = std::get_if<std::string>(&part)) {
            out += *piece;
            continue;
        }
        auto inside = index_text(*std::get<ExprPtr>(part), frame);
        if (!inside) return inside;
        out += *inside;
    }
    return out;
}

Result<PlateIndices> Evaluator::plate_indices(const Index& index, Frame& frame) {
    PlateIndices out;
    const auto* joined = std::get_if<TextLit>(&index.indices[0]->node);
    if (index.indices.size() == 1 && !(joined && joined->parts.size() > 1)) {
        auto value = TRY(eval(*index.indices[0], frame));
        return plate_indices(value, index.indices[0]->span);
    }
    std::string text;
    for (const auto& one : index.indices) {
        auto inside = TRY(index_text(*one, frame));
        text += (text.empty() ? "" : ", ") + inside;
    }
    out.texts.push_back(std::move(text));
    return out;
}

Result<PlateIndices> Evaluator::plate_indices(const Value& at, Span span) {
    PlateIndices out;
    const List one{at};
    const List* items = at.items();
    out.several = items != nullptr;
    for (const auto& item : items ? *items : one) {
        auto text = TRY(index_text(item, span));
        out.texts.push_back(std::move(text));
    }
    return out;
}

Result<Value> Evaluator::eval_indexed(const std::string& plate, const Index& index, Span span, Frame& frame) {
    auto indices = TRY(plate_indices(index, frame));
    List out;
    for (const auto& inside : indices.texts) {
        const std::string name = plate + "[" + inside + "]";
        const auto found = indexed_->values.find(name);
        if (found == indexed_->values.end()) {
            indexed_->missed = name;
            return fault("E-VARIABLE", fmt::format("this expression cannot use the variable {}", name), span, {},
                         "list the parents of a node after the |");
        }
        out.push_back(found->second);
    }
    return indices.several ? Value::list(std::move(out)) : std::move(out[0]);
}

namespace {

/// A bare word that names a value of the script.
bool is_script_name(const Expr& expr) {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    return name && !expr.parenthesised &&
           (name->resolved.kind == Resolution::Kind::local || name->resolved.kind == Resolution::Kind::global);
}

}  // namespace

Result<Value> Evaluator::eval_index(const Index& index, Span span, Frame& frame) {
    const auto* plate = std::get_if<NameExpr>(&index.base->node);
    if (indexed_ && plate && plate->resolved.kind == Resolution::Kind::unresolved) return eval_indexed(plate->name, index, span, frame);
    auto base = TRY(eval(*index.base, frame));
    return index_into(base, index, span, frame);
}

Result<Value> Evaluator::index_into(const Value& base, const Index& index, Span span, Frame& frame) {
    if (const auto* word = base.get<TextPtr>(); indexed_ && word && indexed_->plates.contains(**word))
        return eval_indexed(**word, index, span, frame);
    if (const auto* f = base.get<FactorPtr>()) {
        std::vector<rt::Label> labels;
        if (index.indices.size() > (*f)->variables().size())
            return fault(
                "E-INDEX",
                fmt::format("{} labels for a factor over {}", index.indices.size(), rt::counted((*f)->variables().size(), "variable")),
                span);
        for (std::size_t i = 0; i < index.indices.size(); ++i) {
            auto value = eval_label(*index.indices[i], frame);
            if (!value) return value;
            const auto label = value->as_label();
            if (!label)
                return fault("E-TYPE", fmt::format("a factor is indexed by labels, not by {}", value->kind()), index.indices[i]->span);
            const auto& variable = (*f)->variables()[i];
            // A name of the script, where the variable has no value with that spelling (LANGUAGE.md).
            if (!variable.domain->find(*label) && is_script_name(*index.indices[i]))
                if (const auto named = eval(*index.indices[i], frame); named && named->as_label())
                    if (const auto meant = *named->as_label(); variable.domain->find(meant)) {
                        labels.push_back(meant);
                        continue;
                    }
            if (!variable.domain->find(*label)) {
                Fault unknown = no_such_label(variable, *label);
                if (is_script_name(*index.indices[i]))
                    if (const auto named = eval(*index.indices[i], frame); named)
                        unknown.hint = fmt::format("{} is {} here", label->text(), show_inline(*named, show_));
                return at(std::move(unknown), index.indices[i]->span);
            }
            labels.push_back(*label);
        }
        auto out = rt::fix_leading(**f, labels);
        if (!out) return at(std::move(out).fault(), span);
        if (out->variables().empty()) return Value(out->at(0));
        return Value::factor(*std::move(out));
    }
    if (const auto* list = base.get<ListPtr>(); list && plates_.contains(list->get())) return eval_plate_index(*list, index, span, frame);
    if (index.indices.size() != 1)
        return fault("E-INDEX", fmt::format("{} takes one index, found {}", base.kind(), index.indices.size()), span);
    const Expr& inner = *index.indices[0];
    if (const auto* record = base.get<RecordPtr>()) {
        // Unlike the index of a factor this is not a label position (LANGUAGE.md): a name of the script means its value.
        if (is_script_name(inner))
            if (const auto value = eval(inner, frame); value && value->as_label())
                if (const Value* found = (*record)->find(value->as_label()->text())) return *found;
        auto value = eval_label(inner, frame);
        if (!value) return value;
        const auto label = value->as_label();
        if (!label) return fault("E-TYPE", fmt::format("a record is indexed by a key, not by {}", value->kind()), inner.span);
        if (const Value* found = (*record)->find(label->text())) return *found;
        return at(no_such_key(**record, label->text()), inner.span);
    }
    auto value = eval(inner, frame);
    if (!value) return value;
    if (value->is<rt::QuantityPtr>()) return chosen(base, *value, inner, span);
    return item_at(base, *value, inner, span);
}

/// R[3], R[2..4], R[z] of a plate's variables: the indices are those of the declaration.
Result<Value> Evaluator::eval_plate_index(const ListPtr& plate, const Index& index, Span span, Frame& frame) {
    const auto position = [this, span, names = plates_.at(plate.get())](const std::string& name) -> Result<std::size_t> {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        return fault("E-VARIABLE", fmt::format("no variable of this plate has the index {}", name), span,
                     fmt::format("they go from {} to {}", names.front(), names.back()));
    };
    std::string name;
    for (const auto& one : index.indices) {
        auto at = eval(*one, frame);
        if (!at) return at;
        if (at->is<rt::QuantityPtr>() && index.indices.size() == 1) return chosen(Value(Value::Node(plate)), *at, *one, span);
        if (const List* several = at->items(); several && index.indices.size() == 1) {
            List out;
            for (const auto& item : *several) {
                const auto label = item.as_label();
                auto found = TRY(label ? position(label->text()) : fault("E-TYPE", "an index is a number or a label", one->span));
                out.push_back((*plate)[found]);
            }
            return Value::list(std::move(out));
        }
        const auto label = at->as_label();
        if (!label) return fault("E-TYPE", fmt::format("the index of a variable is a number or a label, not {}", at->kind()), one->span);
        name += (name.empty() ? "" : ", ") + label->text();
    }
    auto found = TRY(position(name));
    return (*plate)[found];
}

namespace {

/// One number of several that were asked for together, by its name or position.
Result<rt::DistributionPtr> coordinate_at(const rt::Distribution& d, const Value& at) {
    const auto names = rt::coordinate_names(d);
    const std::size_t size = rt::dimension_of(d);
    const auto label = at.as_label();
    const auto named = label ? std::find(names.begin(), names.end(), label->text()) : names.end();
    const auto* n = at.get<rt::Number>();
    const auto position = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
    std::size_t i = size;
    if (named != names.end()) i = static_cast<std::size_t>(named - names.begin());
    if (i == size && position && *position >= 1 && static_cast<std::size_t>(*position) <= size) i = static_cast<std::size_t>(*position - 1);
    const std::string numbers = rt::joined(std::vector<std::string>(names.begin(), names.end()), ", ");
    if (i == size)
        return Fault{.code = "E-INDEX",
                     .message = fmt::format("{} has no number {}", names.empty() ? std::string(d.name()) : "this answer",
                                            label ? label->text() : std::string(at.kind())),
                     .label = names.empty() ? fmt::format("positions go from 1 to {}", size) : fmt::format("its numbers are {}", numbers)};
    auto out = rt::coordinate(d, i);
    if (!out) return Fault{.code = "E-TYPE", .message = fmt::format("the parts of a {} have no distributions of their own here", d.name())};
    return out;
}

}  // namespace

Result<Value> Evaluator::item_at(const Value& base_value, const Value& at_value, const Expr& inner, Span span) {
    const Value* base = &base_value;
    const Value* value = &at_value;
    if (const auto* record = base->get<RecordPtr>()) {
        const auto label = value->as_label();
        if (!label) return fault("E-TYPE", fmt::format("a record is indexed by a key, not by {}", value->kind()), inner.span);
        if (const Value* found = (*record)->find(label->text())) return *found;
        return at(no_such_key(**record, label->text()), inner.span);
    }
    if (const auto* f = base->get<FactorPtr>()) {
        const auto label = value->as_label();
        if (!label) return fault("E-TYPE", fmt::format("a factor is indexed by labels, not by {}", value->kind()), inner.span);
        if (!(*f)->variables()[0].domain->find(*label)) return at(no_such_label((*f)->variables()[0], *label), inner.span);
        auto out = rt::fix_leading(**f, std::span(&*label, 1));
        if (!out) return at(std::move(out).fault(), span);
        return out->variables().empty() ? Value(out->at(0)) : Value::factor(*std::move(out));
    }
    if (const List* several = value->items(); several && !value->is<InstancePtr>()) return part_at(*base, *several, inner, span);
    const auto* n = value->get<rt::Number>();
    const auto position = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
    const auto in_range = [&](std::size_t size) { return position && *position >= 1 && static_cast<std::size_t>(*position) <= size; };
    const auto out_of_range = [&](std::size_t size, std::string_view what) {
        if (!position)
            return fault("E-INDEX",
                         fmt::format("a position is a whole number, not {}", n ? show_number(*n, show_) : std::string(value->kind())),
                         inner.span, {}, column_hint(*base, *value));
        return fault("E-INDEX", fmt::format("there is no position {} in {} of {}", *position, base->kind(), size), inner.span,
                     size ? fmt::format("positions go from 1 to {}", size) : fmt::format("{} is empty", what),
                     size == 0 || *position > 0 ? ""
                     : *position == 0           ? "the first is at position 1"
                                                : "the last of xs is xs[count(xs)]");
    };
    if (const List* items = base->items(); items && !base->is<SetPtr>()) {
        if (!in_range(items->size())) return out_of_range(items->size(), "it");
        return (*items)[static_cast<std::size_t>(*position - 1)];
    }
    if (const auto* table = base->get<rt::TablePtr>()) {
        if (!in_range((*table)->rows())) return out_of_range((*table)->rows(), "the table");
        return row_value(**table, static_cast<std::size_t>(*position - 1));
    }
    if (const auto* d = base->get<rt::DistributionPtr>(); d && (*d)->support() == rt::Support::vectors) {
        auto part = coordinate_at(**d, *value);
        if (!part) return at(std::move(part).fault(), inner.span);
        return Value(Value::Node(*std::move(part)));
    }
    return fault("E-TYPE", fmt::format("[ ] looks into lists, instances, records, factors and tables, not into {}", base->kind()), span);
}

/// t["age"], as other languages take a column.
std::string Evaluator::column_hint(const Value& base, const Value& key) {
    const auto* table = base.get<rt::TablePtr>();
    const auto label = key.as_label();
    if (!table || !label || !(*table)->find(label->text())) return "";
    return fmt::format("a column is a member of its table: t.{}; under a computed name it is [r[name] for r in t]",
                       show_name(label->text()));
}

/// xs[2..4], t[1..10]: the items, or the rows, at these positions.
Result<Value> Evaluator::part_at(const Value& base, const List& positions, const Expr& written, Span span) {
    const auto* table = base.get<rt::TablePtr>();
    const List* items = base.items();
    if (!table && (!items || base.is<SetPtr>()))
        return fault("E-TYPE", fmt::format("only lists and tables have parts from one position to another, not {}", base.kind()), span);
    const std::size_t size = table ? (*table)->rows() : items->size();
    std::vector<std::uint32_t> rows;
    List out;
    for (const auto& one : positions) {
        const auto* n = one.get<rt::Number>();
        const auto position = n && n->is_exact() ? n->exact().to_int64() : std::nullopt;
        if (!position || *position < 1 || static_cast<std::size_t>(*position) > size)
            return fault("E-INDEX",
                         position
                             ? fmt::format("there is no position {} in {} of {}", *position, base.kind(), size)
                             : fmt::format("a position is a whole number, not {}", n ? show_number(*n, show_) : std::string(one.kind())),
                         written.span, size ? fmt::format("positions go from 1 to {}", size) : "it is empty");
        if (table)
            rows.push_back(static_cast<std::uint32_t>(*position - 1));
        else
            out.push_back((*items)[static_cast<std::size_t>(*position - 1)]);
    }
    if (!table) return Value::list(std::move(out));
    auto part = rt::take_rows(**table, rows);
    if (!part) return at(std::move(part).fault(), span);
    return Value(Value::Node(*std::move(part)));
}

Result<Value> Evaluator::eval_member(const Member& member, Span span, Frame& frame) {
    auto base = eval(*member.base, frame);
    if (!base) return base;
    return member_of(*base, member.name, span, nullptr, frame);
}

Result<Value> Evaluator::member_of(const Value& base, const Word& name, Span span, const std::vector<Argument>* arguments, Frame& frame) {
    std::vector<std::string> known;
    std::string_view kind = member_kind(base);
    if (const auto* record = base.get<RecordPtr>()) {
        const Value* found = (*record)->find(name.text);
        if (!found) return at(no_such_key(**record, name.text), name.span);
        if (!arguments) return *found;
        auto passed = TRY(pass(*arguments, frame, nullptr, {}));
        return apply(*found, std::move(passed), span);
    }
    if (const auto* table = base.get<rt::TablePtr>()) {
        if (const auto column = (*table)->find(name.text); column && !arguments) return column_value(*(*table)->columns[*column]);
        for (const auto& column : (*table)->columns) known.push_back(column->name);
    }
    if (const auto* f = base.get<FactorPtr>();
        f && !arguments && (*f)->variables().size() == 1 && !world_.registry.find_member(kind, name.text))
        if (const auto at = (*f)->variables()[0].domain->find(rt::Label::of_text(name.text))) return Value((*f)->at(*at));
    if (const auto* f = base.get<FactorPtr>(); f && (*f)->model() && !world_.registry.find_member(kind, name.text) &&
                                               world_.registry.find_member((*f)->model()->kind(), name.text))
        return member_of(Value(Value::Node(ModelValue{(*f)->model(), {}})), name, span, arguments, frame);
    if (const auto* d = base.get<rt::DistributionPtr>();
        d && !arguments && !rt::coordinate_names(**d).empty() && !world_.registry.find_member(kind, name.text)) {
        auto part = coordinate_at(**d, Value::label(rt::Label::of_text(name.text)));
        if (!part) return at(std::move(part).fault(), name.span);
        return Value(Value::Node(*std::move(part)));
    }
    if (const auto* model = base.get<ModelValue>()) kind = model->model->kind();
    const Builtin* found = world_.registry.find_member(kind, name.text);
    if (!found && base.is<ModelValue>()) found = world_.registry.find_member("model", name.text);
    if (found) {
        static const std::vector<Argument> none;
        auto passed = TRY(pass(arguments ? *arguments : none, frame, &base, span));
        const Builtin* forms[] = {found};
        return apply_builtin(forms, name.text, passed, span);
    }
    for (auto& other : world_.registry.member_names(kind)) known.push_back(std::move(other));
    if (base.is<ModelValue>())
        for (auto& other : world_.registry.member_names("model")) known.push_back(std::move(other));
    Fault unknown =
        at(no_such_member(base.is<ModelValue>() ? "a " + std::string(kind) : std::string(base.kind()), known, name.text), name.span);
    if (const Overloads* overloads = world_.registry.find(name.text);
        unknown.hint.empty() && overloads && std::any_of(overloads->forms.begin(), overloads->forms.end(), [&](const Builtin& form) {
            return !form.parameters.empty() && !refusal(base, form.parameters[0]);
        })) {
        unknown.hint = fmt::format("{0} is a function: {0}(value, …)", name.text);
    }
    return unknown;
}

}  // namespace credence::lang
