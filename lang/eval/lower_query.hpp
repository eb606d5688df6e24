#pragma once
// From the tree of a query to rt::Query on one model: names become variables, values labels, items sides of the bar.

#include "lang/eval/evaluator.hpp"

namespace credence::lang {

class QueryLowering {
public:
    QueryLowering(Evaluator& evaluator, const ModelValue& model, Frame& frame) : self_(evaluator), model_(model), frame_(frame) {}

    Status targets(const std::vector<QueryItem>& items);
    Status given(const std::vector<QueryItem>& items);
    /// After both sides: what `*` stands for. A note says which numbers it leaves out.
    void expand_star();
    rt::Query& query() { return query_; }
    bool has_star() const { return star_; }
    /// Free variables that were asked for through the name of their parametric space.
    const std::vector<std::pair<rt::VarId, std::string>>& through_space() const { return through_space_; }

    /// Variables of do(…) without a value: the query is asked for each of their values.
    const std::vector<rt::VarId>& open_doing() const { return open_doing_; }

    std::optional<rt::VarId> find(std::string_view name) const;

private:
    Status side(const std::vector<QueryItem>& items, rt::Clause& clause, bool evidence);
    Status item(const EventItem& item, Span span, rt::Clause& clause, bool evidence);
    std::vector<rt::VarId> plate(std::string_view name) const;  ///< its variables, in the order in which they are declared
    Status plate_values(const EventAtom& atom, std::span<const rt::VarId> members, rt::Clause& clause);
    Status bare(const EventName& name, bool next, rt::Clause& clause, bool evidence);
    Status doing(const DoItem& item);
    Result<std::string> name_of(const VariableRef& ref, bool next);
    Result<rt::VarId> variable(const VariableRef& ref, bool next);
    Result<rt::Event> event(const EventExpr& expr, bool next);
    Result<rt::Event> atom(const EventAtom& atom, Span span, bool next);
    Result<rt::SoftEvidence> soft(const EventAtom& atom, Span span);
    Result<rt::Label> label_for(rt::VarId id, const Value& value, Span span, bool must_be_known, const Expr& written);
    Fault unknown_variable(const std::string& name, Span span);
    const rt::Variable& var(rt::VarId id) const { return model_.model->variables()[rt::index(id)].variable; }

    Evaluator& self_;
    const ModelValue& model_;
    Frame& frame_;
    rt::Query query_;
    std::vector<rt::VarId> open_doing_;
    bool star_ = false;
    std::vector<std::pair<rt::VarId, std::string>> through_space_;
};

}  // namespace credence::lang
