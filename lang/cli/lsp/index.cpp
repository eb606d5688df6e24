#include "lang/cli/lsp/index.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lang/cli/lsp/index_builder.hpp"

namespace credence::cli::lsp {

using namespace lang;

const Occurrence* Index::occurrence_at(std::size_t offset) const {
    const auto after = std::upper_bound(occurrences.begin(), occurrences.end(), offset,
                                        [](std::size_t at, const Occurrence& o) { return at < o.span.begin; });
    const Occurrence* touching = nullptr;
    for (auto it = after; it != occurrences.begin();) {
        --it;
        if (it->span.begin <= offset && offset < it->span.end) return &*it;
        if (it->span.end == offset) touching = &*it;
        if (it->span.end < offset) break;
    }
    return touching;
}

std::optional<std::size_t> Index::at(std::size_t offset) const {
    const Occurrence* found = occurrence_at(offset);
    return found ? std::optional(found->entity) : std::nullopt;
}

std::vector<Span> Index::places(std::size_t entity) const {
    std::vector<Span> out;
    for (const auto& o : occurrences)
        if (group[o.entity] == group[entity]) out.push_back(o.span);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// --- variables of models --------------------------------------------------------------------------------------------

std::size_t IndexBuilder::root(std::size_t model) {
    while (models_[model].same_as != model) model = models_[model].same_as = models_[models_[model].same_as].same_as;
    return model;
}

void IndexBuilder::join(std::size_t a, std::size_t b) { models_[root(a)].same_as = root(b); }

std::size_t IndexBuilder::add_model(std::uint32_t slot) {
    models_.push_back({.same_as = models_.size()});
    model_of_slot_[slot] = models_.size() - 1;
    return models_.size() - 1;
}

/// Late, when all joins are known: a variable use with a model means that model's, else every model's of that name.
void IndexBuilder::settle_variables() {
    std::vector<std::size_t> parent(index_.entities.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto find = [&](std::size_t e) {
        while (parent[e] != e) e = parent[e] = parent[parent[e]];
        return e;
    };
    std::map<std::pair<std::size_t, std::string>, std::size_t> first;  // (root of a model, name) -> entity
    std::map<std::string, std::vector<std::size_t>> by_name;
    for (std::size_t m = 0; m < models_.size(); ++m)
        for (const auto& [name, entity] : models_[m].variables) {
            by_name[name].push_back(entity);
            const auto [known, fresh] = first.emplace(std::pair(root(m), name), entity);
            if (!fresh) parent[find(entity)] = find(known->second);
        }
    for (const auto& use : uses_) {
        std::optional<std::size_t> entity;
        if (use.model)
            if (const auto known = first.find({root(*use.model), use.name}); known != first.end()) entity = known->second;
        if (!entity) {
            const auto named = by_name.find(use.name);
            if (named == by_name.end()) continue;
            entity = named->second.front();
            for (const std::size_t other : named->second) parent[find(other)] = find(*entity);
        }
        index_.occurrences.push_back({use.span, *entity});
    }
    index_.group.resize(parent.size());
    for (std::size_t e = 0; e < parent.size(); ++e) index_.group[e] = find(e);
}

Index IndexBuilder::run(const Program& program) {
    for (const auto& statement : program.statements) declare(*statement);
    for (const auto& statement : program.statements) walk_statement(*statement);
    settle_variables();
    std::stable_sort(index_.occurrences.begin(), index_.occurrences.end(), [](const Occurrence& a, const Occurrence& b) {
        return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
    });
    return std::move(index_);
}

Index make_index(const Program& program, const Scope& scope, const Registry& registry) {
    return IndexBuilder(scope, registry).run(program);
}

}  // namespace credence::cli::lsp
