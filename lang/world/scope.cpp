#include "lang/world/scope.hpp"

#include <algorithm>

#include "runtime/prob/queries/conditioned.hpp"
namespace credence::lang {

const VariableShape* ModelShape::find(std::string_view variable) const {
    for (const auto& v : variables)
        if (v.name == variable) return &v;
    return nullptr;
}

bool ModelShape::has(std::string_view variable) const {
    return std::any_of(variables.begin(), variables.end(),
                       [&](const VariableShape& v) { return v.name == variable || (!v.space.empty() && v.space == variable); });
}

std::vector<std::string> ModelShape::names() const {
    std::vector<std::string> out;
    for (const auto& v : variables)
        if (!v.next) out.push_back(v.name);
    return out;
}

ModelShape shape_of(const rt::Model& model) {
    ModelShape out;
    out.kind = model.kind();
    out.engines = model.engines();
    out.training_methods = model.training_methods();
    for (std::size_t i = 0; i < model.variables().size(); ++i) {
        const auto& v = model.variables()[i];
        if (!v.next && !rt::is_listed(model, static_cast<rt::VarId>(i))) continue;
        VariableShape shape{
            .name = v.variable.name, .labels = std::nullopt, .numeric = !v.variable.is_discrete(), .space = v.space, .next = v.next};
        if (v.variable.is_discrete()) {
            shape.labels.emplace();
            for (const auto& label : v.variable.domain->labels()) shape.labels->push_back(label.text());
        }
        if (v.is_input) shape.numeric = false;  // it takes words as well
        out.variables.push_back(std::move(shape));
    }
    return out;
}

const Symbol* Scope::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() || found->second.empty() ? nullptr : &symbols_[found->second.back()];
}

const Symbol* Scope::find_kind(std::string_view name, Symbol::Kind kind) const {
    const auto found = index_.find(name);
    if (found == index_.end()) return nullptr;
    for (auto it = found->second.rbegin(); it != found->second.rend(); ++it)
        if (symbols_[*it].kind == kind) return &symbols_[*it];
    return nullptr;
}

std::vector<const Symbol*> Scope::models() const {
    std::vector<const Symbol*> out;
    for (const auto& symbol : symbols_)
        if (symbol.kind == Symbol::Kind::model && symbol.shape && symbol.shape->kind != "table" &&
            find_kind(symbol.name, Symbol::Kind::model) == &symbol)
            out.push_back(&symbol);
    return out;
}

void Scope::declare(Symbol symbol) {
    if (symbol.shape)
        for (const auto& v : symbol.shape->variables) {
            variables_.insert(v.name);
            if (!v.space.empty()) variables_.insert(v.space);
        }
    symbols_.push_back(std::move(symbol));
    index_[symbols_.back().name].push_back(symbols_.size() - 1);
}

void Scope::rollback(std::size_t size) {
    while (symbols_.size() > size) {
        index_[symbols_.back().name].pop_back();
        symbols_.pop_back();
    }
}

}  // namespace credence::lang
