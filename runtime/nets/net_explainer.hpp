#pragma once
// Nets for the explainer. net_explain.cpp has what every derivation begins with, net_explain_products.cpp the sums of products of table
// entries, net_explain_rows.cpp those with lists, counts and tables.

#include "runtime/nets/net_case.hpp"
#include "runtime/prob/queries/explainer.hpp"

namespace credence::rt {

/// A query on a net. As it is, what it asks is too long to write, and the engine adds it up.
class NetExplained : public Explained {
public:
    NetExplained(const Net& net, const Variables& variables, Query query, const Answer& answer, NetCase digested, Run& run)
        : Explained(variables, std::move(query), answer), net_(net), case_(std::move(digested)), run_(run) {}

    Result<Number> number(const Query& query) const override;
    QueryCases cases() const override { return query_cases(case_.shape, case_.sizes, answer_); }
    bool is_conditional() const override { return !query_.given.events.empty() || !case_.shape.given.empty(); }
    Status write_identity(DerivationWriter& out) const override;

protected:
    /// P of an assignment and of rows as a sum of products of table entries; those that are zero are left out.
    struct Expansion {
        std::vector<Product> products;
        std::vector<Slot> hidden;  // summed out
        double terms = 1;          // configurations of the hidden variables; where they are too many, nothing is written out
        std::size_t zeros = 0;
    };

    void write_cut(DerivationWriter& out) const;
    Result<Number> probability(const Pairs& event, const Pairs& given) const;
    /// The hidden variables are those above the assigned ones and above what the rows share.
    Result<Expansion> expand(const Pairs& assignment, std::span<const RowGroup> rows = {}) const;
    std::string names_of(std::span<const Slot> slots) const;

    const Net& net_;
    NetCase case_;
    Run& run_;

private:
    Result<Product> product(std::span<const char> relevant, std::span<const std::int64_t> value, std::span<const RowGroup> rows) const;
};

/// Every way in which the events of a query hold.
struct NetWays {
    std::vector<Pairs> target;
    std::vector<Pairs> evidence;
};

/// Events that hold in a few ways, with single values alone: sums of products of table entries.
class NetProducts : public NetExplained {
public:
    NetProducts(NetExplained base, NetWays ways) : NetExplained(std::move(base)), ways_(std::move(ways)) {}

    Status write_identity(DerivationWriter& out) const override;
    Attempt<Calculations> entries(std::span<const Pairs> targets, const Pairs& given) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;
    Attempt<Calculations> evidence(const Pairs& given, std::span<const Number> joints) const override;
    Calculation quotient(const Pairs& target, const Pairs& given, const Number& above, const Number& below) const override;

private:
    /// The chain rule over the nodes that matter, with a sum over those the query does not name.
    std::string chain_rule() const;
    bool is_free(Slot slot) const;
    bool is_named(Slot slot) const;
    std::vector<Slot> asked_slots() const;
    bool targets_are_causes() const;
    /// One target variable, all its parents known, and nothing known below it: the answer is in its table.
    bool is_table_entry() const;
    std::vector<Pairs> evidence_at(const Pairs& given) const;
    bool agrees_with_do(const Pairs& pairs) const;
    Result<Number> total_probability(std::span<const Pairs> worlds) const;
    /// P(a) + P(b) for disjoint assignments.
    Parts terms(std::span<const Pairs> events, const Pairs& given) const;
    Result<Calculations> table_entries(const Pairs& evidence, std::span<const Pairs> targets, const Pairs& given) const;
    /// The events of these clauses that are more than X = v.
    std::string where(std::initializer_list<const Clause*> clauses) const;
    /// The probability of a few disjoint assignments, those in which the event `where` holds; the heading says of what, where they are
    /// several or under do.
    Result<Calculation> sum_of_products(std::span<const Pairs> worlds, std::string heading, const std::string& where) const;
    /// What the entries of noisy-or tables in these products are computed from; each is told once.
    std::vector<std::string> noisy_entries(std::span<const Product> products) const;
    /// False where an entry's condition is impossible without do: then there are numbers only.
    Result<bool> can_be_asked(std::span<const Product> products) const;

    NetWays ways_;
    mutable std::vector<std::string> noisy_told_;
};

/// Lists, counts and tables: rows are independent given what they share, so their probabilities multiply, and equal ones make a power.
class NetRowProducts : public NetExplained {
public:
    NetRowProducts(NetExplained base, std::optional<NetWays> ways) : NetExplained(std::move(base)), ways_(std::move(ways)) {}

    bool follows_soft_rule() const override { return false; }
    bool is_conditional() const override;
    Status write_identity(DerivationWriter& out) const override;
    Result<Calculation> joint(const Pairs& target, const Pairs& given) const override;
    Attempt<Calculations> evidence(const Pairs& given, std::span<const Number> joints) const override;

private:
    std::string shared_names() const;
    /// P of these values with the rows and events of one side: a sum, where it can be written out.
    Result<Calculation> sum_over_ways(const Pairs& values, std::span<const RowGroup> rows, std::span<const Pairs> targets,
                                      const Query& asked) const;

    std::optional<NetWays> ways_;  ///< where they can be listed
};

}  // namespace credence::rt
