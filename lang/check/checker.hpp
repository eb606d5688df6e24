#pragma once
// Before anything runs: every name gets its meaning, every declaration and call is held against what is known.
// Split by subject over resolve.cpp, check_call.cpp, check_model.cpp, check_query.cpp, check_values.cpp, check_decl.cpp and record.cpp.

#include <set>
#include <unordered_map>

#include "lang/check/names.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/text/diagnostic.hpp"
#include "lang/world/declarer.hpp"
#include "lang/world/scope.hpp"
#include "lang/world/world.hpp"

namespace credence::lang {

bool has_plate(const ModelShape& shape, std::string_view name);
/// Whether it has variables of that name with an index, or components.
bool has_indexed(const ModelShape& shape, std::string_view name);

/// Whether a variable of the plate has that value: a of `a in K`.
bool is_value_of_plate(const ModelShape& shape, std::string_view plate, std::string_view word);

class Checker {
public:
    /// `recorder`: where what the names mean is kept; null if nobody asks.
    Checker(Scope& scope, World& world, Declarer& declarer, SourcePtr source, Diagnostics& diagnostics, NameRecorder* recorder)
        : scope_(scope), world_(world), declarer_(declarer), source_(std::move(source)), diagnostics_(&diagnostics), recorder_(recorder) {}

    /// Declares the labels and functions of the whole text first, because they may be used before their declaration. Names that a
    /// statement with a syntax error would have declared are remembered, so that their use is not reported as unknown.
    void announce(const Program& program);
    void check(Statement& statement);
    /// Errors found inside `expect error: …`, which stop nothing.
    const std::unordered_map<const Statement*, Diagnostics>& expected() const { return expected_; }

private:
    /// One function's locals; the slot of a name is found from the innermost block outwards, then captured from the function around.
    struct Local {
        std::string name;
        std::uint32_t slot = 0;
        NameRecorder::Meaning meaning = NameRecorder::nothing;
        const QueryExpr* query = nullptr;  ///< a word of this query, which means a variable of its model where there is one
        bool around = false;               ///< captured for (x) in a query: what x means around it
    };
    struct Locals {
        Locals* outer = nullptr;
        std::vector<Local> names;
        std::uint32_t next = 0;
        std::vector<Capture> captures;
        std::uint32_t add(std::string name, NameRecorder::Meaning meaning = NameRecorder::nothing, const QueryExpr* query = nullptr) {
            names.push_back({std::move(name), next, meaning, query});
            return next++;
        }
        void end(std::uint32_t slot);  ///< the slot stays taken; only its name ends
    };

    // resolve.cpp
    void resolve(Expr& expr);
    void resolve(const ExprPtr& expr) {
        if (expr) resolve(*expr);
    }
    void resolve_label(Expr& expr);  ///< where a label may stand that only data bring
    void resolve_name(NameExpr& name, Span span, bool parenthesised);
    void resolve_callee(NameExpr& name, Span span);
    void resolve_lambda(Lambda& lambda);
    void resolve_comprehension(Comprehension& comprehension);
    void resolve_record(RecordLit& record);
    void note_named_label(const Expr& element);
    bool query_left_of_in(const Binary& binary, Span span);
    void resolve_beside(ExprPtr& expr, std::string hole_hint);  ///< where a ? is not possible, with the hint what is
    void resolve_member(Member& member);
    void resolve_base(Expr& base);  ///< the value before [ ] or a dot: a model is preferred to a label of the same name
    void resolve_pipe(Pipe& pipe);
    void resolve_quietly(Expr& expr);  ///< a bare word in a label position: no error if it is new
    /// `around`: a query whose own words are passed over.
    std::optional<Resolution> look_up(std::string_view name, const QueryExpr* around = nullptr);
    std::optional<Resolution> look_up(const NameExpr& name, bool parenthesised);  ///< (x) in a query is the name in scope
    bool is_library(const Symbol& symbol) const;
    static bool is_value(const Resolution& meaning);  ///< a name of the script with a value of its own
    std::optional<Resolution> look_up_model(std::string_view name);
    std::optional<std::uint32_t> find_local(std::string_view name);
    static std::optional<std::uint32_t> find_in(Locals* locals, std::string_view name, const QueryExpr* around = nullptr);
    void unknown_name(const std::string& name, Span span, bool callee);
    bool in_gap(std::string_view name) const;  ///< a statement that did not parse would have declared it, or a model with this word in it

