#pragma once
// The writer of derivations of queries on nets. net_explain.cpp has what every derivation begins with, net_explain_joint.cpp the sums of
// products and their quotients.

#include <functional>

#include "runtime/nets/net_case.hpp"
#include "runtime/prob/queries/derivation.hpp"

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
    bool is_free(Slot slot) const;
    bool is_named(Slot slot) const;
    bool targets_are_causes() const;
    /// One target variable, all its parents known, and nothing known below it: the answer stands in its table.
    bool is_table_entry() const;
    Cases cases() const;
    void note_cases_left_out(const Cases& cases);
    Status for_shown_cases(const std::function<Status(const Pairs& cell, const Pairs& given)>& tell);
    /// Events that hold in too many ways to list: the two sums, and their quotient.
    Status write_sums();

    Result<Number> probability(const Pairs& event, const Pairs& given);
    Result<Number> total_probability(std::span<const Pairs> worlds);
    /// P(the events of the clause and these values), or given them: the engine adds up what is too long to write.
    Result<Number> added_up(Clause targets, Clause given, const Pairs& event, const Pairs& known);
    /// P(assignment) as a sum of products of table entries; the hidden variables are those above the assigned ones.
    Expansion expand(const Pairs& assignment) const;
    /// What is calculated, as it would be asked: P(targets, evidence), P(evidence), P(targets | evidence), in one case.
    enum class Side { joint, evidence, conditional };
    std::string asked_text(Side side, const Pairs& cell, const Pairs& g) const;
    /// The calculation of the probability of a few disjoint assignments; the heading says of what, where they are several or under do.
    Status write_joint(std::span<const Pairs> worlds, const Number& value, std::string heading);
    /// The products, in numbers only where an entry's condition is impossible without do.
    Status begin_after_cut(std::span<const Parts> names, const Parts& in_numbers);
    /// All cells of the targets under one configuration of the free evidence variables.
    Status write_given(const Pairs& g, std::span<const Pairs> cells, bool all_cells);
    std::vector<Pairs> worlds_of(const Pairs& cell, std::span<const Pairs> evidence) const;
    bool agrees_with_do(const Pairs& pairs) const;
    Status write_entries(const Pairs& evidence, std::span<const Pairs> cells, const Pairs& g);
    Status write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value,
                          const Pairs& g);
    void write_quotient(const Pairs& cell, const Pairs& g, std::span<const Pairs> evidence, const Number& above, const Number& below);

    Status write_uncertain();

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
