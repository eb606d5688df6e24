#include "lang/world/scope.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/prob/queries/conditioned.hpp"
namespace credence::lang {

void ModelShape::index() {
    by_name.resize(variables.size());
    std::iota(by_name.begin(), by_name.end(), 0U);
    std::stable_sort(by_name.begin(), by_name.end(), [&](auto a, auto b) { return variables[a].name < variables[b].name; });
    spaces.clear();
    for (const auto& v : variables)
        if (!v.space.empty()) spaces.insert(v.space);
}

const VariableShape* ModelShape::find(std::string_view variable) const {
    if (by_name.size() == variables.size()) {
        const auto found = std::lower_bound(by_name.begin(), by_name.end(), variable,
                                            [&](std::uint32_t i, std::string_view name) { return variables[i].name < name; });
        return found != by_name.end() && variables[*found].name == variable ? &variables[*found] : nullptr;
    }
    for (const auto& v : variables)
        if (v.name == variable) return &v;
    return nullptr;
}

bool ModelShape::has(std::string_view variable) const {
    if (find(variable) != nullptr) return true;
    if (by_name.size() == variables.size()) return spaces.contains(variable);
    return std::any_of(variables.begin(), variables.end(), [&](const VariableShape& v) { return !v.space.empty() && v.space == variable; });
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

const Symbol* Scope::latest(std::string_view name, std::optional<Symbol::Kind> kind) const {
    const auto found = index_.find(name);
    if (found == index_.end()) return nullptr;
    for (auto it = found->second.rbegin(); it != found->second.rend(); ++it)
        if (!kind || symbols_[*it].kind == *kind) return &symbols_[*it];
    return nullptr;
}

const Symbol* Scope::peek(std::string_view name) const { return latest(name, std::nullopt); }

const Symbol* Scope::find(std::string_view name) const {
    const Symbol* out = peek(name);
    if (out && uses_) uses_->insert(out->slot);
    return out;
}

const Symbol* Scope::find_kind(std::string_view name, Symbol::Kind kind) const {
    const Symbol* out = latest(name, kind);
    if (out && uses_) uses_->insert(out->slot);
    return out;
}

std::vector<const Symbol*> Scope::models() const {
    std::vector<const Symbol*> out;
    for (const auto& symbol : symbols_)
        if (symbol.kind == Symbol::Kind::model && symbol.shape && symbol.shape->kind != "table" &&
            latest(symbol.name, Symbol::Kind::model) == &symbol)
            out.push_back(&symbol);
    if (uses_)
        for (const Symbol* symbol : out) uses_->insert(symbol->slot);
    return out;
}

void Scope::enter(const Symbol& symbol, std::size_t at) {
    auto& same_name = index_[symbol.name];
    for (auto it = same_name.rbegin(); it != same_name.rend(); ++it)
        if (symbols_[*it].kind == symbol.kind) {
            hidden_.push_back({*it, at});
            break;
        }
    same_name.push_back(at);
}

void Scope::declare(Symbol symbol) {
    const std::lock_guard lock(lock_.mutex);
    if (symbol.shape) {
        symbol.shape->index();
        for (const auto& v : symbol.shape->variables) {
            variables_.insert(v.name);
            if (!v.space.empty()) variables_.insert(v.space);
        }
    }
    symbols_.push_back(std::move(symbol));
    enter(symbols_.back(), symbols_.size() - 1);
}

void Scope::know_label(std::string label) {
    const std::lock_guard lock(lock_.mutex);
    labels_.insert(std::move(label));
}

void Scope::rollback(std::size_t size) {
    const std::lock_guard lock(lock_.mutex);
    while (symbols_.size() > size) {
        index_[symbols_.back().name].pop_back();
        rolled_back_.push_back(symbols_.back().slot);
        symbols_.pop_back();
    }
    std::erase_if(hidden_, [&](const Hidden& h) { return h.by >= size; });
}

Scope Scope::snapshot() const {
    const std::lock_guard lock(lock_.mutex);
    Scope out = *this;
    out.uses_ = nullptr;
    return out;
}

std::vector<std::uint32_t> Scope::take_hidden() {
    constexpr std::size_t worth_it = 64;
    const std::lock_guard lock(lock_.mutex);
    std::vector<std::uint32_t> out = std::exchange(rolled_back_, {});
    for (const auto& h : hidden_) out.push_back(symbols_[h.symbol].slot);
    hidden_taken_ += hidden_.size();
    hidden_.clear();
    if (hidden_taken_ < worth_it || hidden_taken_ < symbols_.size() / 2) return out;
    std::set<std::pair<std::string_view, Symbol::Kind>> later;
    std::vector<bool> visible(symbols_.size());
    for (std::size_t i = symbols_.size(); i-- > 0;) visible[i] = later.emplace(symbols_[i].name, symbols_[i].kind).second;
    std::vector<Symbol> all = std::exchange(symbols_, {});
    index_.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!visible[i]) continue;
        symbols_.push_back(std::move(all[i]));
        index_[symbols_.back().name].push_back(symbols_.size() - 1);
    }
    hidden_taken_ = 0;
    return out;
}

}  // namespace credence::lang
