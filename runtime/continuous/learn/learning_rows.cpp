#include "runtime/continuous/learn/learning_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace credence::rt::continuous {

namespace {

constexpr std::size_t most_completions = 4096;  ///< of one row
constexpr std::size_t most_exact_rows = 1000;   ///< beyond that fractions grow long and tell nobody anything
constexpr std::size_t most_exact_holes = 8;

/// Columns by node; null: hidden.
Result<std::vector<ColumnPtr>> columns_of(const ContinuousNet& net, const Table& table) {
    std::vector<ColumnPtr> out;
    bool any = false;
    for (const auto& node : net.nodes) {
        const std::string& name = node.variable.name;
        const auto found = table.find(name);
        out.push_back(found && node.kind != ContinuousNode::Kind::computed ? table.columns[*found] : nullptr);
        any = any || out.back();
        if (node.kind == ContinuousNode::Kind::computed) continue;
        if (node.is_vector())
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("{} is a list of numbers, and a net with one cannot be trained", name),
                         .origin = node.origin,
                         .hint = "data are evidence there: P(theta | t)"};
        if (node.variable.is_discrete()) continue;
        if (!found)
            return Fault{.code = "E-TRAIN",
                         .message = fmt::format("the table has no column {}, and numbers cannot stay hidden in training", name),
                         .hint = "labels may be hidden; a number that is never seen gets a prior, and data are evidence: P(X | t)"};
        if (out.back()->kind != ColumnKind::numeric)
            return Fault{.code = "E-TYPE", .message = fmt::format("{} is a number, and its column holds labels", name)};
    }
    if (!any) return Fault{.code = "E-TRAIN", .message = fmt::format("the table has no column of {}", net.name)};
    return out;
}

/// Computed nodes after what they are computed of.
std::vector<std::size_t> computed_order(const ContinuousNet& net) {
    std::vector<std::size_t> out;
    std::vector<char> known(net.nodes.size());
    for (std::size_t v = 0; v < known.size(); ++v) known[v] = net.nodes[v].kind != ContinuousNode::Kind::computed;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t v = 0; v < known.size(); ++v) {
            if (known[v]) continue;
            const auto parents = net.nodes[v].parents();
            if (!std::all_of(parents.begin(), parents.end(), [&](VarId p) { return known[index(p)]; })) continue;
            known[v] = 1;
            out.push_back(v);
            more = true;
        }
    }
    return out;
}

}  // namespace

Result<LearningRows> learning_rows(const ContinuousNet& net, const TableView& rows, std::span<const double> weights) {
    auto columns = TRY(columns_of(net, *rows.table));
    const std::size_t width = net.nodes.size();
    const RowValues value(net);
    const auto computed = computed_order(net);
    LearningRows out;
    out.width = width;
    std::vector<double> cells(width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        std::vector<std::size_t> hidden;
        std::size_t completions = 1;
        for (std::size_t v = 0; v < width; ++v) {
            const auto& node = net.nodes[v];
            const ColumnPtr& column = columns[v];
            if (node.kind == ContinuousNode::Kind::computed) continue;
            const bool missing = !column || column->is_missing(r);
            if (!node.variable.is_discrete()) {
                if (missing)
                    return Fault{.code = "E-MISSING",
                                 .message = fmt::format("{} is missing in row {}, and numbers cannot stay hidden in training",
                                                        node.variable.name, r + 1),
                                 .hint = "drop_missing(t) leaves such rows out"};
                cells[v] = column->values[r];
            } else if (missing) {
                cells[v] = 0;
                hidden.push_back(v);
                completions *= node.variable.size();
                if (completions > most_completions)
                    return Fault{.code = "E-COST",
                                 .message = fmt::format("the hidden labels of row {} can be completed in more than {} ways", r + 1,
                                                        most_completions)};
            } else {
                const auto code = node.variable.domain->find(truth_of_number(*node.variable.domain, column->label(r)));
                if (!code)
                    return Fault{.code = "E-LABEL",
                                 .message = fmt::format("{} has no value '{}', found in row {}", node.variable.name,
                                                        column->label(r).text(), r + 1)};
                cells[v] = static_cast<double>(*code);
            }
        }
        out.first.push_back(out.cells.size() / width);
        out.weights.push_back(weights.empty() ? 1.0 : weights[i]);
        out.complete = out.complete && hidden.empty();
        for (std::size_t w = 0; w < completions; ++w) {
            std::size_t rest = w;
            for (std::size_t k = hidden.size(); k-- > 0;) {
                const std::size_t size = net.nodes[hidden[k]].variable.size();
                cells[hidden[k]] = static_cast<double>(rest % size);
                rest /= size;
            }
            for (const auto v : computed) {
                cells[v] = value(net.nodes[v].value, cells, {});
                if (!net.nodes[v].variable.domain) continue;
                const auto code = net.nodes[v].variable.domain->find(Label::of_number(Number::real(cells[v])));
                cells[v] = code ? static_cast<double>(*code) : 0;
            }
            out.cells.insert(out.cells.end(), cells.begin(), cells.end());
        }
    }
    out.first.push_back(out.cells.size() / width);
    return out;
}

