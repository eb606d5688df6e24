#pragma once
// Learning a net's tables: by counting, by EM, by gradient ascent. What they share is the data; expected_counts.hpp has the E-step.

#include <memory>
#include <span>
#include <vector>

#include "runtime/prob/declared/net.hpp"

namespace credence::rt {

class DerivationWriter;

/// Rows as codes of the net's variables, equal ones together.
struct NetData {
    std::size_t variables = 0;
    std::vector<std::int32_t> codes;  ///< row by row; −1 missing
    std::vector<double> weights;      ///< of each distinct row
    std::vector<char> hidden;         ///< by variable: never seen
    std::vector<char> holes;          ///< by variable: missing in some row
    double total = 0;

    std::size_t rows() const { return weights.size(); }
    std::span<const std::int32_t> row(std::size_t r) const { return std::span(codes).subspan(r * variables, variables); }
};
/// The net with the values of its variables: those of a hole that were left to the data are the labels of its column.
Result<NetPtr> with_values_of(NetPtr net, const Table& table);

/// Columns are found by name; a variable without a column is hidden. E-LABEL if a cell is not a value of its variable, E-TRAIN if the
/// table has no column of the net at all.
Result<NetData> net_data(const Net& net, const TableView& rows, std::span<const double> weights);

/// Tables as doubles, all nodes in one array.
struct NetTables {
    std::vector<double> values;
    std::vector<std::size_t> offset;  ///< by node
    std::span<double> of(std::size_t node) { return std::span(values).subspan(offset[node], offset[node + 1] - offset[node]); }
    std::span<const double> of(std::size_t node) const { return std::span(values).subspan(offset[node], offset[node + 1] - offset[node]); }
};
/// Given rows as they are, holes uniform, or uniform with a jitter.
NetTables start_tables(const Net& net, Rng* jitter);
/// The net with the tables in place of its holes.
std::shared_ptr<Net> with_tables(const Net& net, const NetTables& tables);
bool is_learned(const NetNode& node, std::size_t row);  ///< whether that row of the node's table is a hole
std::size_t row_at(const Net& net, std::size_t node,
                   std::span<const std::int32_t> codes);  ///< the row of its table; the parents are observed

/// The rows of each configuration of a node's parents by its value; those that leave some of the family open are left out.
std::vector<double> family_counts(const Net& net, const NetData& data, std::size_t v, std::size_t configurations_count);

/// What the entries of a net come from: n(x, u) of each table, counted or expected.
struct LearnedFrom {
    std::vector<std::vector<double>> counts;  ///< by node
    std::string_view sign = "n";              ///< what they are called
};
LearnedFrom counted_from(const Net& net, const NetData& data);
LearnedFrom expected_from(const NetTables& counts);
/// The entries in place of the holes of `before`, with what they were computed from where that is known.
void tell_learned(const Net& before, const Net& net, const LearnedFrom* from, DerivationWriter& out);
/// Of rows with missing cells, where they are few: the probabilities of what is missing under these tables.
Status tell_missing(const Net& net, const NetTables& tables, const NetData& data, DerivationWriter& out, Run& run);
/// A step of gradient ascent, entry by entry: the slope, the entry moved along it, and what makes the row sum to 1 again.
void tell_climb(const Net& net, const NetTables& now, std::span<const double> counts, const NetTables& next, double rate, bool textbook,
                DerivationWriter& out);

/// A learner that fills the holes of the net: counting(m), em(…) or gradient(…); without a name, counting where the data are complete.
Result<LearnerPtr> net_trainer(NetPtr net, const MethodCall& by);

}  // namespace credence::rt
