#pragma once
// What the names of a text mean: every definition with every place that refers to it. The checker records it while it resolves names,
// for editors; a plain run records nothing.
//
// Locals follow the scopes of the language. Variables and columns belong to a model or table; where a model is trained on a table, or a
// table is the evidence of a query, the two share their names, and so do all models that a query may mean whose model is known only at
// run time. So renaming a variable renames it wherever the script would otherwise stop fitting together.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lang/syntax/ast.hpp"
#include "lang/world/scope.hpp"

namespace credence::lang {

struct Definition {
    enum class Kind { value, function, model, module, parameter, variable, symbol };
    std::string name;
    Kind kind{};
    std::string what;  ///< "net", "table", "parameter", "variable of net Clinic"
    Span declared;     ///< the name where it is declared
    Span whole;        ///< the declaration
    std::string doc = {};
    const Statement* statement = nullptr;  ///< that declares it, or in which it is declared
    SourcePtr source = nullptr;            ///< of another file; null: this one
};

struct Reference {
    Span span;
    std::size_t definition = 0;
};

struct NameTable {
    std::vector<Definition> definitions;
    std::vector<Reference> references;  ///< by place; a definition refers to itself
    std::vector<std::size_t> group;     ///< by definition: the one that stands for all that share their name

    const Reference* at(std::size_t offset) const;  ///< also at the end of a word
    bool same(std::size_t a, std::size_t b) const { return group[a] == group[b]; }
    /// All places that mean the same as this definition, the definitions included; each once, by place.
    std::vector<Span> places(std::size_t definition) const;
};

class NameRecorder {
public:
    using Model = std::size_t;
    /// What a reference means. It may be open until the text is read to its end: functions and joins of models may come later.
    using Meaning = std::uint32_t;
    static constexpr Meaning nothing = 0;

    Meaning define(Definition definition);
    Meaning define_global(std::uint32_t slot, Definition definition);
    Meaning define_variable(Model model, Definition definition);                   ///< Q[i] of a plate and Q[1] beside it are one
    void add_parameters(std::uint32_t slot, const std::vector<Word>& parameters);  ///< of a function or net; defined before

    Meaning global(std::uint32_t slot);
    Meaning parameter(std::uint32_t slot, std::string name);
    /// Of that model, or else `otherwise`.
    Meaning variable(std::string name, Model model, Meaning otherwise = nothing);
    /// Of a model that the run will know: it may be any that has such a variable.
    Meaning variable_of_any(std::string name, Meaning otherwise = nothing);
    /// Where it is a mistake that the model is not known: only if one model alone has such a variable.
    Meaning variable_of_one(std::string name, Meaning otherwise = nothing);
    void refer(Span span, Meaning meaning);

    Model open_model();
    void bind_model(std::uint32_t slot, Model model) { model_of_slot_[slot] = model; }
    bool has_variable(Model model, const std::string& name) const { return models_[model].variables.contains(name); }
    void add_variable(Model model, const std::string& name, Meaning definition);
    void join(Model a, Model b);  ///< from here on their variables are the same by name
    void join_trained(const Train& train);
    std::optional<Model> model_of(std::uint32_t slot) const;
    /// The model that a resolved expression surely is: a declared one, or what was trained from one.
    std::optional<Model> model_of(const Expr& expr) const;
    std::optional<Model> model_of(const QueryExpr& query) const;

    /// `scope` has what other texts declare.
    NameTable finish(const Scope& scope);

private:
    struct KnownModel {
        Model same_as = 0;  ///< union-find
        std::map<std::string, std::size_t> variables = {};
    };
    struct Global {
        std::uint32_t slot = 0;
    };
    struct ParameterOf {
        std::uint32_t slot = 0;
        std::string name;
    };
    enum class Owner { known, any, one };
    struct Variable {
        std::string name;
        Owner owner{};
        Model model = 0;
        Meaning otherwise = nothing;
    };
    using Open = std::variant<std::monostate, std::size_t, Global, ParameterOf, Variable>;

    Meaning add(Open meaning);
    Model root(Model model) const;
    void define_what_others_declare(const Scope& scope);
    void share_names();
    std::size_t group_of(std::size_t definition);
    std::optional<std::size_t> definition_of(Meaning meaning);
    std::optional<std::size_t> definition_of(const Variable& variable);

    NameTable table_;
    std::vector<Open> meanings_{std::monostate{}};
    std::vector<std::pair<Span, Meaning>> references_;
    std::map<std::uint32_t, std::size_t> global_;                             ///< slot -> definition
    std::map<std::uint32_t, Model> model_of_slot_;                            ///< of values, the model they were trained from
    std::map<std::uint32_t, std::map<std::string, std::size_t>> parameters_;  ///< of functions, by slot
    std::map<std::uint32_t, std::size_t> defined_at_;                         ///< offset of a name -> definition
    std::vector<KnownModel> models_;
    std::map<std::pair<Model, std::string>, std::size_t> first_;  ///< the variable of a root, once all joins are known
    std::map<std::string, std::vector<std::size_t>> by_name_;
};

}  // namespace credence::lang
