#include <algorithm>

#include <fmt/format.h>

#include "lang/check/arguments.hpp"
#include "lang/check/checker.hpp"
#include "lang/check/labels.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"

namespace credence::lang {

/// Another parameter of the call that takes the word, as a hint.
std::string Checker::parameter_with(const std::string& word) const {
    for (std::size_t f = 0; called_ && f < called_->forms.size(); ++f)
        for (const auto& p : called_->forms[f].parameters)
            if (rt::contains(p.words, word)) return fmt::format("it is possible for {0}: {0}: {1}", p.name, word);
    return {};
}

void Checker::resolve_words(Expr& expr, const Parameter& parameter) {
    if (expr.parenthesised) {
        resolve(expr);
        return;
    }
    if (auto* name = std::get_if<NameExpr>(&expr.node)) {
        name->resolved = {Resolution::Kind::label, 0};
        if (names_variable(parameter.type)) record_word(name->name, expr.span);
        const bool unknown = parameter.type == Type::word && !parameter.words.empty() && !rt::contains(parameter.words, name->name);
        if (unknown) {
            const auto near = rt::nearest(name->name, parameter.words);
            const auto found = look_up(name->name);
            const Symbol* symbol = scope_.find(name->name);
            const bool of_library = found && found->kind == Resolution::Kind::global && symbol && is_library(*symbol);
            const bool of_script =
                found && !of_library && (found->kind == Resolution::Kind::local || found->kind == Resolution::Kind::global);
            report("E-PARAMETER", fmt::format("{} cannot be '{}'", parameter.name, name->name), expr.span,
                   fmt::format("it is one of {}", rt::joined(parameter.words, ", ")),
                   of_script ? fmt::format("write ({0}) for the value that is named {0}", name->name)
                   : near    ? fmt::format("did you mean '{}'?", *near)
                             : parameter_with(name->name));
        }
        return;
    }
    // A plate's variable, as in independent(Q[1], Q[2]): its name is the text of that spelling.
    if (auto* index = std::get_if<Index>(&expr.node)) {
        const auto* base = std::get_if<NameExpr>(&index->base->node);
        const auto found = base ? look_up(base->name) : std::nullopt;
        const bool of_script = found && (found->kind == Resolution::Kind::local || found->kind == Resolution::Kind::global);
        if (base && !index->base->parenthesised && !of_script) {
            if (names_variable(parameter.type)) record_word(base->name, index->base->span);
            TextLit spelled;
            spelled.parts.emplace_back(base->name + "[");
            for (std::size_t i = 0; i < index->indices.size(); ++i) {
                if (i > 0) spelled.parts.emplace_back(", ");
                spelled.parts.emplace_back(std::move(index->indices[i]));
            }
            spelled.parts.emplace_back("]");
            expr.node = std::move(spelled);
        }
    }
    if (auto* list = std::get_if<ListLit>(&expr.node)) {
        for (auto& item : list->items) resolve_words(*item, parameter);
        return;
    }
    if (auto* set = std::get_if<SetLit>(&expr.node)) {
        for (auto& item : set->items) resolve_words(*item, parameter);
        return;
    }
    resolve(expr);
}

void Checker::resolve_option(Expr& expr, const Parameter& parameter) {
    const auto is_form = [&](const std::string& name) {
        return std::any_of(parameter.options.begin(), parameter.options.end(), [&](const OptionForm& f) { return f.name == name; });
    };
    if (auto* name = std::get_if<NameExpr>(&expr.node); name && !expr.parenthesised) {
        const auto found = look_up(name->name);
        const bool of_script = found && (found->kind == Resolution::Kind::local || found->kind == Resolution::Kind::global);
        // Where something else is possible too (a function, a number), only a word that names nothing is a misspelt alternative.
        const bool something_else =
            parameter.other.empty() ? of_script : found || nodes_.contains(name->name) || declared_in_text(source_->text(), name->name);
        if (is_form(name->name) || !something_else) {
            name->resolved = {Resolution::Kind::label, 0};
            if (is_form(name->name)) return;
            std::vector<std::string> names;
            for (const auto& f : parameter.options) names.push_back(f.name);
            const auto near = rt::nearest(name->name, names);
            report("E-PARAMETER", fmt::format("{} cannot be '{}'", parameter.name, name->name), expr.span,
                   fmt::format("it is one of {}", alternatives_text(parameter)), near ? fmt::format("did you mean '{}'?", *near) : "");
            return;
        }
    }
    if (auto* call = std::get_if<Call>(&expr.node))
        if (const auto* callee = std::get_if<NameExpr>(&call->callee->node); callee && is_form(callee->name)) {
            resolve_method(expr);
            return;
        }
    resolve(expr);
}

/// Lists of alternatives by parameter. Where the learner's own call is next to them, they mean what they would in that call; else
/// words and calls that name nothing else are alternatives of a learner's options.
void Checker::resolve_settings(Expr& expr, const Overloads* learner) {
    auto* record = std::get_if<RecordLit>(&expr.node);
    if (!record) {
        resolve(expr);
        return;
    }
    for (auto& entry : record->entries) {
        auto* list = std::get_if<ListLit>(&entry.value->node);
        if (!list) {
            resolve_quietly(*entry.value);
            continue;
        }
        const Parameter* own = nullptr;
        for (std::size_t f = 0; learner && f < learner->forms.size() && !own; ++f)
            for (const auto& p : learner->forms[f].parameters)
                if (p.name == entry.key.text) own = &p;
        for (auto& item : list->items) {
            if (own && takes_words(own->type)) {
                resolve_words(*item, *own);
                continue;
            }
            if (own && own->type == Type::option) {
                resolve_option(*item, *own);
                continue;
            }
            const auto* call = std::get_if<Call>(&item->node);
            const auto* callee = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
            if (callee && !look_up(callee->name))
                resolve_method(*item);
            else
                resolve_quietly(*item);
        }
    }
}

/// The learner whose call is an argument here, as in grid(knn(), …).
const Overloads* Checker::called_learner(const Call& call) {
    for (const auto& argument : call.arguments) {
        const auto* inner = std::get_if<Call>(&argument.value->node);
        const auto* callee = inner ? std::get_if<NameExpr>(&inner->callee->node) : nullptr;
        if (!callee || (argument.name && argument.name->text != "learner")) continue;
        const auto found = look_up(callee->name);
        return found && found->kind == Resolution::Kind::builtin ? world_.registry.find(callee->name) : nullptr;
    }
    return nullptr;
}

void Checker::resolve_argument(Argument& argument, const std::vector<const Parameter*>& parameters, const Call& within) {
    Expr& expr = *argument.value;
    // Where one form takes a column and another a function (count(t, c), count(xs, f)), a name of the script is that.
    const bool only_words = std::all_of(parameters.begin(), parameters.end(), [](const Parameter* p) { return takes_words(p->type); });
    if (const auto* name = std::get_if<NameExpr>(&expr.node); name && !only_words) {
        // An alternative of an option (`batch: all`) comes before a name of the script.
        const bool is_form = std::any_of(parameters.begin(), parameters.end(), [&](const Parameter* p) {
            return std::any_of(p->options.begin(), p->options.end(), [&](const OptionForm& f) { return f.name == name->name; });
        });
        const auto found = is_form ? std::nullopt : look_up(name->name);
        const bool of_net = found && found->kind == Resolution::Kind::unresolved;  // max(X, Y) in a node
        if (of_net || (found && (found->kind == Resolution::Kind::local || found->kind == Resolution::Kind::global))) {
            resolve(expr);
            return;
        }
    }
    // R[2] in a node, where R is a plate of the net: a value, as in max(R[1], R[2]).
    if (const auto* index = std::get_if<Index>(&expr.node); index && !only_words)
        if (const auto* base = std::get_if<NameExpr>(&index->base->node); base && nodes_.contains(base->name)) {
            resolve(expr);
            return;
        }
    for (const Parameter* p : parameters) {
        if (takes_words(p->type)) {
            resolve_words(expr, *p);
            return;
        }
        if (p->type == Type::option) {
            resolve_option(expr, *p);
            return;
        }
        if (p->type == Type::settings) {
            resolve_settings(expr, called_learner(within));
            return;
        }
        if (p->type == Type::start && std::holds_alternative<NameExpr>(expr.node)) {
            resolve_model(expr);
            return;
        }
        if (p->type == Type::model && std::holds_alternative<NameExpr>(expr.node)) {
            // Where another form takes something else (draw(net), draw(graph)), only a name that has a model is one.
            const bool only_models =
                std::all_of(parameters.begin(), parameters.end(), [](const Parameter* q) { return q->type == Type::model; });
            if (only_models || look_up_model(std::get<NameExpr>(expr.node).name)) {
                resolve_model(expr);
                return;
            }
        }
        if (p->type == Type::table && std::holds_alternative<NameExpr>(expr.node)) {
            auto& name = std::get<NameExpr>(expr.node);
            if (const auto found = look_up_model(name.name)) return mean(name, expr.span, *found);
        }
    }
    // A condition or a formula where a function of each row is due: where(t, age > 30).
    const bool function_due =
        !parameters.empty() && std::holds_alternative<Binary>(expr.node) &&
        std::all_of(parameters.begin(), parameters.end(), [](const Parameter* p) { return p->type == Type::function; });
    if (function_due) {
        report("E-TYPE", fmt::format("{} must be a function of each row or item", parameters[0]->name), expr.span, "this is an expression",
               "a column of the row r is r.x, as in r -> r.x > 30");
        return;
    }
    if (std::any_of(parameters.begin(), parameters.end(), [](const Parameter* p) { return p->type == Type::label; }))
        resolve_label(expr);
    else
        resolve(expr);
}

/// The call of a function of the script.
void Checker::check_own_arguments(const Call& call, const NameExpr& callee, Span span, std::size_t piped) {
    const Symbol* symbol = scope_.find(callee.name);
    if (callee.resolved.kind != Resolution::Kind::global || !symbol || symbol->slot != callee.resolved.slot ||
        symbol->kind != Symbol::Kind::function)
        return;
    for (const auto& argument : call.arguments) {
        if (!argument.name || rt::contains(symbol->parameters, argument.name->text)) continue;
        const auto near = rt::nearest(argument.name->text, symbol->parameters);
        return report("E-PARAMETER", fmt::format("{} has no parameter '{}'", callee.name, argument.name->text), argument.name->span,
                      fmt::format("its parameters are {}", rt::joined(symbol->parameters, ", ")),
                      near ? fmt::format("did you mean '{}'?", *near) : "");
    }
    const std::size_t found = call.arguments.size() + piped;
    if (found != symbol->parameters.size())
        report("E-ARGUMENT", fmt::format("{} takes {}, found {}", callee.name, rt::counted(symbol->parameters.size(), "argument"), found),
               span, {}, fmt::format("its form is {}({})", callee.name, rt::joined(symbol->parameters, ", ")));
}

namespace {

/// What is wrong with the first form, and what all of them are.
rt::Fault with_all_forms(rt::Fault fault, const Overloads& overloads) {
    if (overloads.forms.size() < 2) return fault;
    std::vector<std::string> forms;
    std::vector<std::string> known;
    for (const auto& form : overloads.forms) {
        forms.push_back(signature_text(form));
        for (const auto& p : form.parameters)
            if (!rt::contains(known, p.name)) known.push_back(p.name);
    }
    if (fault.code == "E-PARAMETER") fault.label = fmt::format("its parameters are {}", rt::joined(known, ", "));
    fault.hint = fmt::format("its forms are {}", rt::joined(forms, ", "));
    return fault;
}

}  // namespace

/// id3(tennis), where a table stands behind train … on: reported.
bool Checker::learner_of_table(const Overloads& overloads, Call& call) {
    if (!overloads.forms[0].learner || call.arguments.empty() || call.arguments[0].name) return false;
    const auto* given = std::get_if<NameExpr>(&call.arguments[0].value->node);
    const Symbol* symbol = given ? scope_.find(given->name) : nullptr;
    if (!symbol || !symbol->shape || symbol->shape->kind != "table") return false;
    if (std::any_of(overloads.forms.begin(), overloads.forms.end(), [](const Builtin& form) {
            return !form.parameters.empty() && (form.parameters[0].type == Type::table || form.parameters[0].type == Type::model);
        }))
        return false;
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
        const auto& argument = call.arguments[i];
        rest.push_back((argument.name ? argument.name->text + ": " : "") + std::string(source_->text(argument.value->span)));
    }
    report(table_goes_behind_on(overloads.name, rest, given->name), call.arguments[0].value->span);
    return true;
}

