#pragma once
// The writer of derivations of queries on nets. net_explain.cpp has what every derivation begins with, net_explain_joint.cpp the sums of
// products and their quotients, net_explain_soft.cpp uncertain evidence.

#include <functional>

#include "runtime/nets/net_case.hpp"
#include "runtime/prob/derivation.hpp"

namespace credence::rt {

class NetExplainer {
public:
    NetExplainer(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run)
        : net_(net), variables_(variables), query_(query), answer_(answer), run_(run) {}

    Result<Derivation> explain();

private:
    /// A sum of products of table entries, in names and in numbers.
    struct Expansion {
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        std::vector<Slot> hidden;  // summed out
        double terms = 1;          // configurations of the hidden variables
        std::size_t zeros = 0;     // products left out because they are zero
    };
    /// The values of the targets, those of what is free in the evidence, and which pairs of them (targets first) are worth showing.
    struct Cases {
        std::vector<Pairs> cells;
        std::vector<Pairs> givens;
        std::vector<std::size_t> shown;
    };

    /// The most probable assignment is explained as the probability of that assignment.
    void become_event(const Assignment& best);
    bool has_evidence() const;
    Status write();
    void write_identity();
    void write_cut();
    /// The chain rule over the nodes that matter, with a sum over those the query does not name.
    std::string chain_rule() const;
    std::string names_of(std::span<const Slot> slots) const;
    bool is_named(Slot slot) const;
    bool targets_are_causes() const;
    /// One target variable, all its parents known, and nothing known below it: the answer stands in its table.
    bool is_table_entry() const;
    Cases cases() const;
    void note_cases_left_out(const Cases& cases);
    Status for_shown_cases(const std::function<Status(const Pairs& cell, const Pairs& given)>& tell);
    void write_case(const Pairs& cell, const Pairs& g);
    /// Events that hold in too many ways to list: the two sums, and their quotient.
    Status write_sums();

    Result<Number> probability(const Pairs& event, const Pairs& given);
    Result<Number> total_probability(std::span<const Pairs> worlds);
    /// P(the events of the clause and these values), or given them: the engine adds up what is too long to write.
    Result<Number> added_up(Clause targets, Clause given, const Pairs& event, const Pairs& known);
    /// P(assignment) as a sum of products of table entries; the hidden variables are those above the assigned ones.
    Expansion expand(const Pairs& assignment) const;
    /// The calculation of the probability of a few disjoint assignments.
    Status write_joint(std::span<const Pairs> worlds, const Number& value);
    /// Under do there is no name for the left side, so the product begins; in numbers where an entry's condition is impossible without do.
    Status begin_after_cut(std::span<const Pairs> worlds, std::span<const Parts> names, const Parts& in_numbers);
    std::string done_text() const;
    /// All cells of the targets under one configuration of the free evidence variables.
    Status write_given(const Pairs& g, std::span<const Pairs> cells, bool all_cells);
    std::vector<Pairs> worlds_of(const Pairs& cell, std::span<const Pairs> evidence) const;
    bool agrees_with_do(const Pairs& pairs) const;
    Status write_entries(const Pairs& evidence, std::span<const Pairs> cells);
    Status write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value);
    void write_quotient(const Pairs& cell, std::span<const Pairs> evidence, const Number& above, const Number& below);

    /// Uncertain evidence is taken up one item after the other, likelihoods first: the rule of the last one, with the others
    /// inside its terms.
    Status write_uncertain();
    Status write_uncertain_case(const SoftEvidence& soft, const Clause& rest, const Pairs& cell, const Pairs& g);
    void write_rule(const SoftEvidence& soft);
    /// Jeffrey's rule and virtual evidence, for one soft variable and simple evidence.
    Status write_soft();
    Status write_normalised(std::span<const Pairs> cells, std::span<const Number> weights, const SoftEvidence& soft, Slot y,
                            const Pairs& known);

    const Net& net_;
    const Variables& variables_;
    Query query_;
    const Answer& answer_;
    Run& run_;
    NetCase case_;
    std::vector<Pairs> target_ways_;
    std::vector<Pairs> evidence_ways_;
    DerivationWriter out_;
};

}  // namespace credence::rt