std::optional<std::vector<Rational>> exact_mean(const ContinuousNet& net, std::size_t v, const TableView& rows,
                                                std::span<const double> weights) {
    const auto& node = net.nodes[v];
    const auto holes = holes_of(node.parameters[0], net.nodes.size());
    const bool one_spread = is_constant(node.parameters[1]) || node.parameters[1]->op == TermOp::variable;
    const bool parent_spread = one_spread && !is_constant(node.parameters[1]) && !has_holes(node.parameters[1], net.nodes.size());
    if (node.family != Family::normal || holes.empty() || holes.size() > most_exact_holes || !one_spread || parent_spread ||
        rows.size() > most_exact_rows)
        return std::nullopt;
    auto columns = columns_of(net, *rows.table);
    if (!columns) return std::nullopt;
    auto used = node.parents();
    used.push_back(static_cast<VarId>(v));
    for (const auto id : used) {
        if (index(id) >= net.nodes.size()) continue;  // a hole
        const ColumnPtr& column = (*columns)[index(id)];
        if (!column || column->real) return std::nullopt;
    }

    // Normal equations A h = b, in fractions.
    const std::size_t k = holes.size();
    std::vector<std::vector<Rational>> a(k, std::vector<Rational>(k + 1));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows.row(i);
        // The mean with one hole at 1 and the others at 0; `k`: all at 0.
        const auto mean_with = [&](std::size_t one) -> std::optional<Rational> {
            const Term here = rewrite(node.parameters[0], [&](const TermNode& leaf) -> Term {
                const std::size_t p = index(leaf.variable);
                if (p >= net.nodes.size()) return constant_term(one < k && holes[one] == p - net.nodes.size() ? 1 : 0);
                const auto& column = *(*columns)[p];
                return leaf_value(leaf, net.nodes[p].variable.is_discrete() ? Outcome(column.label(r)) : Outcome(column.number(r)));
            });
            if (!is_constant(here) || !here->value.is_exact()) return std::nullopt;
            return here->value.exact();
        };
        const auto base = mean_with(k);
        if (!base) return std::nullopt;
        const Rational y = (*columns)[v]->number(r).exact() - *base;
        const Rational weight = weights.empty() ? Rational(1) : Rational::from_decimal(weights[i]);
        std::vector<Rational> f;
        for (std::size_t j = 0; j < k; ++j) {
            const auto with = mean_with(j);
            if (!with) return std::nullopt;
            f.push_back(*with - *base);
        }
        for (std::size_t p = 0; p < k; ++p) {
            for (std::size_t q = 0; q < k; ++q) a[p][q] += weight * f[p] * f[q];
            a[p][k] += weight * f[p] * y;
        }
    }
    for (std::size_t p = 0; p < k; ++p) {
        std::size_t pivot = p;
        while (pivot < k && a[pivot][p].is_zero()) ++pivot;
        if (pivot == k) return std::nullopt;
        std::swap(a[p], a[pivot]);
        for (std::size_t q = 0; q < k; ++q) {
            if (q == p || a[q][p].is_zero()) continue;
            const Rational ratio = a[q][p] / a[p][p];
            for (std::size_t c = p; c <= k; ++c) a[q][c] -= ratio * a[p][c];
        }
    }
    std::vector<Rational> out;
    for (std::size_t p = 0; p < k; ++p) out.push_back(a[p][k] / a[p][p]);
    return out;
}

}  // namespace credence::rt::continuous