/// Further names of arguments that no form knows.
void Checker::report_other_names(const Overloads& overloads, const Call& call, std::size_t reported) {
    std::vector<std::string> known;
    for (const auto& form : overloads.forms)
        for (const auto& p : form.parameters) known.push_back(p.name);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const auto& name = call.arguments[i].name;
        if (!name || i == reported || rt::contains(known, name->text)) continue;
        const auto near = rt::nearest(name->text, known);
        report("E-PARAMETER", fmt::format("{} has no parameter '{}'", overloads.name, name->text), name->span, {},
               near ? fmt::format("did you mean '{}'?", *near) : "");
    }
}

void Checker::check_call(Call& call, Span span, bool piped) {
    if (std::holds_alternative<Member>(call.callee->node)) {
        check_member_call(call);
        return;
    }
    auto* callee = std::get_if<NameExpr>(&call.callee->node);
    if (!callee) {
        resolve(call.callee);
        for (auto& argument : call.arguments) resolve(argument.value);
        return;
    }
    resolve_callee(*callee, call.callee->span);
    for (auto& argument : call.arguments) {
        if (!argument.index) continue;
        resolve(argument.index);
        if (callee->name != "noisy_or" && callee->name != "noisy_max")
            report("E-SYNTAX", "the name of an argument has no index", argument.index->span,
                   "only parents of noisy_or and noisy_max may have one");
    }
    const std::size_t first = piped ? 1 : 0;
    if (callee->resolved.kind != Resolution::Kind::builtin) {
        for (auto& argument : call.arguments) {
            if (argument.name && callee->resolved.kind == Resolution::Kind::global) record_argument(*argument.name, callee->resolved.slot);
            resolve(argument.value);
        }
        check_own_arguments(call, *callee, span, first);
        return;
    }
    const Overloads& overloads = *world_.registry.find(callee->name);
    if (!piped && learner_of_table(overloads, call)) return;
    const auto [fitting, mismatch] = fitting_forms(overloads.forms, call, first);
    if (fitting.empty()) {
        const auto culprit = mismatch->culprit;
        Span where = span;
        if (culprit && *culprit >= first) {
            const auto& argument = call.arguments[*culprit - first];
            where = argument.name ? argument.name->span : argument.value->span;
        }
        report(with_all_forms(mismatch->fault, overloads), where);
        report_other_names(overloads, call, culprit ? *culprit - std::min(*culprit, first) : call.arguments.size());
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        std::vector<const Parameter*> parameters;
        if (fitting.empty()) {
            for (const auto& form : overloads.forms)
                if (const auto* p = parameter_of(form, call.arguments[i], i + first)) parameters.push_back(p);
        }
        for (const Builtin* form : fitting)
            if (const auto* p = parameter_of(*form, call.arguments[i], i + first)) parameters.push_back(p);
        // Labels of a space that only an argument names (domains: {Sky: {Sunny, Cloudy}}).
        if (call.arguments[i].name && (call.arguments[i].name->text == "domains" || call.arguments[i].name->text == "types")) {
            resolve_quietly(*call.arguments[i].value);
            continue;
        }
        const auto* outer = std::exchange(called_, &overloads);
        resolve_argument(call.arguments[i], parameters, call);
        called_ = outer;
        check_literal(callee->name, *call.arguments[i].value, parameters);
    }
}

