#pragma once
// From the tree of a query to rt::Query on one model: names become variables, values labels, items sides of the bar.

#include <unordered_map>

#include "lang/eval/evaluator.hpp"

namespace credence::lang {

/// A let, a parameter, a function or a declared model: something with a value of its own.
bool is_script_name(const Resolution& resolution);

/// Nothing for ~ and likelihood.
std::optional<rt::Compare> comparison(EventOp op);

bool is_order(rt::Compare compare);

/// Whether it is one of the variables of a plate: S[2] of S. A quantity such as S[1] + S[2] is none.
bool is_member(const rt::ModelVariable& variable, std::string_view plate);

/// Where a variable stands in an answer. The answer to `next X` is over X, unless X is asked for too.
std::optional<std::size_t> position_in(const rt::Factor& f, const std::string& name);

class QueryLowering {
public:
    QueryLowering(Evaluator& evaluator, const ModelValue& model, const QueryExpr& query, Frame& frame);
    QueryLowering(const QueryLowering&) = delete;
    QueryLowering& operator=(const QueryLowering&) = delete;
    ~QueryLowering();

    /// First of all: the words of the query's expressions that are variables of the model get quantities for values.
    Status bind();
    Status targets(const std::vector<QueryItem>& items);
    Status given(const std::vector<QueryItem>& items);
    /// After both sides: what `*` stands for. A note lists the numbers it leaves out.
    void expand_star();
    /// Variables that nothing in the query speaks of, `next` ones left out.
    std::vector<rt::VarId> unmentioned() const;
    rt::Query& query() { return query_; }
    bool has_star() const { return star_; }
    /// Free variables that were asked for through the name of their parametric space.
    const std::vector<std::pair<rt::VarId, std::string>>& through_space() const { return through_space_; }

    /// Variables of do(…) without a value: the query is asked for each of their values.
    const std::vector<rt::VarId>& open_doing() const { return open_doing_; }

    std::optional<rt::VarId> find(std::string_view name) const;

    /// The variable whose distribution is that of an expression: a variable of the model, or a new one. Not applicable if it is not a
    /// quantity.
    Attempt<rt::VarId> quantity(const Expr& expr, std::string name);
    /// The quantities found so far, each under its own name.
    const std::vector<rt::NamedQuantity>& named_quantities();
    /// The model; with evidence that gives a number by a distribution, its answers are averages.
    const ModelValue& model() const { return averaged_ ? *averaged_ : model_; }
    /// The model with a variable for each quantity that was met, after its own.
    Result<ModelValue> extended();
    const std::string& name(rt::VarId id) const;
    bool is_number(rt::VarId id) const;  ///< real-valued, by itself or computed from such

private:
    Status side(const std::vector<QueryItem>& items, rt::Clause& clause, bool evidence);
    Status item(const EventItem& item, Span span, rt::Clause& clause, bool evidence);
    Status counts(rt::VarId id, const Record& record, const Expr& written, Span span, rt::Clause& clause);
    std::vector<rt::VarId> plate(std::string_view name) const;  ///< its variables, in the order in which they are declared
    Result<List> plate_items(const EventAtom& atom, std::span<const rt::VarId> members);
    Result<rt::Event> plate_event(const EventAtom& atom, std::span<const rt::VarId> members, Span span);
    Status plate_values(const EventAtom& atom, std::span<const rt::VarId> members, rt::Clause& clause, bool evidence);
    Status bare(const EventName& name, bool next, rt::Clause& clause, bool evidence);
    Status doing(const DoItem& item);
    Result<std::string> name_of(const VariableRef& ref, bool next);
    Result<rt::VarId> variable(const VariableRef& ref, bool next);
    Result<rt::Event> event(const EventExpr& expr, bool next);
    Status data(const rt::TablePtr& table, Span span, rt::Clause& clause);
    Status record(const Record& row, Span span, rt::Clause& clause);
    Status instance(const Instance& cells, Span span, rt::Clause& clause);
    Result<rt::Event> interval(rt::VarId id, const Range& range, Span span);
    Result<rt::Event> atom(const EventAtom& atom, Span span, bool next);
    Status bare_quantity(const Expr& expr, const std::optional<Word>& as, rt::Clause& clause, bool evidence);
    struct Sides {
        Span left;
        Span right;
    };
    Result<rt::Event> compared(const Value& left, EventOp op, const Value& right, Sides sides);
    Result<rt::Event> compared_with(rt::VarId id, rt::Compare compare, const Value& value, Span span);
    /// Of a boolean variable: those of its values that are so to a number, as 1 and 0.
    std::optional<std::vector<rt::Label>> ordered_truths(rt::VarId id, rt::Compare compare, const rt::Number& than);
    Result<rt::Event> truth(const Value& value, Span span);
    Result<Value> traced(const Expr& expr);
    Result<Value> casewise(const Expr& expr, Fault otherwise);
    Result<Value> value_of(const VariableRef& ref, bool next);
    bool index_is_uncertain(const VariableRef& ref);
    /// On the left of an event: not a variable, but a value of the script, or what an uncertain index picks.
    bool is_computed(const VariableRef& ref, bool next);
    Result<Value> word_value(const Expr& expr);
    Result<Value> right_side(const EventAtom& atom, rt::VarId id);
    const rt::QuantityPtr& quantity_of(rt::VarId id);
    /// That is true where the event happens.
    Result<rt::VarId> variable_of_event(const rt::Event& event, Span span);
    rt::QuantityPtr truth_of_event(const rt::Event& event);
    rt::VarId derive(rt::QuantityPtr quantity, std::string name, bool is_event);
    const rt::QuantityPtr& variable_quantity(rt::VarId id);
    Value plate_list(const std::string& name);  ///< the variables of a plate as a list of quantities
    bool is_numeric_model() const;
    // lower_soft.cpp
    Status soft(const EventAtom& atom, Span span, rt::Clause& clause);
    Status soft_number(rt::VarId id, const EventAtom& atom, const Value& value, Span span);
    Result<rt::Factor> soft_weights(rt::VarId id, const EventAtom& atom, const Value& value);
    Result<rt::Label> label_for(rt::VarId id, const Value& value, Span span, bool must_be_known, const Expr* written = nullptr);
    bool is_number_beside(rt::VarId id, const Value& value) const;
    Fault unknown_variable(const std::string& name, Span span);
    const rt::Variable& var(rt::VarId id) const { return model_.model->variables()[rt::index(id)].variable; }
    bool is_own(rt::VarId id) const { return rt::index(id) < model_.model->variables().size(); }

    Evaluator& self_;
    const ModelValue& model_;
    std::optional<ModelValue> averaged_;  ///< where the evidence gives a number by a distribution
    const QueryExpr& written_;
    Frame& frame_;
    rt::Query query_;
    std::unordered_map<std::string_view, rt::VarId> ids_;
    std::vector<rt::NamedQuantity> quantities_;
    std::map<rt::VarId, rt::QuantityPtr> variable_quantities_;
    std::function<rt::Variable(rt::VarId)> outer_variables_;
    std::vector<ListPtr> plates_;                                                    // lists that stand for a plate's variables
    std::vector<std::pair<const QueryExpr::Bound*, std::vector<rt::VarId>>> bound_;  // the variables that a word stands for
    std::vector<rt::VarId> open_doing_;
    bool star_ = false;
    std::vector<std::pair<rt::VarId, std::string>> through_space_;
};

}  // namespace credence::lang
