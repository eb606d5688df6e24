// Lists, counts and tables as evidence for nets, against sums written out: over what the rows share, and within each row over the rest.

#include <catch2/catch.hpp>

#include "tests/support/nets.hpp"

using namespace credence::test;

namespace {

using Cells = std::vector<std::pair<std::size_t, std::size_t>>;  // node and value

/// Brute force that knows nothing of factors.
class RowsByHand {
public:
    RowsByHand(const Net& net, const std::vector<std::size_t>& observed) : net_(net), by_row_(net.nodes.size(), false) {
        for (const auto n : observed) by_row_[n] = true;
        for (std::size_t pass = 0; pass < net.nodes.size(); ++pass)
            for (std::size_t i = 0; i < net.nodes.size(); ++i)
                for (const auto parent : net.nodes[i].parents) by_row_[i] = by_row_[i] || by_row_[index(parent)];
    }
    bool by_row(std::size_t n) const { return by_row_[n]; }

    /// The probability of all rows, and of these values of shared variables.
    Rational joint(const std::vector<Cells>& rows, const Cells& shared = {}) {
        value_.assign(net_.nodes.size(), 0);
        return sum(0, false, shared, rows);
    }

private:
    Rational entry(std::size_t n) const {
        std::size_t at = 0;
        for (const auto parent : net_.nodes[n].parents) at = at * net_.nodes[index(parent)].variable.size() + value_[index(parent)];
        return std::get<std::vector<Rational>>(net_.nodes[n].table)[at * net_.nodes[n].variable.size() + value_[n]];
    }
    // Nodes come after their parents.
    Rational sum(std::size_t n, bool in_row, const Cells& fixed, const std::vector<Cells>& rows) {
        while (n < net_.nodes.size() && by_row_[n] != in_row) ++n;
        if (n == net_.nodes.size()) {
            Rational product = 1;
            if (!in_row)
                for (const auto& row : rows) product *= sum(0, true, row, {});
            return product;
        }
        Rational total;
        for (std::size_t v = 0; v < net_.nodes[n].variable.size(); ++v) {
            bool agrees = true;
            for (const auto& [node, value] : fixed) agrees = agrees && (node != n || value == v);
            if (!agrees) continue;
            value_[n] = v;
            const Rational here = entry(n);
            if (!here.is_zero()) total += here * sum(n + 1, in_row, fixed, rows);
        }
        return total;
    }

    const Net& net_;
    std::vector<bool> by_row_;
    std::vector<std::size_t> value_;
};

Label label(std::size_t v) { return Label::of_text(std::to_string(v)); }

}  // namespace

TEST_CASE("rows of data give a net the same answers as sums written out") {
    std::mt19937 random(20240613);
    const auto below = [&](std::size_t k) { return static_cast<std::size_t>(random() % k); };
    std::size_t compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const NetPtr net = random_net(random, 5, trial % 3 == 0);
        std::vector<std::size_t> observed{below(5)};
        if (below(2) == 0) observed.push_back((observed[0] + 1 + below(4)) % 5);
        RowsByHand by_hand(*net, observed);
        const auto model = make_net_model(net);
        const std::size_t count = 1 + below(4);
        std::vector<Cells> rows(count);
        Query query;
        const bool as_table = below(2) == 0;
        std::vector<ColumnPtr> columns;
        for (const auto n : observed) {
            Observations list{.variable = static_cast<VarId>(n), .values = {}};
            ColumnBuilder column(net->nodes[n].variable.name);
            for (std::size_t r = 0; r < count; ++r) {
                if (as_table && below(4) == 0) {
                    column.add_missing();
                    continue;
                }
                const std::size_t v = below(net->nodes[n].variable.size());
                rows[r].emplace_back(n, v);
                list.values.push_back(label(v));
                column.add(label(v));
            }
            if (!as_table && observed.size() == 1 && below(2) == 0) list.counts.assign(count, 1);
            if (!as_table) query.given.observations.push_back(std::move(list));
            columns.push_back(*std::move(column).finish(ColumnKind::label));
        }
        if (as_table) {
            Table table;
            table.columns = columns;
            table.row_count = count;
            query.given.data.push_back({std::make_shared<const Table>(std::move(table))});
        }
        const Rational evidence = by_hand.joint(rows);
        credence::rt::Run run;
        Query data;
        data.targets = query.given;
        for (const char* engine : {"exact", "enumeration", "junction_tree"}) {
            data.by.name = query.by.name = engine;
            const auto p = model->ask(data, run);
            REQUIRE(p);
            CHECK(number(*p) == Number(evidence));
            if (evidence.is_zero()) continue;
            for (std::size_t n = 0; n < 5; ++n) {
                // one that the rows share, or one more draw
                const bool next = by_hand.by_row(n);
                query.targets.free = {static_cast<VarId>(next ? n + 5 : n)};
                const auto answer = model->ask(query, run);
                REQUIRE(answer);
                for (std::size_t v = 0; v < net->nodes[n].variable.size(); ++v) {
                    auto with = rows;
                    if (next) with.push_back({{n, v}});
                    const Rational joint = next ? by_hand.joint(with) : by_hand.joint(rows, {{n, v}});
                    CHECK(factor(*answer).at(v) == Number(joint / evidence));
                    ++compared;
                }
            }
        }
    }
    CHECK(compared > 5000);
}
