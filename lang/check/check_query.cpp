#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"

namespace credence::lang {

void Checker::check_variable(QueryExpr& query, VariableRef& ref, const ModelShape* shape, bool may_be_table) {
    if (ref.index) bind_words(query, *ref.index, shape);
    if (const auto found = look_up(ref.name.text, &query)) ref.resolved = *found;
    // A table among the evidence: as a model its name comes last in the order of meanings.
    if (const auto model = look_up_model(ref.name.text); model && may_be_table) ref.resolved = *model;
    if (!shape) return;
    const auto name = spelled(ref);
    if (name && shape->has(*name)) ref.resolved = {};  // so it reads nothing from around the query
    if (!name || shape->has(*name) || (!shape->complete && ref.index)) return;
    const bool named = ref.resolved.kind == Resolution::Kind::local || ref.resolved.kind == Resolution::Kind::global ||
                       ref.resolved.kind == Resolution::Kind::model;
    if (may_be_table && named && (!ref.index || !has_indexed(*shape, ref.name.text))) return;  // data, or a row of it: t[3]
    const bool valued = named && ref.resolved.kind != Resolution::Kind::model;  // n < D1, prizes[2] = D1: a value of the script
    if (valued && !may_be_table && !has_indexed(*shape, ref.name.text)) return;
    if (value_for_variable(query, {shape}, *name, ref.span)) return;
    report(no_such_variable("the model", shape->names(), *name), ref.span);
}

namespace {

/// The label that a value is, if it is written as one.
std::optional<std::string> value_word(const Expr& value) {
    if (const auto* name = std::get_if<NameExpr>(&value.node)) return name->name;
    if (const auto* number = std::get_if<NumberLit>(&value.node)) return rt::Label::of_number(number->value).text();
    if (const auto* b = std::get_if<BoolLit>(&value.node)) return b->value ? "true" : "false";
    if (const auto* s = std::get_if<SignLit>(&value.node)) return std::string(1, s->sign);
    const auto* t = std::get_if<TextLit>(&value.node);
    if (t && t->parts.size() == 1 && std::holds_alternative<std::string>(t->parts[0]))
        return rt::Label::of_text(std::get<std::string>(t->parts[0])).text();
    return std::nullopt;
}

}  // namespace

void Checker::check_value(QueryExpr& query, const EventAtom& atom, Expr& value, const VariableShape* variable, const ModelShape* shape) {
    if (atom.op == EventOp::distributed || atom.op == EventOp::likelihood) {
        resolve(value);
        const auto* record = std::get_if<RecordLit>(&value.node);
        if (!record || !variable || !variable->labels) return;
        for (const auto& entry : record->entries)
            if (!entry.computed && !rt::contains(*variable->labels, entry.key.text))
                report(no_such_label(variable->name, *variable->labels, entry.key.text), entry.key.span);
        return;
    }
    const bool literal = std::holds_alternative<ListLit>(value.node) || std::holds_alternative<SetLit>(value.node) ||
                         std::holds_alternative<RecordLit>(value.node) || std::holds_alternative<NameExpr>(value.node);
    const auto is_word = [](const Expr& e) {
        return std::holds_alternative<NameExpr>(e.node) || std::holds_alternative<NumberLit>(e.node) ||
               std::holds_alternative<TextLit>(e.node) || std::holds_alternative<SignLit>(e.node);
    };
    // A label of the variable comes before a name of the script, so that a word is recorded by what it means here.
    const auto resolve_word = [&](Expr& word) {
        NameRecorder* const recorder = recorder_;
        auto* const name = std::get_if<NameExpr>(&word.node);
        if (name) {
            recorder_ = nullptr;
            const auto found = look_up(name->name, &query);
            mean(*name, word.span, found ? *found : Resolution{Resolution::Kind::label, 0});
        } else {
            resolve_quietly(word);
        }
        recorder_ = recorder;
        record_value(query, word, variable, shape);
    };
    auto* list = std::get_if<ListLit>(&value.node);
    auto* set = std::get_if<SetLit>(&value.node);
    if (!literal || value.parenthesised)
        bind_words(query, value, shape);
    else if (list || set)
        for (auto& item : list ? list->items : set->items)
            is_word(*item) && !item->parenthesised ? resolve_word(*item) : bind_words(query, *item, shape);
    else
        resolve_word(value);
    const bool order = atom.op != EventOp::equal && atom.op != EventOp::not_equal && atom.op != EventOp::in;
    if (const auto* name = value.parenthesised ? nullptr : std::get_if<NameExpr>(&value.node);
        name && is_value(name->resolved) && shape && shape->has(name->name) && name->name != atom.variable.name.text)
        note(fmt::format("{0} is the variable of the model here; write ({0}) for the name declared above", name->name), value.span);
    if (!variable || order) return;
    if (atom.op == EventOp::in && std::holds_alternative<NameExpr>(value.node)) return;  // the name of a set, not a label
    if (list || set)
        for (const auto& item : list ? list->items : set->items) check_value_word(*item, *variable, shape);
    else
        check_value_word(value, *variable, shape);
}

void Checker::check_value_word(const Expr& one, const VariableShape& variable, const ModelShape* shape) {
    if (one.parenthesised) return;
    const auto word = value_word(one);
    if (!word) return;
    const std::string& text = *word;
    // Rule 1 of the order of meanings: a value of the variable, else a variable, else a name of the script.
    const auto* name = std::get_if<NameExpr>(&one.node);
    const bool script_name = name && (name->resolved.kind == Resolution::Kind::local || name->resolved.kind == Resolution::Kind::global);
    const bool known = variable.labels && rt::contains(*variable.labels, text);
    if (known) {
        if (script_name)
            note(fmt::format("{0} is a value of {1} here; write ({0}) for the name declared above", text, variable.name), one.span);
        return;
    }
    if (name && (script_name || (shape && (shape->has(text) || has_indexed(*shape, text))))) return;
    if (variable.numeric && !rt::Label::of_text(text).is_number()) {
        report("E-TYPE", fmt::format("{} is a number, and '{}' is not", variable.name, text), one.span,
               name ? fmt::format("no variable and no name is called {}", text) : "",
               text == "true" || text == "false"
                   ? fmt::format("something that is true with probability p is drawn: {} ~ bernoulli(p)", variable.name)
                   : "");
        return;
    }
    if (!variable.labels) return;
    // 1 and 0 are true and false.
    if ((text == "1" || text == "0") && variable.labels->size() == 2 && rt::contains(*variable.labels, "true")) return;
    report(no_such_label(variable.name, *variable.labels, text), one.span);
}

bool is_value_of_plate(const ModelShape& shape, std::string_view plate, std::string_view word) {
    return has_plate(shape, plate) && std::any_of(shape.variables.begin(), shape.variables.end(), [&](const VariableShape& v) {
               return v.name.size() > plate.size() && v.name[plate.size()] == '[' && v.name.starts_with(plate) && v.labels &&
                      rt::contains(*v.labels, word);
           });
}

void Checker::check_event(QueryExpr& query, EventExpr& event, const ModelShape* shape, bool next, bool inside) {
    if (auto* a = std::get_if<EventAtom>(&event.node)) {
        const bool alone = shape && !a->variable.index && !shape->has(a->variable.name.text);
        const bool plate = alone && (a->op == EventOp::equal || a->op == EventOp::not_equal) && has_plate(*shape, a->variable.name.text);
        const auto* within = alone && a->op == EventOp::in ? std::get_if<NameExpr>(&a->value->node) : nullptr;
        const bool value =
            within && is_value_of_plate(*shape, within->name, a->variable.name.text) && !is_script_value(a->variable.name.text);
        if (!plate && !value) check_variable(query, a->variable, shape, false);
        record_variable(query, a->variable);
        const auto name = spelled(a->variable);
        const VariableShape* variable = shape && name ? shape->find(next ? "next " + *name : *name) : nullptr;
        if (!holes_allowed_ && std::holds_alternative<HoleLit>(a->value->node))
            report("E-HOLE", "? cannot be observed", a->value->span, "no value",
                   fmt::format("leave {} out: what the evidence does not name is unknown", source_->text(a->variable.span)));
        else
            check_value(query, *a, *a->value, variable, shape);
        return;
    }
    if (auto* c = std::get_if<EventCompare>(&event.node)) {
        if (c->op == EventOp::distributed || c->op == EventOp::likelihood)
            report("E-QUERY", "uncertain evidence must be about a variable, not about a computed value", c->left->span, {},
                   "declare a node for it in the net");
        bind_words(query, *c->left, shape);
        bind_words(query, *c->right, shape);
        return;
    }
    if (auto* q = std::get_if<EventQuantity>(&event.node)) return bind_words(query, *q->quantity, shape);
    if (auto* n = std::get_if<EventName>(&event.node)) {
        const std::string& name = n->variable.name.text;
        const bool plate = shape && !inside && !next && !n->variable.index && !shape->has(name) && has_plate(*shape, name);
        if (!plate) check_variable(query, n->variable, shape, !inside && !next);
        record_variable(query, n->variable);
        return;
    }
    if (auto* n = std::get_if<EventNot>(&event.node)) {
        check_event(query, *n->operand, shape, next, true);
        return;
    }
    if (auto* a = std::get_if<EventAnd>(&event.node))
        for (auto& part : a->parts) check_event(query, *part, shape, next, true);
    if (auto* o = std::get_if<EventOr>(&event.node))
        for (auto& part : o->parts) check_event(query, *part, shape, next, true);
}

void Checker::check_item(QueryExpr& query, QueryItem& item, const ModelShape* shape) {
    if (auto* event = std::get_if<EventItem>(&item.node)) check_event(query, *event->event, shape, event->next, false);
    if (auto* intervention = std::get_if<DoItem>(&item.node))
        for (auto& e : intervention->events) check_event(query, *e, shape, false, true);
}

bool Checker::is_script_value(std::string_view name, const QueryExpr* around) {
    const auto found = look_up(name, around);
    return found && is_value(*found);
}

/// Words of an expression that may be variables get slots: all of them where the model is known only at run time. A name of the script, or
/// a word of a query around this one, is a variable here too if the model has one of that name.
void Checker::bind_words(QueryExpr& query, Expr& expression, const ModelShape* shape) {
    const auto own = own_names(expression);
    std::set<const Expr*> called;  // a function's name is not a variable's
    walk(expression, [&](const Expr& part) {
        if (std::holds_alternative<QueryExpr>(part.node)) return false;
        if (const auto* call = std::get_if<Call>(&part.node)) called.insert(call->callee.get());
        const auto* name = std::get_if<NameExpr>(&part.node);
        if (!name || std::any_of(query.bound.begin(), query.bound.end(), [&](const auto& bound) { return bound.name == name->name; }))
            return true;
        if (own.contains(name->name) && !(shape && shape->has(name->name))) return true;
        if (part.parenthesised && is_script_value(name->name, &query))
            return true;  // (x) is the name of the script, whatever the model has
        // A plate's variables, whose index is still to come.
        const bool plate = shape && !shape->has(name->name) && has_indexed(*shape, name->name);
        if (shape && !shape->has(name->name) && !plate) return true;
        const bool local = find_local(name->name).has_value();
        if (!shape && (local || world_.registry.find(name->name)) && called.contains(&part)) return true;
        if (!shape && !local && scope_.find(name->name) && scope_.find(name->name)->kind == Symbol::Kind::function) return true;
        QueryExpr::Bound bound;
        bound.name = name->name;
        bound.span = part.span;
        const auto found = plate ? std::nullopt : look_up(name->name);
        if (found && !shape) bound.otherwise = *found;
        bound.slot = locals_->add(name->name, queried_variable(query, name->name, found.value_or(Resolution{})), &query);
        query.bound.push_back(std::move(bound));
        return true;
    });
    resolve(expression);
}

void Checker::check_query(QueryExpr& query, Span span) {
    const ModelShape* shape = model_of(query, span);
    const ModelShape copy = shape ? *shape : ModelShape{};  // the scope may grow while expressions are resolved
    const ModelShape* known = shape ? &copy : nullptr;
    query.bound.clear();
    const QueryExpr* const around = std::exchange(query_, &query);
    for (auto* items : {&query.targets, &query.second, &query.given})
        for (auto& item : *items) check_item(query, item, known);
    if (query.expectation) bind_words(query, *query.expectation, known);
    for (const auto& bound : query.bound) locals_->end(bound.slot);
    query_ = around;
    if (query.head == QueryHead::I && query.second.empty()) report("E-QUERY", "I(X; Y) needs two sides with a ; between", span);
    if (query.engine) check_method(*query.engine, MethodUse::answering, known);
}

/// P(Diagnosis)[canc]: an index of a query is a label of the variables that are free in it, in their order.
void Checker::check_query_index(const QueryExpr& query, const std::vector<ExprPtr>& indices) {
    const auto* named = query.model ? std::get_if<NameExpr>(&query.model->node) : nullptr;
    const Resolution model = named ? named->resolved : query.resolved_model;
    if ((query.model && !named) || model.kind != Resolution::Kind::model) return;
    const auto& symbols = scope_.symbols();
    const auto symbol = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.slot == model.slot && s.shape; });
    if (symbol == symbols.end()) return;
    std::vector<const VariableShape*> free;
    for (const auto* side : {&query.targets, &query.given})
        for (const auto& item : *side) {
            const auto* event = std::get_if<EventItem>(&item.node);
            if (!event) return;
            const auto* name = std::get_if<EventName>(&event->event->node);
            if (!name) continue;
            const auto* variable = event->next || name->variable.index ? nullptr : symbol->shape->find(name->variable.name.text);
            if (!variable || !variable->labels) return;
            free.push_back(variable);
        }
    for (std::size_t i = 0; i < indices.size() && i < free.size(); ++i) {
        const auto* word = std::get_if<NameExpr>(&indices[i]->node);
        // A name of the script means its value, which the run brings.
        const bool named_value =
            word && (word->resolved.kind == Resolution::Kind::local || word->resolved.kind == Resolution::Kind::global);
        if (!word || indices[i]->parenthesised || named_value) continue;
        const auto& labels = *free[i]->labels;
        if (rt::contains(labels, word->name)) continue;
        report(no_such_label(free[i]->name, labels, word->name), indices[i]->span);
    }
}

}  // namespace credence::lang
