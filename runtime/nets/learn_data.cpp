#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/data/columns.hpp"
#include "runtime/nets/learn.hpp"

namespace credence::rt {

namespace {

/// A column's cells as codes of the variable's domain.
Result<std::vector<std::int32_t>> codes_in(const Column& column, const Variable& variable, const TableView& rows) {
    std::vector<std::int32_t> of_code;
    if (column.kind == ColumnKind::label)
        for (const auto& label : column.domain->labels()) {
            const auto found = variable.domain->find(truth_of_number(*variable.domain, label));
            of_code.push_back(found ? static_cast<std::int32_t>(*found) : -2);
        }
    std::vector<std::int32_t> out(rows.size(), -1);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t r = rows.row(i);
        if (column.is_missing(r)) continue;
        if (column.kind == ColumnKind::label) {
            out[i] = of_code[static_cast<std::size_t>(column.codes[r])];
        } else {
            const auto found = variable.domain->find(truth_of_number(*variable.domain, column.label(r)));
            out[i] = found ? static_cast<std::int32_t>(*found) : -2;
        }
        if (out[i] == -2) {
            std::string known;
            for (const auto& label : variable.domain->labels()) known += (known.empty() ? "" : ", ") + label.text();
            return Fault{.code = "E-LABEL",
                         .message = fmt::format("{} has no value '{}' (row {})", variable.name, column.label(r).text(), r + 1),
                         .label = "its values are " + known};
        }
    }
    return out;
}

bool is_boolean(const Domain& domain) {
    return std::all_of(domain.labels().begin(), domain.labels().end(),
                       [](const Label& label) { return label.text() == "true" || label.text() == "false"; });
}

}  // namespace

Result<NetPtr> with_values_of(NetPtr net, const Table& table) {
    const auto is_open = [](const NetNode& node) { return !node.variable.is_discrete(); };
    if (std::none_of(net->nodes.begin(), net->nodes.end(), is_open)) return net;
    auto out = std::make_shared<Net>(*net);
    for (auto& node : out->nodes) {
        if (!is_open(node)) continue;
        const auto at = table.find(node.variable.name);
        const ColumnPtr column = at ? as_labels(table.columns[*at]) : nullptr;
        if (!column || column->domain->size() == 0)
            return Fault{.code = "E-DOMAIN",
                         .message = fmt::format("the values of {} are not known", node.variable.name),
                         .label = column ? "its column is empty" : "the data have no column of this name",
                         .hint = fmt::format("write {} in {{…}} : ?", node.variable.name)};
        node.variable.domain = is_boolean(*column->domain) ? boolean_domain() : column->domain;
    }
    return NetPtr(std::move(out));
}

Result<NetData> net_data(const Net& net, const TableView& rows, std::span<const double> weights) {
    NetData out;
    out.variables = net.nodes.size();
    std::vector<std::vector<std::int32_t>> columns;
    std::size_t found_columns = 0;
    for (const auto& node : net.nodes) {
        const auto at = rows.table->find(node.variable.name);
        out.hidden.push_back(!at);
        if (!at) {
            columns.emplace_back();
            continue;
        }
        ++found_columns;
        auto codes = TRY(codes_in(*rows.table->columns[*at], node.variable, rows));
        columns.push_back(std::move(codes));
    }
    if (found_columns == 0) return Fault{.code = "E-TRAIN", .message = fmt::format("no column of the table is a variable of {}", net.name)};
    std::unordered_map<std::string, std::uint32_t> seen;
    std::vector<std::int32_t> row(out.variables);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t v = 0; v < out.variables; ++v) row[v] = columns[v].empty() ? -1 : columns[v][i];
        const std::string key(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(std::int32_t));
        const auto [place, is_new] = seen.emplace(key, static_cast<std::uint32_t>(out.weights.size()));
        const double w = weights.empty() ? 1.0 : weights[i];
        if (is_new) {
            out.codes.insert(out.codes.end(), row.begin(), row.end());
            out.weights.push_back(w);
        } else {
            out.weights[place->second] += w;
        }
        out.total += w;
    }
    out.holes.assign(out.variables, 0);
    for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t v = 0; v < out.variables; ++v) out.holes[v] = out.holes[v] || out.row(r)[v] < 0;
    for (std::size_t v = 0; v < out.variables; ++v)
        if (std::all_of(columns[v].begin(), columns[v].end(), [](std::int32_t c) { return c < 0; })) out.hidden[v] = 1;
    return out;
}

bool is_learned(const NetNode& node, std::size_t row) { return node.hole && (node.known.empty() || !node.known[row]); }

std::size_t row_at(const Net& net, std::size_t node, std::span<const std::int32_t> codes) {
    std::size_t row = 0;
    for (const auto parent : net.nodes[node].parents)
        row = row * net.nodes[index(parent)].variable.size() + static_cast<std::size_t>(codes[index(parent)]);
    return row;
}

NetTables start_tables(const Net& net, Rng* jitter) {
    NetTables out;
    out.offset.push_back(0);
    for (const auto& node : net.nodes) {
        const std::size_t k = node.variable.size();
        std::size_t rows = 1;
        for (const auto parent : node.parents) rows *= net.nodes[index(parent)].variable.size();
        for (std::size_t r = 0; r < rows; ++r) {
            const bool learned = is_learned(node, r);
            const std::size_t begin = out.values.size();
            double sum = 0;
            for (std::size_t j = 0; j < k; ++j) {
                out.values.push_back(!learned ? node.entry(r * k + j).real() : jitter ? 1 + jitter->uniform() : 1.0);
                sum += out.values.back();
            }
            for (std::size_t j = 0; learned && j < k; ++j) out.values[begin + j] /= sum;
        }
        out.offset.push_back(out.values.size());
    }
    return out;
}

std::shared_ptr<Net> with_tables(const Net& net, const NetTables& tables) {
    auto out = std::make_shared<Net>(net);
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        NetNode& node = out->nodes[v];
        if (!node.hole) continue;
        const auto table = tables.of(v);
        node.table = std::vector<double>(table.begin(), table.end());
        node.hole = false;
        node.known.clear();
    }
    return out;
}

}  // namespace credence::rt
