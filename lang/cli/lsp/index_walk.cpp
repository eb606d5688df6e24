// Expressions and queries: which declaration each name means, as the checker resolved it.

#include <algorithm>

#include "lang/cli/lsp/index_builder.hpp"

namespace credence::cli::lsp {

using namespace lang;
using Kind = Resolution::Kind;

void IndexBuilder::use_variable(const std::string& name, Span span, std::optional<std::size_t> model) {
    if (variable_names_.contains(name)) uses_.push_back({name, span, model});
}

void IndexBuilder::use_global(std::uint32_t slot, const std::string& name, Span span) {
    auto known = global_.find(slot);
    if (known == global_.end()) {
        // Of another file or the library: an entity of its own, with what its declaration says.
        const auto& symbols = scope_.symbols();
        const auto symbol =
            std::find_if(symbols.rbegin(), symbols.rend(), [&](const Symbol& s) { return s.slot == slot && s.name == name && s.source; });
        if (symbol == symbols.rend()) return;
        const bool function = symbol->kind == Symbol::Kind::function;
        const std::size_t entity = add({.name = name,
                                        .kind = function                              ? Entity::Kind::function
                                                : symbol->kind == Symbol::Kind::model ? Entity::Kind::model
                                                                                      : Entity::Kind::value,
                                        .what = symbol->source->name(),
                                        .declared = symbol->span,
                                        .whole = symbol->span,
                                        .doc = symbol->doc,
                                        .source = symbol->source});
        known = global_.emplace(slot, entity).first;
    }
    index_.occurrences.push_back({span, known->second});
}

std::optional<std::size_t> IndexBuilder::model_of(const Expr& expr) const {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name) {
        // A trained model has the variables of the net that was trained, or the columns it was trained on.
        if (const auto* train = std::get_if<Train>(&expr.node)) {
            const auto learner = model_of(*train->learner);
            return learner ? learner : model_of(*train->data);
        }
        // Clinic(0.1) has the variables of the net with parameters.
        if (const auto* call = std::get_if<Call>(&expr.node); call && std::holds_alternative<NameExpr>(call->callee->node))
            return model_of(*call->callee);
        return std::nullopt;
    }
    if (name->resolved.kind != Kind::model && name->resolved.kind != Kind::global) return std::nullopt;
    const auto known = model_of_slot_.find(name->resolved.slot);
    return known == model_of_slot_.end() ? std::nullopt : std::optional(known->second);
}

void IndexBuilder::walk_name(const NameExpr& name, Span span) {
    const auto local = std::find_if(locals_.rbegin(), locals_.rend(), [&](const Local& l) { return l.name == name.name; });
    switch (name.resolved.kind) {
        case Kind::local:
        case Kind::unresolved:  // the parents that only the expression names
            if (local == locals_.rend()) return;
            if (local->entity)
                index_.occurrences.push_back({span, *local->entity});
            else
                use_variable(name.name, span, local->variable_of);
            return;
        case Kind::global:
        case Kind::model:
            return use_global(name.resolved.slot, name.name, span);
        case Kind::label:
            if (local != locals_.rend() && local->variable_of) use_variable(name.name, span, local->variable_of);
            return;
        case Kind::builtin:
        case Kind::option:
            return;
    }
}

/// Where a parameter takes variables or columns, a bare word is one.
void IndexBuilder::walk_words(const Expr& expr) {
    if (const auto* name = std::get_if<NameExpr>(&expr.node); name && name->resolved.kind == Kind::label)
        return use_variable(name->name, expr.span, std::nullopt);
    if (const auto* list = std::get_if<ListLit>(&expr.node)) {
        for (const auto& item : list->items) walk_words(*item);
        return;
    }
    if (const auto* set = std::get_if<SetLit>(&expr.node)) {
        for (const auto& item : set->items) walk_words(*item);
        return;
    }
    walk(expr);
}

