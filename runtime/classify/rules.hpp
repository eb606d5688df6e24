#pragma once
// Rules read off a tree, pruned one by one and put in order (Quinlan 1987; Mitchell 1997, 3.7.1.2).

#include <optional>

#include "runtime/classify/tree.hpp"

namespace credence::rt {

struct RuleCondition {
    enum class Kind { is, is_not, at_most, above };
    std::int32_t column = 0;
    Kind kind = Kind::is;
    std::int32_t label = -1;
    double threshold = 0;

    bool holds(const Column& in, std::size_t row) const;  ///< a missing cell meets no condition
    friend bool operator==(const RuleCondition&, const RuleCondition&) = default;
};

struct Rule {
    std::vector<RuleCondition> conditions;  ///< all must hold
    std::int32_t label = 0;                 ///< what it concludes
    std::vector<double> counts;             ///< training rows that meet the conditions, by label
    double accuracy = 0;                    ///< estimated: see pruned_rules; as read off a tree, among its rows
};

/// Tried in order; the rows that meet none get the label of the `otherwise` counts.
struct RuleList {
    std::vector<Rule> rules;
    std::vector<double> otherwise;
};

/// One round of pruning a rule: the rows it gets right as it is, and without each of its conditions.
struct RuleRound {
    struct Candidate {
        double right = 0;  ///< rows that meet the conditions and have the label
        double met = 0;
        double accuracy = 0;
    };
    Rule rule;  ///< as it is
    Candidate whole;
    std::vector<Candidate> without;      ///< of each condition
    std::optional<std::size_t> dropped;  ///< none: the rule stays, and the next round is of the next rule
};

/// One rule a leaf, in the order of the tree; several bounds on one number are one.
RuleList rules_of(const Tree& tree);

/// Conditions are dropped from each rule while its estimated accuracy does not fall; the rules are then sorted by it, and those leave the
/// list that cost training rows, or that the others make superfluous. The estimate is made
/// on `kept_back` rows where there are any: the share of the rows met that have the label. Else on the training rows, pessimistically:
/// 1 − U(errors, rows) with `pessimistic_error`. A rule that meets no row kept back has estimate 0.
RuleList pruned_rules(const Tree& tree, const TableView& rows, std::span<const double> weights, const TableView& kept_back,
                      std::span<const double> kept_weights, std::vector<RuleRound>* trace = nullptr);

/// C4.5's U: the error rate at which as few as `errors` among `rows` have chance 25 %.
double pessimistic_error(double errors, double rows);

/// The first rule whose conditions the row meets; none: rules.size().
std::size_t matching_rule(const RuleList& rules, const Table& table, std::size_t row);

/// The columns not given (one flag a feature) without which it is open whether the first rule that may apply does.
std::vector<std::size_t> columns_needed_by(const RuleList& rules, const Table& table, std::size_t row, std::span<const char> given);

std::string condition_text(const Schema& schema, const RuleCondition& condition);
std::string rule_text(const Schema& schema, const Rule& rule);  ///< "if Outlook = Sunny and Humidity = High then No"
std::string rules_text(const Schema& schema, const RuleList& rules);

}  // namespace credence::rt
