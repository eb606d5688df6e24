#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/check/labels.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

/// The spelling of a variable where it can be told before the run: `Q[3]` with a literal index, else nothing.
std::optional<std::string> spelled(const VariableRef& ref) {
    if (!ref.index) return ref.name.text;
    const auto number = [](const Expr& expr) -> std::optional<std::string> {
        const auto* n = std::get_if<NumberLit>(&expr.node);
        return n ? std::optional(rt::Label::of_number(n->value).text()) : std::nullopt;
    };
    if (const auto n = number(*ref.index)) return ref.name.text + "[" + *n + "]";
    const auto* several = std::get_if<TextLit>(&ref.index->node);
    if (!several) return std::nullopt;
    std::string out;
    for (const auto& part : several->parts) {
        const auto* text = std::get_if<std::string>(&part);
        const auto n = text ? std::optional(*text) : number(*std::get<ExprPtr>(part));
        if (!n) return std::nullopt;
        out += *n;
    }
    return ref.name.text + "[" + out + "]";
}

/// A variable of a query, and whether a plate's variables may be meant together there: `y` alone, or `y = [28, 8, …]`.
struct Mention {
    const VariableRef* variable = nullptr;
    bool together = false;
};

void collect(const EventExpr& event, std::vector<Mention>& out) {
    if (const auto* a = std::get_if<EventAtom>(&event.node)) out.push_back({&a->variable, a->op == EventOp::equal});
    if (const auto* n = std::get_if<EventName>(&event.node)) out.push_back({&n->variable, true});
    if (const auto* n = std::get_if<EventNot>(&event.node)) collect(*n->operand, out);
    if (const auto* a = std::get_if<EventAnd>(&event.node))
        for (const auto& part : a->parts) collect(*part, out);
    if (const auto* o = std::get_if<EventOr>(&event.node))
        for (const auto& part : o->parts) collect(*part, out);
}

/// The expressions over variables that an event holds; a bare word after `X =` is not one of them.
void collect(const EventExpr& event, std::vector<const Expr*>& out) {
    if (const auto* a = std::get_if<EventAtom>(&event.node); a && a->op != EventOp::distributed && a->op != EventOp::likelihood) {
        if (!std::holds_alternative<NameExpr>(a->value->node)) out.push_back(a->value.get());
        if (a->variable.index) out.push_back(a->variable.index.get());
    }
    if (const auto* n = std::get_if<EventName>(&event.node); n && n->variable.index) out.push_back(n->variable.index.get());
    if (const auto* c = std::get_if<EventCompare>(&event.node)) {
        out.push_back(c->left.get());
        if (!std::holds_alternative<NameExpr>(c->right->node)) out.push_back(c->right.get());
    }
    if (const auto* q = std::get_if<EventQuantity>(&event.node)) out.push_back(q->quantity.get());
    if (const auto* n = std::get_if<EventNot>(&event.node)) collect(*n->operand, out);
    if (const auto* a = std::get_if<EventAnd>(&event.node))
        for (const auto& part : a->parts) collect(*part, out);
    if (const auto* o = std::get_if<EventOr>(&event.node))
        for (const auto& part : o->parts) collect(*part, out);
}

void collect_values(const EventExpr& event, std::vector<std::pair<std::string, Span>>& out) {
    const auto add = [&](const Expr& value) {
        if (const auto* name = std::get_if<NameExpr>(&value.node)) out.emplace_back(name->name, value.span);
    };
    if (const auto* a = std::get_if<EventAtom>(&event.node)) add(*a->value);
    if (const auto* c = std::get_if<EventCompare>(&event.node)) add(*c->right);
    if (const auto* n = std::get_if<EventNot>(&event.node)) collect_values(*n->operand, out);
    if (const auto* a = std::get_if<EventAnd>(&event.node))
        for (const auto& part : a->parts) collect_values(*part, out);
    if (const auto* o = std::get_if<EventOr>(&event.node))
        for (const auto& part : o->parts) collect_values(*part, out);
}