void IndexBuilder::walk_call(const Call& call) {
    std::vector<const Builtin*> forms;
    const auto* callee = std::get_if<NameExpr>(&call.callee->node);
    const auto* member = std::get_if<Member>(&call.callee->node);
    if (callee && callee->resolved.kind == Kind::builtin)
        if (const auto* overloads = registry_.find(callee->name))
            for (const auto& form : overloads->forms) forms.push_back(&form);
    if (member) forms = registry_.members_named(member->name.text);
    walk(call.callee);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        walk(argument.index);
        const auto takes_variables = [&](const Builtin* form) {
            const std::size_t position = i + (member ? 1 : 0);
            for (std::size_t p = 0; p < form->parameters.size(); ++p) {
                const Parameter& parameter = form->parameters[p];
                const bool meant =
                    argument.name ? parameter.name == argument.name->text : p == position || (parameter.rest && p <= position);
                if (meant && (parameter.type == Type::variable || parameter.type == Type::variables || parameter.type == Type::column ||
                              parameter.type == Type::columns))
                    return true;
            }
            return false;
        };
        if (argument.name && callee && callee->resolved.kind == Kind::global)
            if (const auto function = parameters_.find(callee->resolved.slot); function != parameters_.end())
                if (const auto p = function->second.find(argument.name->text); p != function->second.end())
                    index_.occurrences.push_back({argument.name->span, p->second});
        if (std::any_of(forms.begin(), forms.end(), takes_variables))
            walk_words(*argument.value);
        else
            walk(argument.value);
    }
}

void IndexBuilder::walk_variable(const VariableRef& ref, std::optional<std::size_t> model) {
    walk(ref.index);
    if (is_variable_name(ref.name.text)) {
        // A name that is a table among the evidence, unless the model has such a variable.
        const bool of_model = model && std::any_of(models_[*model].variables.begin(), models_[*model].variables.end(),
                                                   [&](const auto& v) { return v.first == ref.name.text; });
        if (of_model || ref.resolved.kind == Kind::label || ref.resolved.kind == Kind::unresolved)
            return use_variable(ref.name.text, ref.name.span, model);
    }
    if (ref.resolved.kind == Kind::global || ref.resolved.kind == Kind::model) {
        if (const auto known = model_of_slot_.find(ref.resolved.slot); known != model_of_slot_.end() && model) join(known->second, *model);
        use_global(ref.resolved.slot, ref.name.text, ref.name.span);
    } else if (ref.resolved.kind == Kind::local) {
        const auto local = std::find_if(locals_.rbegin(), locals_.rend(), [&](const Local& l) { return l.name == ref.name.text; });
        if (local != locals_.rend() && local->entity) index_.occurrences.push_back({ref.name.span, *local->entity});
    } else {
        use_variable(ref.name.text, ref.name.span, model);
    }
}

void IndexBuilder::walk_event(const EventExpr& event, std::optional<std::size_t> model) {
    if (const auto* a = std::get_if<EventAtom>(&event.node)) {
        walk_variable(a->variable, model);
        // A bare word after `X =` is a label, whatever else it may name; in parentheses it is the name.
        if (const auto* name = std::get_if<NameExpr>(&a->value->node); !name || a->value->parenthesised) walk(a->value);
    }
    if (const auto* n = std::get_if<EventName>(&event.node)) walk_variable(n->variable, model);
    if (const auto* c = std::get_if<EventCompare>(&event.node)) {
        walk(c->left);
        walk(c->right);
    }
    if (const auto* q = std::get_if<EventQuantity>(&event.node)) walk(q->quantity);
    if (const auto* n = std::get_if<EventNot>(&event.node)) walk_event(*n->operand, model);
    if (const auto* a = std::get_if<EventAnd>(&event.node))
        for (const auto& part : a->parts) walk_event(*part, model);
    if (const auto* o = std::get_if<EventOr>(&event.node))
        for (const auto& part : o->parts) walk_event(*part, model);
}

void IndexBuilder::walk_items(const std::vector<QueryItem>& items, std::optional<std::size_t> model) {
    for (const auto& item : items) {
        if (const auto* event = std::get_if<EventItem>(&item.node)) walk_event(*event->event, model);
        if (const auto* intervention = std::get_if<DoItem>(&item.node))
            for (const auto& e : intervention->events) walk_event(*e, model);
    }
}

void IndexBuilder::walk_query(const QueryExpr& query) {
    std::optional<std::size_t> model;
    if (query.model)
        model = model_of(*query.model);
    else if (const auto known = model_of_slot_.find(query.resolved_model.slot);
             query.resolved_model.kind == Kind::model && known != model_of_slot_.end())
        model = known->second;
    walk(query.model);
    const std::size_t before = locals_.size();
    for (const auto& bound : query.bound) {
        if (is_variable_name(bound.name)) {
            locals_.push_back({bound.name, std::nullopt, model});
        } else if (const auto known = global_.find(bound.otherwise.slot);
                   known != global_.end() && (bound.otherwise.kind == Kind::global || bound.otherwise.kind == Kind::model)) {
            locals_.push_back({bound.name, known->second});
        }
    }
    walk_items(query.targets, model);
    walk_items(query.second, model);
    walk_items(query.given, model);
    walk(query.expectation);
    locals_.resize(before);
    if (query.engine)
        if (const auto* call = std::get_if<Call>(&query.engine->node))
            for (const auto& argument : call->arguments) walk(argument.value);
}