    // check_call.cpp
    void check_call(Call& call, Span span, bool piped);
    void check_own_arguments(const Call& call, const NameExpr& callee, Span span, std::size_t piped);
    bool learner_of_table(const Overloads& overloads, Call& call);
    std::string parameter_with(const std::string& word) const;
    void report_other_names(const Overloads& overloads, const Call& call, std::size_t reported);
    void check_member_call(Call& call);
    void resolve_argument(Argument& argument, const std::vector<const Parameter*>& parameters, const Call& within);
    const Overloads* called_learner(const Call& call);
    void resolve_words(Expr& expr, const Parameter& parameter);
    void resolve_settings(Expr& expr, const Overloads* learner);
    void resolve_option(Expr& expr, const Parameter& parameter);
    void resolve_method(Expr& expr);  ///< an alternative of an option: a word, or a call of one, that names no function of the script
    /// False, with a report, if a literal has another type than all of the parameters.
    bool check_literal(std::string_view called, const Expr& argument, const std::vector<const Parameter*>& parameters);

    // check_method.cpp
    /// What follows `by`; `shape`: of the model that answers or learns, where it is known.
    void check_method(Expr& by, MethodUse use, const ModelShape* shape);
    std::vector<Builtin> method_forms(const NameExpr& name, Span span, MethodUse use, const ModelShape* shape);
    void check_method_arguments(Call& call, Span span, const std::vector<Builtin>& forms);
    const ModelShape* trained_shape(const Expr& learner) const;

    // check_model.cpp
    const ModelShape* model_of(QueryExpr& query, Span span);
    const ModelShape* named_shape(Expr& model);  ///< of `in model`
    void resolve_model(Expr& expr);
    void resolve_learner(Expr& expr);                  ///< the same after `train`, where a learner may be named without a call
    const Symbol* called_net(const Expr& expr) const;  ///< of Clinic(0.1): the net with parameters that is called
    const Symbol* net_with_parameters(const std::vector<std::pair<std::string, Span>>& variables) const;
    bool is_data(std::string_view name);
    bool is_name_around(std::string_view name) const;
    struct Wanted;
    Wanted wanted_by(const QueryExpr& query, const std::vector<const Symbol*>& models);
    void report_ambiguous(const QueryExpr& query, const Wanted& wanted, const std::vector<const Symbol*>& fitting, Span span);
    void report_no_model(const QueryExpr& query, const Wanted& wanted, const std::vector<const Symbol*>& models, Span span);
    void report_no_variable(const QueryExpr& query, const std::string& name, Span where, const std::vector<const Symbol*>& models);
    static std::optional<std::string> spelled(const VariableRef& ref);
    static std::set<std::string> own_names(const Expr& expr);

    // check_query.cpp
    void check_query(QueryExpr& query, Span span);
    void check_item(QueryExpr& query, QueryItem& item, const ModelShape* shape);
    void check_event(QueryExpr& query, EventExpr& event, const ModelShape* shape, bool next, bool inside);
    void check_variable(QueryExpr& query, VariableRef& ref, const ModelShape* shape, bool may_be_table);
    void check_value(QueryExpr& query, const EventAtom& atom, Expr& value, const VariableShape* variable, const ModelShape* shape);
    void check_value_word(const Expr& one, const VariableShape& variable, const ModelShape* shape);
    const ModelShape* declared_shape(const Expr& expr) const;
    bool value_for_variable(const QueryExpr& query, const std::vector<const ModelShape*>& shapes, std::string_view word, Span where);
    void check_member(const Expr& base, const Word& name, bool called);
    void check_member_variables(const Expr& base, const Call& call);
    void check_query_index(const QueryExpr& query, const std::vector<ExprPtr>& indices);
    void bind_words(QueryExpr& query, Expr& expression, const ModelShape* shape);
    bool is_script_value(std::string_view name, const QueryExpr* around = nullptr);