/// Bare words right of a comparison.
std::vector<std::pair<std::string, Span>> bare_values(const QueryExpr& query) {
    std::vector<std::pair<std::string, Span>> out;
    for (const auto* items : {&query.targets, &query.second, &query.given})
        for (const auto& item : *items)
            if (const auto* event = std::get_if<EventItem>(&item.node)) collect_values(*event->event, out);
    return out;
}

/// All expressions over variables of a query.
std::vector<const Expr*> expressions_of(const QueryExpr& query) {
    std::vector<const Expr*> out;
    if (query.expectation) out.push_back(query.expectation.get());
    for (const auto* items : {&query.targets, &query.second, &query.given})
        for (const auto& item : *items)
            if (const auto* event = std::get_if<EventItem>(&item.node)) collect(*event->event, out);
    return out;
}

/// Parameters of functions and variables of comprehensions: what they name inside an expression is their own.
std::set<std::string> own_names(const Expr& expr) {
    std::set<std::string> out;
    walk(expr, [&](const Expr& part) {
        if (const auto* lambda = std::get_if<Lambda>(&part.node))
            for (const auto& p : lambda->params) out.insert(p.text);
        if (const auto* c = std::get_if<Comprehension>(&part.node)) out.insert(c->variable.text);
        return true;
    });
    return out;
}

void collect(const std::vector<QueryItem>& items, std::vector<Mention>& out) {
    for (const auto& item : items) {
        if (const auto* event = std::get_if<EventItem>(&item.node)) collect(*event->event, out);
        if (const auto* intervention = std::get_if<DoItem>(&item.node))
            for (const auto& e : intervention->events) collect(*e, out);
    }
}

bool has_plate(const ModelShape& shape, std::string_view name) { return rt::contains(shape.plates, name); }

/// Whether it has variables of that name with an index, or components.
bool has_indexed(const ModelShape& shape, std::string_view name) {
    return has_plate(shape, name) || std::any_of(shape.variables.begin(), shape.variables.end(), [&](const VariableShape& v) {
               return v.name.size() > name.size() && v.name[name.size()] == '[' && v.name.starts_with(name);
           });
}

std::string model_list(const std::vector<const Symbol*>& models) {
    std::vector<std::string> names;
    for (const auto* m : models) names.push_back(m->name);
    return listed(names);
}

bool needs_arguments(const Overloads& builtin) {
    const auto& parameters = builtin.forms[0].parameters;
    return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return !p.optional && !p.rest; });
}

}  // namespace

void Checker::resolve_learner(Expr& expr) {
    auto* name = std::get_if<NameExpr>(&expr.node);
    const Overloads* builtin = name && !look_up_model(name->name) ? world_.registry.find(name->name) : nullptr;
    const auto own = builtin ? look_up(name->name) : std::nullopt;
    const bool by_name = builtin && builtin->forms[0].learner && !needs_arguments(*builtin) && own && own->kind != Resolution::Kind::global;
    if (by_name)
        mean(*name, expr.span, {Resolution::Kind::builtin, 0});
    else
        resolve_model(expr);
}

void Checker::resolve_model(Expr& expr) {
    auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name) {
        resolve(expr);
        return;
    }
    if (const auto found = look_up_model(name->name)) {
        mean(*name, expr.span, *found);
        const Symbol* symbol = found->kind == Resolution::Kind::global ? scope_.find(name->name) : nullptr;
        if (symbol && symbol->kind == Symbol::Kind::function && symbol->shape)
            report("E-MODEL", fmt::format("{} is a net with parameters", name->name), expr.span, "its arguments are missing",
                   fmt::format("write {}({})", name->name, rt::joined(symbol->parameters, ", ")));
        return;
    }
    if (const auto found = look_up(name->name); found && found->kind == Resolution::Kind::global) return mean(*name, expr.span, *found);
    std::vector<std::string> known;
    for (const auto& symbol : scope_.symbols())
        if (symbol.kind == Symbol::Kind::model) known.push_back(symbol.name);
    const auto near = rt::nearest(name->name, known);
    const Overloads* builtin = world_.registry.find(name->name);
    if (builtin && builtin->forms[0].learner) {
        report("E-MODEL", fmt::format("{} is a function that makes a learner", name->name), expr.span, "not called",
               fmt::format("write {}({})", name->name, needs_arguments(*builtin) ? "…" : ""));
        return;
    }
    if (in_gap(name->name)) return;
    report("E-MODEL", fmt::format("there is no model '{}'", name->name), expr.span,
           known.empty() ? "none is declared" : fmt::format("declared are {}", listed(known)),
           near            ? fmt::format("did you mean '{}'?", *near)
           : known.empty() ? "declare one (net, hypotheses, table, …), or name one: let t = load(\"data.csv\")"
                           : "");
}

