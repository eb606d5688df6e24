#pragma once
// The writer of derivations of queries on nets. net_explain.cpp has what every derivation begins with, net_explain_joint.cpp the sums of
// products and their quotients, net_explain_rows.cpp the same with lists, counts and tables.

#include "runtime/nets/net_case.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

class NetExplainer {
public:
    NetExplainer(const Net& net, const Variables& variables, const Query& query, const Answer& answer, Run& run)
        : net_(net), variables_(variables), query_(query), answer_(answer), run_(run) {}

    Result<Derivation> explain();

private:
    /// P of an assignment and of rows as a sum of products of table entries; those that are zero are left out.
    struct Expansion {
        std::vector<Product> products;
        std::vector<Slot> hidden;  // summed out
        double terms = 1;          // configurations of the hidden variables; where they are too many, nothing is written out
        std::size_t zeros = 0;
    };

    // net_explain.cpp
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
    std::vector<Slot> asked_slots() const;
    bool targets_are_causes() const;
    /// One target variable, all its parents known, and nothing known below it: the answer stands in its table.
    bool is_table_entry() const;
    /// Events that hold in too many ways to list: the two sums, and their quotient.
    Status write_sums();
    Status write_uncertain();

    // net_explain_joint.cpp
    /// P of a query in which nothing is free: the engine adds up what is too long to write.
    Result<Number> number(const Query& query) const;
    Result<Number> probability(const Pairs& event, const Pairs& given) const;
    Result<Number> total_probability(std::span<const Pairs> worlds) const;
    /// The hidden variables are those above the assigned ones and above what the rows share.
    Result<Expansion> expand(const Pairs& assignment, std::span<const RowGroup> rows = {}) const;
    Result<Product> product(std::span<const char> relevant, std::span<const std::int64_t> value, std::span<const RowGroup> rows) const;
    /// What is calculated, as it would be asked: P(targets, evidence), P(evidence), P(targets | evidence), in one case.
    enum class Side { joint, evidence, conditional };
    Query side(Side side, const Pairs& cell, const Pairs& g) const;
    std::string asked_text(Side of, const Pairs& cell, const Pairs& g) const { return query_text(side(of, cell, g), variables_); }
    /// P(a) + P(b) for disjoint assignments.
    Parts terms(std::span<const Pairs> events, const Pairs& given) const;
    /// The calculation of the probability of a few disjoint assignments; the heading says of what, where they are several or under do.
    Status write_joint(std::span<const Pairs> worlds, const Number& value, std::string heading);
    /// False where an entry's condition is impossible without do: then there are numbers only.
    Result<bool> can_be_asked(std::span<const Product> products) const;
    /// All cells of the targets under one configuration of the free evidence variables.
    Status write_given(const Pairs& g, std::span<const Pairs> cells, bool all_cells);
    std::vector<Pairs> worlds_of(const Pairs& cell, std::span<const Pairs> evidence) const;
    bool agrees_with_do(const Pairs& pairs) const;
    Status write_entries(const Pairs& evidence, std::span<const Pairs> cells, const Pairs& g);
    Status write_evidence(std::span<const Pairs> evidence, std::span<const Number> joint, bool all_cells, const Number& value,
                          const Pairs& g);
    void write_quotient(const Pairs& cell, const Pairs& g, std::span<const Pairs> evidence, const Number& above, const Number& below);

    // net_explain_rows.cpp
    Status write_rows();
    bool has_row_evidence() const;
    std::string shared_names() const;
    /// P of these values with the rows and events of the evidence, or of both sides: a sum, where it can be written out.
    Status write_side(Side side, const Pairs& values, const Number& value);

    const Net& net_;
    const Variables& variables_;
    Query query_;
    const Answer& answer_;
    Run& run_;
    NetCase case_;
    bool listed_ = false;  ///< all ways in which the events hold are
    std::vector<Pairs> target_ways_;
    std::vector<Pairs> evidence_ways_;
    DerivationWriter out_;
};

}  // namespace credence::rt