void IndexBuilder::walk_member(const Member& member) {
    walk(member.base);
    // t.Column, and (argmax P(Coin | …)).theta
    if (const auto model = model_of(*member.base)) return use_variable(member.name.text, member.name.span, model);
    const Expr* base = member.base.get();
    while (const auto* unary = std::get_if<Unary>(&base->node)) base = unary->operand.get();
    if (const auto* query = std::get_if<QueryExpr>(&base->node); query && is_variable_name(member.name.text)) {
        const auto known = model_of_slot_.find(query->resolved_model.slot);
        const bool declared = query->resolved_model.kind == Kind::model && known != model_of_slot_.end();
        use_variable(member.name.text, member.name.span,
                     query->model ? model_of(*query->model)
                     : declared   ? std::optional(known->second)
                                  : std::nullopt);
    }
}

void IndexBuilder::walk(const Expr& expr) {
    struct Visitor {
        IndexBuilder& self;
        const Expr& expr;
        void all(const std::vector<ExprPtr>& items) const {
            for (const auto& item : items) self.walk(item);
        }
        void operator()(const NumberLit&) const {}
        void operator()(const BoolLit&) const {}
        void operator()(const TextLit& t) const {
            for (const auto& part : t.parts)
                if (const auto* e = std::get_if<ExprPtr>(&part)) self.walk(*e);
        }
        void operator()(const SignLit&) const {}
        void operator()(const NameExpr& n) const { self.walk_name(n, expr.span); }
        void operator()(const HoleLit&) const {}
        void operator()(const ListLit& l) const { all(l.items); }
        void operator()(const Comprehension& c) const {
            self.walk(c.source);
            const std::size_t before = self.locals_.size();
            self.add_local(c.variable, "each of a list");
            self.walk(c.condition);
            self.walk(c.body);
            self.locals_.resize(before);
        }
        void operator()(const RecordLit& r) const {
            for (const auto& entry : r.entries) {
                // {Outlook: Sunny} names columns; {Sunny: 1/2} labels.
                if (self.is_variable_name(entry.key.text) && !self.scope_.knows_label(entry.key.text))
                    self.use_variable(entry.key.text, entry.key.span, std::nullopt);
                self.walk(entry.computed);
                self.walk(entry.value);
            }
        }
        void operator()(const SetLit& s) const { all(s.items); }
        void operator()(const InstanceLit& i) const {
            for (const auto& element : i.elements)
                if (const auto* e = std::get_if<ExprPtr>(&element.value)) self.walk(*e);
        }
        void operator()(const Unary& u) const { self.walk(u.operand); }
        void operator()(const Binary& b) const {
            self.walk(b.left);
            self.walk(b.right);
        }
        void operator()(const Range& r) const {
            self.walk(r.from);
            self.walk(r.to);
            self.walk(r.step);
        }
        void operator()(const If& i) const {
            self.walk(i.condition);
            self.walk(i.then_);
            self.walk(i.else_);
        }
        void operator()(const Lambda& l) const {
            const std::size_t before = self.locals_.size();
            for (const auto& p : l.params) self.add_local(p, "parameter");
            self.walk(l.body);
            self.locals_.resize(before);
        }
        void operator()(const Call& c) const { self.walk_call(c); }
        void operator()(const lang::Index& i) const {
            self.walk(i.base);
            all(i.indices);
        }
        void operator()(const Member& m) const { self.walk_member(m); }
        void operator()(const Pipe& p) const {
            self.walk(p.left);
            self.walk(p.right);
        }
        void operator()(const Explain& e) const { self.walk(e.operand); }
        void operator()(const Train& t) const {
            self.walk(t.learner);
            self.walk(t.data);
            self.walk(t.by);
            const auto learner = self.model_of(*t.learner);
            const auto data = self.model_of(*t.data);
            if (learner && data) self.join(*learner, *data);
        }
        void operator()(const Sample& s) const {
            self.walk(s.count);
            self.walk(s.source);
            self.walk(s.by);
        }
        void operator()(const QueryExpr& q) const { self.walk_query(q); }
        void operator()(const GraphLit&) const {}
    };
    std::visit(Visitor{*this, expr}, expr.node);
}

}  // namespace credence::cli::lsp
