// Which model a query, `train` or a plot is about: the one that is named, or the only one that has all the variables.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/syntax/walk.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

namespace {

/// A variable of a query, and whether a plate's variables may be meant together there: `y` alone, or `y = [28, 8, …]`. Left of `in` and a
/// plate it may be a value: `within` is the name of the plate then.
struct Mention {
    const VariableRef* variable = nullptr;
    bool together = false;
    const NameExpr* within = nullptr;
};

void collect(const EventExpr& event, std::vector<Mention>& out) {
    if (const auto* a = std::get_if<EventAtom>(&event.node))
        out.push_back({&a->variable, a->op == EventOp::equal || a->op == EventOp::not_equal,
                       a->op == EventOp::in ? std::get_if<NameExpr>(&a->value->node) : nullptr});
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

void collect(const std::vector<QueryItem>& items, std::vector<Mention>& out) {
    for (const auto& item : items) {
        if (const auto* event = std::get_if<EventItem>(&item.node)) collect(*event->event, out);
        if (const auto* intervention = std::get_if<DoItem>(&item.node))
            for (const auto& e : intervention->events) collect(*e, out);
    }
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

using NamedPlaces = std::vector<std::pair<std::string, Span>>;

bool fits(const ModelShape& shape, const NamedPlaces& variables, const std::vector<std::string>& plates) {
    const auto has_variable = [&](const auto& wanted) {
        const auto bracket = wanted.first.find('[');
        const bool open = !shape.complete && bracket != std::string::npos;
        return shape.has(wanted.first) || (open && has_plate(shape, std::string_view(wanted.first).substr(0, bracket)));
    };
    return std::all_of(variables.begin(), variables.end(), has_variable) &&
           std::all_of(plates.begin(), plates.end(), [&](const std::string& plate) { return has_indexed(shape, plate); });
}

template <class Holds>
bool any_has(const std::vector<const Symbol*>& models, Holds holds) {
    return std::any_of(models.begin(), models.end(), [&](const Symbol* m) { return holds(*m->shape); });
}
bool any_has_variable(const std::vector<const Symbol*>& models, std::string_view name) {
    return any_has(models, [&](const ModelShape& shape) { return shape.has(name); });
}
bool any_has_indexed(const std::vector<const Symbol*>& models, std::string_view name) {
    return any_has(models, [&](const ModelShape& shape) { return has_indexed(shape, name); });
}

std::vector<std::string> variables_of(const std::vector<const Symbol*>& models) {
    std::vector<std::string> out;
    for (const auto* m : models)
        for (auto& name : m->shape->names()) out.push_back(std::move(name));
    return out;
}

}  // namespace

bool has_plate(const ModelShape& shape, std::string_view name) { return rt::contains(shape.plates, name); }

bool has_indexed(const ModelShape& shape, std::string_view name) {
    return has_plate(shape, name) || std::any_of(shape.variables.begin(), shape.variables.end(), [&](const VariableShape& v) {
               return v.name.size() > name.size() && v.name[name.size()] == '[' && v.name.starts_with(name);
           });
}

/// What a query says of its model.
struct Checker::Wanted {
    NamedPlaces variables;
    std::vector<std::string> plates;  ///< all of whose variables are meant, or one by its index
    bool mentions = false;            ///< any name in the place of a variable, one of the script's data included
};

/// The spelling of a variable where it can be told before the run: `Q[3]` with a literal index, else nothing.
std::optional<std::string> Checker::spelled(const VariableRef& ref) {
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

/// Parameters of functions and variables of comprehensions: what they name inside an expression is their own.
std::set<std::string> Checker::own_names(const Expr& expr) {
    std::set<std::string> out;
    walk(expr, [&](const Expr& part) {
        if (const auto* lambda = std::get_if<Lambda>(&part.node))
            for (const auto& p : lambda->params) out.insert(p.text);
        if (const auto* c = std::get_if<Comprehension>(&part.node)) out.insert(c->variable.text);
        return true;
    });
    return out;
}

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

const ModelShape* Checker::named_shape(Expr& model) {
    resolve_model(model);
    if (const Symbol* net = called_net(model)) return &*net->shape;
    const auto* name = std::get_if<NameExpr>(&model.node);
    if (!name || (name->resolved.kind != Resolution::Kind::model && name->resolved.kind != Resolution::Kind::global)) return nullptr;
    const Symbol* symbol =
        name->resolved.kind == Resolution::Kind::model ? scope_.find_kind(name->name, Symbol::Kind::model) : scope_.find(name->name);
    return symbol && symbol->shape ? &*symbol->shape : nullptr;
}

/// A name that only the script has: a value, a local or a table.
bool Checker::is_data(std::string_view name) {
    const Symbol* symbol = scope_.find(name);
    return (symbol && (symbol->kind == Symbol::Kind::value || (symbol->shape && symbol->shape->kind == "table"))) || find_local(name);
}

Checker::Wanted Checker::wanted_by(const QueryExpr& query, const std::vector<const Symbol*>& models) {
    Wanted out;
    std::vector<Mention> refs;
    for (const auto* items : {&query.targets, &query.second, &query.given}) collect(*items, refs);
    out.mentions = !refs.empty();
    for (const auto& [ref, together, within] : refs) {
        const auto name = spelled(*ref);
        if (name && within && !any_has_variable(models, *name) &&
            any_has(models, [&](const ModelShape& shape) { return is_value_of_plate(shape, within->name, *name); })) {
            out.plates.push_back(within->name);
            continue;
        }
        if (!name) {  // H[t]: its plate is known, if not which of its variables
            if (any_has_indexed(models, ref->name.text)) out.plates.push_back(ref->name.text);
            continue;
        }
        const bool variable = any_has_variable(models, *name);
        const bool plate = any_has(models, [&](const ModelShape& shape) { return has_plate(shape, *name); });
        if (together && !ref->index && !variable && plate)
            out.plates.push_back(*name);
        else if (variable || (ref->index && any_has_indexed(models, ref->name.text)) || !is_data(ref->name.text))
            out.variables.emplace_back(*name, ref->span);
    }
    std::vector<std::pair<std::string, Span>> shadowed;  // variables that are also names of the script here
    for (const Expr* expression : expressions_of(query)) {
        const auto own = own_names(*expression);
        walk(*expression, [&](const Expr& part) {
            if (std::holds_alternative<QueryExpr>(part.node)) return false;
            const auto* name = std::get_if<NameExpr>(&part.node);
            if (!name || own.contains(name->name)) return true;
            if (is_name_around(name->name)) {
                if (!part.parenthesised && any_has_variable(models, name->name)) shadowed.emplace_back(name->name, part.span);
                return true;
            }
            const Symbol* symbol = scope_.find(name->name);
            const bool named = expression != query.expectation.get() && symbol && symbol->kind != Symbol::Kind::model;
            if (any_has_variable(models, name->name) && !named)
                out.variables.emplace_back(name->name, part.span);
            else if (any_has_indexed(models, name->name))
                out.plates.push_back(name->name);
            return true;
        });
    }
    // limit < First: the variable is on the right.
    if (out.variables.empty() && out.plates.empty())
        for (const auto& [name, where] : bare_values(query))
            if (any_has_variable(models, name)) out.variables.emplace_back(name, where);
    if (out.variables.empty() && out.plates.empty()) out.variables = std::move(shadowed);
    return out;
}

/// A parameter, or another local that is not a word of a query.
bool Checker::is_name_around(std::string_view name) const {
    for (const Locals* l = locals_; l; l = l->outer)
        for (auto it = l->names.rbegin(); it != l->names.rend(); ++it)
            if (it->name == name) return it->query == nullptr;
    return false;
}

const ModelShape* Checker::model_of(QueryExpr& query, Span span) {
    if (query.model) return named_shape(*query.model);
    const auto models = scope_.models();
    // A query within a query asks the same model, if that has its variables.
    if (const auto* named = query_ && query_->model ? std::get_if<NameExpr>(&query_->model->node) : nullptr) {
        const ModelShape* shape = named_shape(*query_->model);
        const Symbol* symbol = scope_.find(named->name);
        const bool has_all = !shape || [&] {
            auto all = models;
            if (symbol && symbol->shape && !rt::contains(all, symbol)) all.push_back(symbol);
            const Wanted wanted = wanted_by(query, all);
            return fits(*shape, wanted.variables, wanted.plates);
        }();
        if (has_all) {
            query.model = std::make_unique<Expr>(Expr{NameExpr{named->name}, query_->model->span});
            return named_shape(*query.model);
        }
    }
    const Wanted wanted = wanted_by(query, models);
    std::vector<const Symbol*> fitting;
    for (const auto* m : models)
        if (fits(*m->shape, wanted.variables, wanted.plates)) fitting.push_back(m);
    const auto around = std::find_if(fitting.begin(), fitting.end(), [&](const Symbol* m) {
        return query_ && !query_->model && query_->resolved_model.kind == Resolution::Kind::model && query_->resolved_model.slot == m->slot;
    });
    if (around != fitting.end()) fitting = {*around};
    if (fitting.size() == 1) {
        query.resolved_model = {Resolution::Kind::model, fitting[0]->slot};
        return &*fitting[0]->shape;
    }
    if (fitting.size() > 1)
        report_ambiguous(query, wanted, fitting, span);
    else if (gaps_.empty())
        report_no_model(query, wanted, models, span);
    return nullptr;
}

void Checker::report_ambiguous(const QueryExpr& query, const Wanted& wanted, const std::vector<const Symbol*>& fitting, Span span) {
    const bool everything = std::any_of(query.targets.begin(), query.targets.end(),
                                        [](const QueryItem& item) { return std::holds_alternative<StarItem>(item.node); });
    if (wanted.variables.empty() && wanted.plates.empty() && !everything && !wanted.mentions)
        return report("E-QUERY", "this query names no variable", span, fmt::format("there are {}", listed(variables_of(scope_.models()))),
                      "a variable is written without quotes: P(X = a)");
    report("E-AMBIGUOUS",
           wanted.variables.empty() ? fmt::format("the query can be about each of {} models", fitting.size())
                                    : fmt::format("{} models have all these variables", fitting.size()),
           span, fmt::format("they are {}", model_list(fitting)), fmt::format("name one: … in {}", fitting[0]->name));
}

void Checker::report_no_model(const QueryExpr& query, const Wanted& wanted, const std::vector<const Symbol*>& models, Span span) {
    const auto& variables = wanted.variables;
    if (const Symbol* net = variables.empty() ? nullptr : net_with_parameters(variables))
        return report("E-MODEL", fmt::format("{} belongs to {}, which is a net with parameters", variables[0].first, net->name),
                      variables[0].second, "no other model has it",
                      fmt::format("give its arguments: … in {}({})", net->name, rt::joined(net->parameters, ", ")));
    if (models.empty())
        return report("E-MODEL", "there is no declared model to query", span, {},
                      "declare a net or hypotheses first, or name a table: P(…) in t");
    bool said = false;
    for (const auto& [name, where] : variables) {
        if (any_has_variable(models, name)) continue;
        report_no_variable(query, name, where, models);
        said = true;
    }
    if (said) return;
    std::string owners;
    for (const auto* m : models) {
        std::vector<std::string> own;
        for (const auto& [name, where] : variables)
            if (m->shape->has(name) && !rt::contains(own, name)) own.push_back(name);
        if (!own.empty())
            owners +=
                fmt::format("{}{} {} in {}", owners.empty() ? "" : ", ", rt::joined(own, ", "), own.size() > 1 ? "are" : "is", m->name);
    }
    report("E-MODEL", "no single model has all these variables", span,
           owners.empty() ? fmt::format("declared are {}", model_list(models)) : owners, "a query is about the variables of one model");
}

void Checker::report_no_variable(const QueryExpr& query, const std::string& name, Span where, const std::vector<const Symbol*>& models) {
    std::vector<const ModelShape*> shapes;
    for (const auto* m : models) shapes.push_back(&*m->shape);
    if (value_for_variable(query, shapes, name, where)) return;
    const auto known = variables_of(models);
    if (const auto plate = no_such_plate_member(known, name)) return report(*plate, where);
    const auto near = rt::nearest(name, known);
    const auto& symbols = scope_.symbols();
    const bool in_table = std::any_of(symbols.begin(), symbols.end(), [&name = name](const Symbol& symbol) {
        return symbol.shape && symbol.shape->kind == "table" && symbol.shape->has(name);
    });
    report("E-VARIABLE", fmt::format("no declared model has a variable '{}'", name), where, fmt::format("there are {}", listed(known)),
           in_table ? fmt::format("it is a column: name its table, P(…) in …")
           : near   ? fmt::format("did you mean '{}'?", *near)
                    : "");
}

}  // namespace credence::lang