const Symbol* Checker::called_net(const Expr& expr) const {
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    const Symbol* symbol = callee && callee->resolved.kind == Resolution::Kind::global ? scope_.find(callee->name) : nullptr;
    return symbol && symbol->slot == callee->resolved.slot && symbol->kind == Symbol::Kind::function && symbol->shape ? symbol : nullptr;
}

/// The last one declared that has all these variables.
const Symbol* Checker::net_with_parameters(const std::vector<std::pair<std::string, Span>>& variables) const {
    const Symbol* out = nullptr;
    for (const auto& symbol : scope_.symbols())
        if (symbol.kind == Symbol::Kind::function && symbol.shape && std::all_of(variables.begin(), variables.end(), [&](const auto& v) {
                return symbol.shape->has(v.first) || has_plate(*symbol.shape, v.first.substr(0, v.first.find('[')));
            }))
            out = &symbol;
    return out;
}

const ModelShape* Checker::model_of(QueryExpr& query, Span span) {
    if (query.model) {
        resolve_model(*query.model);
        if (const Symbol* net = called_net(*query.model)) return &*net->shape;
        const auto* name = std::get_if<NameExpr>(&query.model->node);
        if (!name || (name->resolved.kind != Resolution::Kind::model && name->resolved.kind != Resolution::Kind::global)) return nullptr;
        const Symbol* symbol =
            name->resolved.kind == Resolution::Kind::model ? scope_.find_kind(name->name, Symbol::Kind::model) : scope_.find(name->name);
        return symbol && symbol->shape ? &*symbol->shape : nullptr;
    }
    std::vector<Mention> refs;
    collect(query.targets, refs);
    collect(query.second, refs);
    collect(query.given, refs);
    const auto models = scope_.models();
    const auto in_some_model = [&](std::string_view name) {
        return std::any_of(models.begin(), models.end(), [&](const Symbol* m) { return m->shape->has(name); });
    };
    std::vector<std::pair<std::string, Span>> wanted;
    std::vector<std::string> plates;  // all of whose variables are meant, or one by its index
    for (const auto& [ref, together] : refs) {
        auto name = spelled(*ref);
        if (!name) {  // H[t]: its plate is known, if not which of its variables
            if (std::any_of(models.begin(), models.end(), [&, of = ref](const Symbol* m) { return has_indexed(*m->shape, of->name.text); }))
                plates.push_back(ref->name.text);
            continue;
        }
        const auto plate_of_some = [&] {
            return std::any_of(models.begin(), models.end(), [&](const Symbol* m) { return has_plate(*m->shape, *name); });
        };
        if (together && !ref->index && !in_some_model(*name) && plate_of_some()) {
            plates.push_back(*name);
            continue;
        }
        const std::string& word = ref->name.text;
        const Symbol* symbol = scope_.find(word);
        const bool indexed =
            ref->index && std::any_of(models.begin(), models.end(), [&](const Symbol* m) { return has_indexed(*m->shape, word); });
        const bool data =
            !in_some_model(*name) && !indexed &&
            ((symbol && (symbol->kind == Symbol::Kind::value || (symbol->shape && symbol->shape->kind == "table"))) || find_local(word));
        if (!data) wanted.emplace_back(*name, ref->span);
    }
    for (const Expr* expression : expressions_of(query)) {
        const auto own = own_names(*expression);
        walk(*expression, [&](const Expr& part) {
            if (std::holds_alternative<QueryExpr>(part.node)) return false;
            const auto* name = std::get_if<NameExpr>(&part.node);
            if (!name || find_local(name->name) || own.contains(name->name)) return true;
            const Symbol* symbol = scope_.find(name->name);
            const bool named = expression != query.expectation.get() && symbol && symbol->kind != Symbol::Kind::model;
            if (in_some_model(name->name) && !named)
                wanted.emplace_back(name->name, part.span);
            else if (std::any_of(models.begin(), models.end(), [&](const Symbol* m) { return has_indexed(*m->shape, name->name); }))
                plates.push_back(name->name);
            return true;
        });
    }
    // limit < First: the variable is on the right.
    if (wanted.empty() && plates.empty())
        for (const auto& [name, where] : bare_values(query))
            if (in_some_model(name)) wanted.emplace_back(name, where);
    std::vector<const Symbol*> fitting;
    for (const auto* m : models)
        if (std::all_of(wanted.begin(), wanted.end(),
                        [&](const auto& w) {
                            const auto bracket = w.first.find('[');
                            const bool open = !m->shape->complete && bracket != std::string::npos;
                            return m->shape->has(w.first) || (open && has_plate(*m->shape, std::string_view(w.first).substr(0, bracket)));
                        }) &&
            std::all_of(plates.begin(), plates.end(), [&](const std::string& plate) { return has_indexed(*m->shape, plate); }))
            fitting.push_back(m);
    if (fitting.size() == 1) {
        query.resolved_model = {Resolution::Kind::model, fitting[0]->slot};
        return &*fitting[0]->shape;
    }
    const bool everything = std::any_of(query.targets.begin(), query.targets.end(),
                                        [](const QueryItem& item) { return std::holds_alternative<StarItem>(item.node); });
    if (fitting.size() > 1 && wanted.empty() && plates.empty() && !everything && refs.empty()) {
        std::vector<std::string> known;
        for (const auto* m : models)
            for (auto& name : m->shape->names()) known.push_back(std::move(name));
        report("E-QUERY", "this query names no variable", span, fmt::format("there are {}", listed(known)),
               "a variable is written without quotes: P(X = a)");
        return nullptr;
    }
    if (fitting.size() > 1) {
        report("E-AMBIGUOUS",
               wanted.empty() ? fmt::format("the query can be about each of {} models", fitting.size())
                              : fmt::format("{} models have all these variables", fitting.size()),
               span, fmt::format("they are {}", model_list(fitting)), fmt::format("name one: … in {}", fitting[0]->name));
        return nullptr;
    }
    if (!gaps_.empty()) return nullptr;
    if (const Symbol* net = wanted.empty() ? nullptr : net_with_parameters(wanted)) {
        report("E-MODEL", fmt::format("{} belongs to {}, which is a net with parameters", wanted[0].first, net->name), wanted[0].second,
               "no other model has it", fmt::format("give its arguments: … in {}({})", net->name, rt::joined(net->parameters, ", ")));
        return nullptr;
    }
    if (models.empty()) {
        report("E-MODEL", "there is no declared model to query", span, {}, "declare a net or hypotheses first, or name a table: P(…) in t");
        return nullptr;
    }
    std::vector<std::string> known;
    for (const auto* m : models)
        for (auto& name : m->shape->names()) known.push_back(std::move(name));
    bool said = false;
    std::vector<const ModelShape*> shapes;
    for (const auto* m : models) shapes.push_back(&*m->shape);
    for (const auto& [name, where] : wanted) {
        if (in_some_model(name)) continue;
        if (value_for_variable(query, shapes, name, where)) {
            said = true;
            continue;
        }
        if (const auto plate = no_such_plate_member(known, name)) {
            report(*plate, where);
            said = true;
            continue;
        }
        const auto near = rt::nearest(name, known);
        bool in_table = false;
        for (const auto& symbol : scope_.symbols())
            in_table = in_table || (symbol.shape && symbol.shape->kind == "table" && symbol.shape->has(name));
        report("E-VARIABLE", fmt::format("no declared model has a variable '{}'", name), where, fmt::format("there are {}", listed(known)),
               in_table ? fmt::format("it is a column: name its table, P(…) in …")
               : near   ? fmt::format("did you mean '{}'?", *near)
                        : "");
        said = true;
    }
    if (said) return nullptr;
    std::string owners;
    for (const auto* m : models) {
        std::vector<std::string> own;
        for (const auto& [name, where] : wanted)
            if (m->shape->has(name) && std::find(own.begin(), own.end(), name) == own.end()) own.push_back(name);
        if (!own.empty())
            owners +=
                fmt::format("{}{} {} in {}", owners.empty() ? "" : ", ", rt::joined(own, ", "), own.size() > 1 ? "are" : "is", m->name);
    }
    report("E-MODEL", "no single model has all these variables", span,
           owners.empty() ? fmt::format("declared are {}", model_list(models)) : owners, "a query is about the variables of one model");
    return nullptr;
}