    // check_decl.cpp
    void check_let(Statement& statement, LetStmt& let);
    void check_fn(Statement& statement, FnStmt& fn);
    void check_net(NetStmt& net);
    void gather_nodes(const std::string& net, const std::vector<NetItem>& items);
    void check_net_items(std::vector<NetItem>& items, std::vector<Local>& outer);  ///< outer: parameters, then plates
    void check_node(NetNodeDecl& node, const std::vector<Local>& outer);
    void check_hypotheses(HypothesesStmt& hypotheses);
    struct StatementCheck;
    void check_own(const HmmStmt& hmm);  ///< what the parts of a declaration cannot express
    void check_own(const GrammarStmt& grammar);
    void check_set(SetStmt& set);
    void check_expect_error(Statement& statement, ExpectErrorStmt& expect);
    void declare_model(Statement& statement, const Word& name);
    void declare(Statement& statement, const Word& name, Symbol::Kind kind, std::optional<ModelShape> shape,
                 std::vector<std::string> parameters);
    ModelShape written_shape(const Statement& statement) const;
    void outcome_word(Expr& expr);  ///< in the place of a label (`h1 -> lime`): a word that nobody knows is a label

    // record.cpp
    void mean(NameExpr& name, Span span, Resolution resolved);  ///< gives the name its meaning, and records it
    Span word_of(const NameExpr& name, Span span) const;
    void refer(const Word& variable);  ///< to one of the model that is being declared
    NameRecorder::Meaning meaning_of(const std::string& name, Resolution resolved);
    NameRecorder::Meaning define_local(const Word& name, std::string what);
    NameRecorder::Meaning define_variable(const Word& name, std::string what, Span whole, std::string doc = {});
    NameRecorder::Meaning queried_variable(const QueryExpr& query, const std::string& name, Resolution otherwise);
    void record_global(const Statement& statement, const Word& name, Symbol::Kind kind, bool model);
    void record_argument(const Word& name, std::uint32_t function);
    void record_keys(const RecordLit& record);
    void record_member(const Member& member);
    void record_symbols(const GrammarStmt& grammar);
    void record_variable(const QueryExpr& query, const VariableRef& ref);
    void record_value(const QueryExpr& query, const Expr& word, const VariableShape* variable, const ModelShape* shape);
    void record_word(const std::string& name, Span span);  ///< of a variable or column among arguments

    void report(rt::FaultCode code, std::string message, Span span, std::string label = {}, std::string help = {});
    void report(const rt::Fault& fault, Span span);
    void note(std::string message, Span span);
    std::uint32_t new_slot();

    Scope& scope_;
    World& world_;
    Declarer& declarer_;
    SourcePtr source_;
    Diagnostics* diagnostics_;
    Locals* locals_ = nullptr;
    const QueryExpr* query_ = nullptr;  ///< that is being checked
    bool in_net_ = false;
    std::vector<std::string_view> gaps_;  ///< statements that did not parse
    std::size_t looked_at_ = 0;           ///< names and bytes, for unknown names
    std::set<std::string> nodes_;         ///< of the net that is being checked
    std::set<std::string> plates_;        ///< those of them that have an index
    std::set<std::string> visible_;       ///< those of them that the expression at hand may name
    bool holes_allowed_ = false;
    const Overloads* called_ = nullptr;                          ///< the builtin whose arguments are resolved
    std::string hole_hint_;                                      ///< what to write in place of a ? here
    std::map<std::string, std::uint32_t, std::less<>> forward_;  ///< functions that the text declares further down
    std::unordered_map<const Statement*, Diagnostics> expected_;
    NameRecorder* recorder_ = nullptr;
    const Statement* statement_ = nullptr;           ///< these three: for the recorder
    NameRecorder::Model model_ = 0;                  ///< that the statement declares, if it declares one
    std::optional<NameRecorder::Model> asked_ = {};  ///< whose member is called
};

}  // namespace credence::lang
