#include "lang/check/names.hpp"

#include <algorithm>
#include <numeric>

namespace credence::lang {

const Reference* NameTable::at(std::size_t offset) const {
    const auto after = std::upper_bound(references.begin(), references.end(), offset,
                                        [](std::size_t place, const Reference& r) { return place < r.span.begin; });
    const Reference* touching = nullptr;
    for (auto it = after; it != references.begin();) {
        --it;
        if (it->span.begin <= offset && offset < it->span.end) return &*it;
        if (it->span.end == offset) touching = &*it;
        if (it->span.end < offset) break;
    }
    return touching;
}

std::vector<Span> NameTable::places(std::size_t definition) const {
    std::vector<Span> out;
    for (const auto& r : references)
        if (same(r.definition, definition)) out.push_back(r.span);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

NameRecorder::Meaning NameRecorder::add(Open meaning) {
    meanings_.push_back(std::move(meaning));
    return static_cast<Meaning>(meanings_.size() - 1);
}

NameRecorder::Meaning NameRecorder::define(Definition definition) {
    const std::size_t at = table_.definitions.size();
    const Span place = definition.declared;
    defined_at_.emplace(place.begin, at);
    table_.definitions.push_back(std::move(definition));
    const Meaning meaning = add(at);
    refer(place, meaning);
    return meaning;
}

NameRecorder::Meaning NameRecorder::define_global(std::uint32_t slot, Definition definition) {
    global_[slot] = table_.definitions.size();
    return define(std::move(definition));
}

NameRecorder::Meaning NameRecorder::define_variable(Model model, Definition definition) {
    const auto [known, fresh] = models_[model].variables.emplace(definition.name, table_.definitions.size());
    if (fresh) return define(std::move(definition));
    const Meaning meaning = add(known->second);
    refer(definition.declared, meaning);
    return meaning;
}

void NameRecorder::add_variable(Model model, const std::string& name, Meaning definition) {
    models_[model].variables.emplace(name, std::get<std::size_t>(meanings_[definition]));
}

void NameRecorder::add_parameters(std::uint32_t slot, const std::vector<Word>& parameters) {
    for (const auto& p : parameters)
        if (const auto known = defined_at_.find(p.span.begin); known != defined_at_.end()) parameters_[slot].emplace(p.text, known->second);
}

NameRecorder::Meaning NameRecorder::global(std::uint32_t slot) { return add(Global{slot}); }

NameRecorder::Meaning NameRecorder::parameter(std::uint32_t slot, std::string name) { return add(ParameterOf{slot, std::move(name)}); }

NameRecorder::Meaning NameRecorder::variable(std::string name, Model model, Meaning otherwise) {
    return add(Variable{std::move(name), Owner::known, model, otherwise});
}

NameRecorder::Meaning NameRecorder::variable_of_any(std::string name, Meaning otherwise) {
    return add(Variable{std::move(name), Owner::any, 0, otherwise});
}

NameRecorder::Meaning NameRecorder::variable_of_one(std::string name, Meaning otherwise) {
    return add(Variable{std::move(name), Owner::one, 0, otherwise});
}

void NameRecorder::refer(Span span, Meaning meaning) {
    if (meaning != nothing) references_.emplace_back(span, meaning);
}

NameRecorder::Model NameRecorder::open_model() {
    models_.push_back({.same_as = models_.size()});
    return models_.size() - 1;
}

NameRecorder::Model NameRecorder::root(Model model) const {
    while (models_[model].same_as != model) model = models_[model].same_as;
    return model;
}

void NameRecorder::join(Model a, Model b) { models_[root(a)].same_as = root(b); }

void NameRecorder::join_trained(const Train& train) {
    const auto learner = model_of(*train.learner);
    const auto data = model_of(*train.data);
    if (learner && data) join(*learner, *data);
}

std::optional<NameRecorder::Model> NameRecorder::model_of(std::uint32_t slot) const {
    const auto known = model_of_slot_.find(slot);
    return known == model_of_slot_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<NameRecorder::Model> NameRecorder::model_of(const Expr& expr) const {
    using Kind = Resolution::Kind;
    if (const auto* name = std::get_if<NameExpr>(&expr.node))
        return name->resolved.kind == Kind::model || name->resolved.kind == Kind::global ? model_of(name->resolved.slot) : std::nullopt;
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

std::optional<NameRecorder::Model> NameRecorder::model_of(const QueryExpr& query) const {
    if (query.model) return model_of(*query.model);
    return query.resolved_model.kind == Resolution::Kind::model ? model_of(query.resolved_model.slot) : std::nullopt;
}

// --- at the end of the text -----------------------------------------------------------------------------------------

std::size_t NameRecorder::group_of(std::size_t definition) {
    auto& group = table_.group;
    while (group[definition] != definition) definition = group[definition] = group[group[definition]];
    return definition;
}

/// Variables of one name in models that were joined are one group.
void NameRecorder::share_names() {
    table_.group.resize(table_.definitions.size());
    std::iota(table_.group.begin(), table_.group.end(), std::size_t{0});
    for (Model m = 0; m < models_.size(); ++m)
        for (const auto& [name, definition] : models_[m].variables) {
            by_name_[name].push_back(definition);
            const auto [known, fresh] = first_.emplace(std::pair(root(m), name), definition);
            if (!fresh) table_.group[group_of(definition)] = group_of(known->second);
        }
}

std::optional<std::size_t> NameRecorder::definition_of(const Variable& variable) {
    if (variable.owner == Owner::known) {
        const auto known = first_.find({root(variable.model), variable.name});
        return known == first_.end() ? definition_of(variable.otherwise) : known->second;
    }
    const auto named = by_name_.find(variable.name);
    if (named == by_name_.end()) return definition_of(variable.otherwise);
    const std::size_t first = named->second.front();
    for (const std::size_t other : named->second) {
        if (variable.owner == Owner::one && group_of(other) != group_of(first)) return std::nullopt;
        table_.group[group_of(other)] = group_of(first);
    }
    return first;
}

std::optional<std::size_t> NameRecorder::definition_of(Meaning meaning) {
    const Open& open = meanings_[meaning];
    if (const auto* definition = std::get_if<std::size_t>(&open)) return *definition;
    if (const auto* variable = std::get_if<Variable>(&open)) return definition_of(*variable);
    if (const auto* p = std::get_if<ParameterOf>(&open)) {
        const auto& names = parameters_[p->slot];
        const auto known = names.find(p->name);
        return known == names.end() ? std::nullopt : std::optional(known->second);
    }
    if (const auto* global = std::get_if<Global>(&open))
        if (const auto known = global_.find(global->slot); known != global_.end()) return known->second;
    return std::nullopt;
}

/// Names of another file or of the library, as far as this text refers to them.
void NameRecorder::define_what_others_declare(const Scope& scope) {
    std::map<std::uint32_t, const Symbol*> symbols;
    for (const auto& symbol : scope.symbols())
        if (symbol.source) symbols[symbol.slot] = &symbol;
    for (const auto& open : meanings_) {
        const auto* global = std::get_if<Global>(&open);
        const auto known = global ? symbols.find(global->slot) : symbols.end();
        if (known == symbols.end() || !global_.emplace(global->slot, table_.definitions.size()).second) continue;
        const Symbol& symbol = *known->second;
        table_.definitions.push_back({.name = symbol.name,
                                      .kind = symbol.kind == Symbol::Kind::function ? Definition::Kind::function
                                              : symbol.kind == Symbol::Kind::model  ? Definition::Kind::model
                                                                                    : Definition::Kind::value,
                                      .what = symbol.source->name(),
                                      .declared = symbol.span,
                                      .whole = symbol.span,
                                      .doc = symbol.doc,
                                      .source = symbol.source});
    }
}

NameTable NameRecorder::finish(const Scope& scope) {
    define_what_others_declare(scope);
    share_names();
    for (const auto& [span, meaning] : references_)
        if (const auto definition = definition_of(meaning)) table_.references.push_back({span, *definition});
    for (std::size_t d = 0; d < table_.group.size(); ++d) table_.group[d] = group_of(d);
    std::stable_sort(table_.references.begin(), table_.references.end(), [](const Reference& a, const Reference& b) {
        return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
    });
    return std::move(table_);
}

}  // namespace credence::lang
