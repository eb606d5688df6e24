#pragma once
// What the names of a checked script refer to: every declaration with every place that means it.
//
// Locals follow the scopes of the language. Variables and columns belong to a model or table; where a model is trained on a table, or a
// table is the evidence of a query, the two share their names, and so do all models that a query may mean whose model is known only at
// run time. So renaming a variable renames it wherever the script would otherwise stop fitting together.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/builtin/registry.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/world/scope.hpp"

namespace credence::cli::lsp {

struct Entity {
    enum class Kind { value, function, model, module, parameter, variable, symbol };
    std::string name;
    Kind kind{};
    std::string what;     ///< "net", "table", "parameter", "variable of net Clinic"
    lang::Span declared;  ///< the name where it is declared
    lang::Span whole;     ///< the declaration
    std::string doc = {};
    const lang::Statement* statement = nullptr;  ///< that declares it, or in which it is declared
    lang::SourcePtr source = nullptr;            ///< of another file; null: this one
};

struct Occurrence {
    lang::Span span;
    std::size_t entity = 0;
};

struct Index {
    std::vector<Entity> entities;
    std::vector<Occurrence> occurrences;  ///< by place
    std::vector<std::size_t> group;       ///< by entity: the entity that stands for all that share its name

    std::optional<std::size_t> at(std::size_t offset) const;  ///< also at the end of a word
    const Occurrence* occurrence_at(std::size_t offset) const;
    /// All places that mean the same as this entity, its declarations included; each once, by place.
    std::vector<lang::Span> places(std::size_t entity) const;
};

Index make_index(const lang::Program& program, const lang::Scope& scope, const lang::Registry& registry);

}  // namespace credence::cli::lsp