void Checker::check_variable(QueryExpr& query, VariableRef& ref, const ModelShape* shape, bool may_be_table) {
    if (ref.index) bind_words(query, *ref.index, shape);
    if (const auto found = look_up(ref.name.text)) ref.resolved = *found;
    // A table among the evidence: as a model its name comes last in the order of meanings.
    if (const auto model = look_up_model(ref.name.text); model && may_be_table) ref.resolved = *model;
    if (!shape) return;
    const auto name = spelled(ref);
    if (!name || shape->has(*name) || (!shape->complete && ref.index)) return;
    const bool named = ref.resolved.kind == Resolution::Kind::local || ref.resolved.kind == Resolution::Kind::global ||
                       ref.resolved.kind == Resolution::Kind::model;
    if (may_be_table && named && (!ref.index || !has_indexed(*shape, ref.name.text))) return;  // data, or a row of it: t[3]
    const bool valued = named && ref.resolved.kind != Resolution::Kind::model;  // n < D1, prizes[2] = D1: a value of the script
    if (valued && !may_be_table && !has_indexed(*shape, ref.name.text)) return;
    if (value_for_variable(query, {shape}, *name, ref.span)) return;
    report(no_such_variable("the model", shape->names(), *name), ref.span);
}

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
        if (std::holds_alternative<NameExpr>(word.node)) recorder_ = nullptr;
        resolve_quietly(word);
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
        name && is_script_value(name->name) && shape && shape->has(name->name) && name->name != atom.variable.name.text &&
        std::none_of(query.bound.begin(), query.bound.end(), [&](const QueryExpr::Bound& bound) { return bound.name == name->name; }))
        note(fmt::format("{0} is the variable of the model here; write ({0}) for the name declared above", name->name), value.span);
    if (!variable || order) return;
    if (atom.op == EventOp::in && std::holds_alternative<NameExpr>(value.node)) return;  // the name of a set, not a label
    const auto check_one = [&](const Expr& one) {
        std::string text;
        if (one.parenthesised) return;
        if (const auto* name = std::get_if<NameExpr>(&one.node))
            text = name->name;
        else if (const auto* number = std::get_if<NumberLit>(&one.node))
            text = rt::Label::of_number(number->value).text();
        else if (const auto* b = std::get_if<BoolLit>(&one.node))
            text = b->value ? "true" : "false";
        else if (const auto* s = std::get_if<SignLit>(&one.node))
            text = std::string(1, s->sign);
        else if (const auto* t = std::get_if<TextLit>(&one.node);
                 t && t->parts.size() == 1 && std::holds_alternative<std::string>(t->parts[0]))
            text = rt::Label::of_text(std::get<std::string>(t->parts[0])).text();
        else
            return;
        // Rule 1 of the order of meanings: a value of the variable, else a variable, else a name of the script.
        const auto* name = std::get_if<NameExpr>(&one.node);
        const bool script_name =
            name && (name->resolved.kind == Resolution::Kind::local || name->resolved.kind == Resolution::Kind::global);
        const bool known = variable->labels && rt::contains(*variable->labels, text);
        if (known) {
            if (script_name)
                note(fmt::format("{0} is a value of {1} here; write ({0}) for the name declared above", text, variable->name), one.span);
            return;
        }
        if (name && (script_name || (shape && (shape->has(text) || has_indexed(*shape, text))))) return;
        if (variable->numeric && !rt::Label::of_text(text).is_number()) {
            report("E-TYPE", fmt::format("{} is a number, and '{}' is not", variable->name, text), one.span,
                   name ? fmt::format("no variable and no name is called {}", text) : "",
                   text == "true" || text == "false"
                       ? fmt::format("what is true with probability p is drawn: {} ~ bernoulli(p)", variable->name)
                       : "");
            return;
        }
        if (!variable->labels) return;
        // 1 and 0 are true and false.
        if ((text == "1" || text == "0") && variable->labels->size() == 2 && rt::contains(*variable->labels, "true")) return;
        report(no_such_label(variable->name, *variable->labels, text), one.span);
    };
    if (list) {
        for (const auto& item : list->items) check_one(*item);
    } else if (set) {
        for (const auto& item : set->items) check_one(*item);
    } else {
        check_one(value);
    }
}