bool Checker::check_literal(std::string_view called, const Expr& argument, const std::vector<const Parameter*>& parameters) {
    const auto found = literal_type(argument);
    if (!found || parameters.empty() ||
        std::any_of(parameters.begin(), parameters.end(), [&](const Parameter* p) { return fits(*found, p->type); }))
        return true;
    report("E-TYPE", fmt::format("{}: {} must be {}, found {}", called, parameters[0]->name, takes_text(*parameters[0]), type_name(*found)),
           argument.span, fmt::format("this is {}", type_name(*found)), other_function(called, *found));
    return false;
}

void Checker::check_member_call(Call& call) {
    auto& member = std::get<Member>(call.callee->node);
    resolve_base(*member.base);
    check_member(*member.base, member.name, true);
    const auto members = world_.registry.members_named(member.name.text);
    const auto outer = std::exchange(asked_, recorder_ ? recorder_->model_of(*member.base) : std::nullopt);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        std::vector<const Parameter*> parameters;
        for (const Builtin* form : members)
            if (const auto* p = parameter_of(*form, call.arguments[i], i + 1)) parameters.push_back(p);  // the first is the value itself
        resolve_argument(call.arguments[i], parameters, call);
    }
    asked_ = outer;
    check_member_variables(*member.base, call);
}

