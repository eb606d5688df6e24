// The tree with the fewest tests among those that get every row right: Occam's razor taken at its word, by brute force.

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/classify/tree_model.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

namespace {

using RowSet = std::uint64_t;  ///< a bit a row

constexpr std::size_t most_rows_searched = 64;
constexpr std::size_t most_tries = 20'000'000;

/// A test, and the rows that take each of its branches.
struct CandidateTest {
    TreeNode node;
    std::vector<RowSet> branches;
};

class ShortestSearch {
public:
    ShortestSearch(std::vector<CandidateTest> tests, std::vector<RowSet> of_label)
        : tests_(std::move(tests)), of_label_(std::move(of_label)) {}

    bool pure(RowSet rows) const {
        return std::any_of(of_label_.begin(), of_label_.end(), [&](RowSet label) { return (rows & ~label) == 0; });
    }

    /// The fewest tests that separate the labels of these rows, if at most `limit` do. What was found holds for the next call with the
    /// same rows: trees of 0, 1, 2 … tests are tried once each.
    std::optional<std::size_t> fewest(RowSet rows, std::size_t limit) {
        if (pure(rows)) return 0;
        Known& known = known_[rows];
        if (known.test) return known.tests <= limit ? std::optional(known.tests) : std::nullopt;
        for (std::size_t n = known.tests; n <= limit; ++n) {
            for (std::size_t t = 0; t < tests_.size() && !over_budget(); ++t)
                if (separates(rows, tests_[t], n - 1)) {
                    Known& found = known_[rows];
                    found.test = t;
                    found.tests = n;
                    return n;
                }
            if (over_budget()) return std::nullopt;
            known_[rows].tests = n + 1;
        }
        return std::nullopt;
    }
    bool over_budget() const { return tries_ > most_tries; }
    const CandidateTest& test_at(RowSet rows) const { return tests_[*known_.at(rows).test]; }

private:
    struct Known {
        std::size_t tests = 1;  ///< as many, where a test is known; else fewer do not suffice
        std::optional<std::size_t> test;
    };
    bool separates(RowSet rows, const CandidateTest& test, std::size_t left) {
        ++tries_;
        for (const RowSet branch : test.branches)
            if ((branch & rows) == rows) return false;
        for (const RowSet branch : test.branches) {
            const auto used = fewest(branch & rows, left);
            if (!used) return false;
            left -= *used;
        }
        return true;
    }
    std::vector<CandidateTest> tests_;
    std::vector<RowSet> of_label_;
    std::unordered_map<RowSet, Known> known_;
    std::size_t tries_ = 0;
};

std::vector<CandidateTest> all_tests(std::span<const ColumnPtr> columns, const TableView& view) {
    std::vector<CandidateTest> out;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = *columns[c];
        CandidateTest test;
        test.node.column = static_cast<std::int32_t>(c);
        const auto add = [&](std::size_t branches) {
            test.node.branches = static_cast<std::uint32_t>(branches);
            test.branches.assign(branches, 0);
            for (std::size_t i = 0; i < view.size(); ++i) test.branches[branch_of(test.node, column, view.row(i))] |= RowSet{1} << i;
            out.push_back(test);
        };
        if (column.kind == ColumnKind::label) {
            add(column.domain->size());
            continue;
        }
        std::vector<double> values;
        for (std::size_t i = 0; i < view.size(); ++i) values.push_back(column.values[view.row(i)]);
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            test.node.threshold = values[i] + (values[i + 1] - values[i]) / 2;
            add(2);
        }
    }
    return out;
}

class ShortestTree final : public Learner {
public:
    std::string_view name() const override { return "shortest_tree"; }
    TargetKind target() const override { return TargetKind::label; }
    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run&) const override {
        const auto columns = feature_columns(*rows.table);
        if (rows.size() > most_rows_searched)
            return Fault{.code = "E-COST",
                         .message = fmt::format("shortest_tree tries all trees and takes at most {1} rows, found {0}", rows.size(),
                                                most_rows_searched),
                         .hint = "train id3() on the table: its greedy search prefers short trees too"};
        if (complete_rows(columns, rows).size() != rows.size())
            return Fault{.code = "E-MISSING",
                         .message = "shortest_tree needs every cell",
                         .hint = "drop_missing(t), or train id3(missing: fractional) on it"};
        const Column& target = *rows.table->columns[*rows.table->target];
        std::vector<RowSet> of_label(target.domain->size(), 0);
        for (std::size_t i = 0; i < rows.size(); ++i) of_label[static_cast<std::size_t>(target.codes[rows.row(i)])] |= RowSet{1} << i;
        const RowSet all = rows.size() == 64 ? ~RowSet{0} : (RowSet{1} << rows.size()) - 1;
        auto tests = all_tests(columns, rows);
        ShortestSearch search(std::move(tests), of_label);
        if (!search.fewest(all, rows.size())) {
            if (search.over_budget())
                return Fault{.code = "E-COST",
                             .message = fmt::format("no tree was found among the {} tests tried", most_tries),
                             .hint = "fewer rows or columns, or id3()"};
            return Fault{.code = "E-TRAIN", .message = "no tree classifies every row correctly: two equal rows have different labels"};
        }
        return ModelPtr(std::make_shared<const DecisionTree>(schema_of(*rows.table), rows.size(),
                                                             built(search, all, of_label, columns, weights), std::nullopt));
    }

private:
    static Tree built(const ShortestSearch& search, RowSet all, std::span<const RowSet> of_label, std::span<const ColumnPtr> columns,
                      std::span<const double> weights) {
        Tree out;
        out.labels = of_label.size();
        for (const auto& c : columns) {
            out.numeric.push_back(c->kind == ColumnKind::numeric);
            std::vector<double> values = c->values;
            std::sort(values.begin(), values.end());
            const auto distinct = static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
            out.choices.push_back(out.numeric.back() ? distinct - 1 : c->domain->size());
        }
        std::vector<RowSet> sets{all};
        out.nodes.emplace_back();
        out.counts.resize(out.labels);
        std::vector<std::size_t> parent{0};
        for (std::size_t n = 0; n < out.nodes.size(); ++n) {
            for (std::size_t k = 0; k < out.labels; ++k)
                for (RowSet left = sets[n] & of_label[k]; left != 0; left &= left - 1) {
                    const double w = weights.empty() ? 1 : weights[static_cast<std::size_t>(std::countr_zero(left))];
                    out.counts[n * out.labels + k] += w;
                    out.nodes[n].weight += w;
                }
            const auto begin = out.counts.begin() + static_cast<std::ptrdiff_t>(n * out.labels);
            if (sets[n] == 0) std::copy_n(out.counts.begin() + static_cast<std::ptrdiff_t>(parent[n] * out.labels), out.labels, begin);
            out.nodes[n].majority =
                static_cast<std::int32_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(out.labels)) - begin);
            if (sets[n] == 0 || search.pure(sets[n])) continue;
            const CandidateTest& test = search.test_at(sets[n]);
            const auto first = static_cast<std::uint32_t>(out.nodes.size());
            out.nodes[n].column = test.node.column;
            out.nodes[n].threshold = test.node.threshold;
            out.nodes[n].first = first;
            out.nodes[n].branches = test.node.branches;
            for (const RowSet branch : test.branches) {
                sets.push_back(branch & sets[n]);
                parent.push_back(n);
                out.nodes.emplace_back();
                out.counts.resize(out.counts.size() + out.labels);
            }
        }
        return out;
    }
};

}  // namespace

LearnerPtr make_shortest_tree() { return std::make_shared<const ShortestTree>(); }

}  // namespace credence::rt