void Checker::check_event(QueryExpr& query, EventExpr& event, const ModelShape* shape, bool next, bool inside) {
    if (auto* a = std::get_if<EventAtom>(&event.node)) {
        const bool plate = shape && a->op == EventOp::equal && !a->variable.index && !shape->has(a->variable.name.text) &&
                           has_plate(*shape, a->variable.name.text);
        if (!plate) check_variable(query, a->variable, shape, false);
        record_variable(query, a->variable);
        const auto name = spelled(a->variable);
        const VariableShape* variable = shape && name ? shape->find(next ? "next " + *name : *name) : nullptr;
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

bool Checker::is_script_value(std::string_view name) {
    const auto found = look_up(name);
    return found && (found->kind == Resolution::Kind::local || found->kind == Resolution::Kind::global);
}

/// Words of an expression that may be variables get slots: all of them where the model is known only at run time.
void Checker::bind_words(QueryExpr& query, Expr& expression, const ModelShape* shape) {
    const auto own = own_names(expression);
    std::set<const Expr*> called;  // a function's name is not a variable's
    walk(expression, [&](const Expr& part) {
        if (std::holds_alternative<QueryExpr>(part.node)) return false;
        if (const auto* call = std::get_if<Call>(&part.node)) called.insert(call->callee.get());
        const auto* name = std::get_if<NameExpr>(&part.node);
        if (!name || find_local(name->name)) return true;
        if (own.contains(name->name) && !(shape && shape->has(name->name))) return true;
        if (part.parenthesised && is_script_value(name->name)) return true;  // (x) is the name of the script, whatever the model has
        // A plate's variables, whose index is still to come.
        const bool plate = shape && !shape->has(name->name) && has_indexed(*shape, name->name);
        if (shape && !shape->has(name->name) && !plate) return true;
        if (!shape && world_.registry.find(name->name) && called.contains(&part)) return true;
        if (!shape && scope_.find(name->name) && scope_.find(name->name)->kind == Symbol::Kind::function) return true;
        QueryExpr::Bound bound;
        bound.name = name->name;
        bound.span = part.span;
        if (const auto found = look_up(name->name); found && !plate) bound.otherwise = *found;
        bound.slot = locals_->add(name->name, queried_variable(query, name->name, bound.otherwise));
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
    for (auto* items : {&query.targets, &query.second, &query.given})
        for (auto& item : *items) check_item(query, item, known);
    if (query.expectation) bind_words(query, *query.expectation, known);
    for (const auto& bound : query.bound) locals_->end(bound.slot);
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