/// The shape of the declared model that an expression names.
const ModelShape* Checker::declared_shape(const Expr& expr) const {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (!name || (name->resolved.kind != Resolution::Kind::model && name->resolved.kind != Resolution::Kind::global)) return nullptr;
    const Symbol* symbol = scope_.find(name->name);
    if (!symbol || symbol->slot != name->resolved.slot || !symbol->shape) return nullptr;
    const bool known = symbol->shape->complete && !symbol->shape->kind.empty() && symbol->shape->kind != "other";
    return known ? &*symbol->shape : nullptr;
}

void Checker::check_member(const Expr& base, const Word& name, bool called) {
    const ModelShape* shape = declared_shape(base);
    if (!shape) return;
    const bool table = shape->kind == "table";
    if (world_.registry.find_member(shape->kind, name.text) || (!table && world_.registry.find_member("model", name.text))) return;
    std::vector<std::string> known;
    if (table) known = shape->names();
    if (!called && rt::contains(known, name.text)) return;
    for (auto& other : world_.registry.member_names(shape->kind)) known.push_back(std::move(other));
    if (!table)
        for (auto& other : world_.registry.member_names("model")) known.push_back(std::move(other));
    rt::Fault unknown = no_such_member("a " + shape->kind, known, name.text);
    if (unknown.hint.empty() && world_.registry.find(name.text)) unknown.hint = fmt::format("{0} is a function: {0}(value, …)", name.text);
    report(unknown, name.span);
}

/// Clinic.parents(Tset): the variables that a member of a declared model is asked about.
void Checker::check_member_variables(const Expr& base, const Call& call) {
    const auto& member = std::get<Member>(call.callee->node);
    const ModelShape* shape = declared_shape(base);
    const Builtin* form = shape ? world_.registry.find_member(shape->kind, member.name.text) : nullptr;
    if (!form) return;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Parameter* p = parameter_of(*form, call.arguments[i], i + 1);
        const Expr& value = *call.arguments[i].value;
        const auto* name = std::get_if<NameExpr>(&value.node);
        if (!p || p->type != Type::variable || !name || value.parenthesised || shape->has(name->name)) continue;
        report(no_such_variable(std::get<NameExpr>(base.node).name, shape->names(), name->name), value.span);
    }
}

}  // namespace credence::lang
