#pragma once
// Builds an Index from a tree whose names the checker has resolved. Split over index.cpp (variables), index_declare.cpp
// (declarations) and index_walk.cpp (expressions).

#include <map>
#include <set>

#include "lang/cli/lsp/index.hpp"

namespace credence::cli::lsp {

class IndexBuilder {
public:
    IndexBuilder(const lang::Scope& scope, const lang::Registry& registry) : scope_(scope), registry_(registry) {}
    Index run(const lang::Program& program);

private:
    /// A declared model or table and the variables it has in the text.
    struct KnownModel {
        std::size_t same_as = 0;  ///< union-find
        std::vector<std::pair<std::string, std::size_t>> variables = {};
    };
    struct VariableUse {
        std::string name;
        lang::Span span;
        std::optional<std::size_t> model;
    };

    // index.cpp
    std::size_t root(std::size_t model);
    void join(std::size_t a, std::size_t b);
    std::size_t add_model(std::uint32_t slot);
    void settle_variables();

    // index_declare.cpp
    void declare(const lang::Statement& statement);
    std::size_t add(Entity entity);
    std::size_t add_global(const lang::Statement& statement, const lang::Word& name, Entity::Kind kind, std::string what);
    void add_variable(std::size_t model, const lang::Statement& statement, const lang::Word& name, std::string what, lang::Span whole,
                      std::string doc = {});
    void declare_items(std::size_t model, const lang::Statement& statement, const std::vector<lang::NetItem>& items,
                       const std::string& net);
    void walk_statement(const lang::Statement& statement);
    void walk_net(std::size_t model, const std::vector<lang::NetItem>& items);
    void walk_node(std::size_t model, const lang::NetNodeDecl& node);
    void walk_fn(const lang::Statement& statement, const lang::FnStmt& fn);
    void walk_hypotheses(std::size_t model, const lang::HypothesesStmt& h);
    void walk_grammar(const lang::Statement& statement, const lang::GrammarStmt& g);

    // index_walk.cpp
    void walk(const lang::Expr& expr);
    void walk(const lang::ExprPtr& expr) {
        if (expr) walk(*expr);
    }
    void walk_name(const lang::NameExpr& name, lang::Span span);
    void walk_call(const lang::Call& call);
    void walk_query(const lang::QueryExpr& query);
    void walk_items(const std::vector<lang::QueryItem>& items, std::optional<std::size_t> model);
    void walk_event(const lang::EventExpr& event, std::optional<std::size_t> model);
    void walk_variable(const lang::VariableRef& ref, std::optional<std::size_t> model);
    void walk_words(const lang::Expr& expr);
    void walk_member(const lang::Member& member);
    void use_global(std::uint32_t slot, const std::string& name, lang::Span span);
    void use_variable(const std::string& name, lang::Span span, std::optional<std::size_t> model);
    /// The model that an expression surely is: a declared one, or what was trained from one.
    std::optional<std::size_t> model_of(const lang::Expr& expr) const;
    bool is_variable_name(const std::string& name) const { return variable_names_.contains(name); }

    struct Local {
        std::string name;
        std::optional<std::size_t> entity;            ///< a parameter
        std::optional<std::size_t> variable_of = {};  ///< or a variable of this model
    };
    std::size_t add_local(const lang::Word& name, std::string what);

    const lang::Scope& scope_;
    const lang::Registry& registry_;
    Index index_;
    const lang::Statement* statement_ = nullptr;
    std::map<std::uint32_t, std::size_t> global_;         ///< slot -> entity
    std::map<std::uint32_t, std::size_t> model_of_slot_;  ///< slot -> model; of values, the model they were trained from
    std::map<std::uint32_t, std::map<std::string, std::size_t>> parameters_;  ///< of functions, by slot
    std::vector<KnownModel> models_;
    std::set<std::string> variable_names_;
    std::vector<VariableUse> uses_;
    std::vector<Local> locals_;
};

}  // namespace credence::cli::lsp
