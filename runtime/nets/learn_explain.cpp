// What `explain train` shows of the tables of a net: each entry with its counts.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/nets/learn.hpp"
#include "runtime/nets/net_ask.hpp"
#include "runtime/nets/net_rows.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

std::vector<double> family_counts(const Net& net, const NetData& data, std::size_t v, std::size_t configurations_count) {
    const NetNode& node = net.nodes[v];
    const std::size_t k = node.variable.size();
    std::vector<double> n(configurations_count * k, 0.0);
    for (std::size_t r = 0; r < data.rows(); ++r) {
        const auto codes = data.row(r);
        const bool whole =
            codes[v] >= 0 && std::all_of(node.parents.begin(), node.parents.end(), [&](VarId p) { return codes[index(p)] >= 0; });
        if (whole) n[row_at(net, v, codes) * k + static_cast<std::size_t>(codes[v])] += data.weights[r];
    }
    return n;
}

namespace {

std::string entry_name(const Net& net, std::size_t v, const Pairs& given, std::size_t value) {
    std::string u;
    for (const auto& [slot, known] : given)
        u += fmt::format("{}{} = {}", u.empty() ? " | " : ", ", net.nodes[slot].variable.name,
                         (*net.nodes[slot].variable.domain)[known].text());
    return fmt::format("P({} = {}{})", net.nodes[v].variable.name, (*net.nodes[v].variable.domain)[value].text(), u);
}

/// The configurations of a node's parents, in the order of its rows.
std::vector<Pairs> rows_of_table(const Net& net, std::size_t v) {
    std::vector<Slot> parents;
    Sizes sizes;
    for (const auto& n : net.nodes) sizes.push_back(n.variable.size());
    for (const auto p : net.nodes[v].parents) parents.push_back(static_cast<Slot>(index(p)));
    return configurations(parents, sizes);
}

}  // namespace

LearnedFrom counted_from(const Net& net, const NetData& data) {
    LearnedFrom out;
    for (std::size_t v = 0; v < net.nodes.size(); ++v) out.counts.push_back(family_counts(net, data, v, rows_of_table(net, v).size()));
    return out;
}

LearnedFrom expected_from(const NetTables& counts) {
    LearnedFrom out{.counts = {}, .sign = "E n"};
    for (std::size_t v = 0; v + 1 < counts.offset.size(); ++v) out.counts.emplace_back(counts.of(v).begin(), counts.of(v).end());
    return out;
}

void tell_learned(const Net& before, const Net& net, const LearnedFrom* from, DerivationWriter& out) {
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        if (!before.nodes[v].hole) continue;
        const NetNode& node = net.nodes[v];
        const std::size_t k = node.variable.size();
        const auto given = rows_of_table(net, v);
        for (std::size_t r = 0; r < given.size(); ++r) {
            if (!is_learned(before.nodes[v], r)) continue;
            double all = 0;
            for (std::size_t j = 0; j < k && from; ++j) all += from->counts[v][r * k + j];
            for (std::size_t j = 0; j < k; ++j) {
                const Number p = node.entry(r * k + j);
                const std::string share = p.is_exact() && !p.exact().is_integer() ? fmt::format("{} = {:.6g}", p.exact().text(), p.real())
                                                                                  : fmt::format("{:.6g}", p.real());
                out.note(fmt::format(
                    "  {}{} {}", entry_name(net, v, given[r], j),
                    from ? fmt::format(": {0}(x, u) = {1:.6g}, {0}(u) = {2:.6g},", from->sign, from->counts[v][r * k + j], all) : " =",
                    share));
            }
        }
    }
}

Status tell_missing(const Net& net, const NetTables& tables, const NetData& data, DerivationWriter& out, Run& run) {
    constexpr std::size_t most_cases = 8;
    if (data.rows() > longest_sum) return Done{};
    const auto filled = with_tables(net, tables);
    const Variables variables = variables_of(*filled);
    for (std::size_t r = 0; r < data.rows(); ++r) {
        Query query;
        std::string known;
        std::size_t cases = 1;
        for (std::size_t v = 0; v < net.nodes.size(); ++v) {
            const auto code = data.row(r)[v];
            const Variable& variable = filled->nodes[v].variable;
            if (code < 0) {
                query.targets.free.push_back(static_cast<VarId>(v));
                cases *= variable.size();
                continue;
            }
            const Label& label = (*variable.domain)[static_cast<std::size_t>(code)];
            query.given.events.push_back(event_equal(static_cast<VarId>(v), label, Origin::none));
            known += fmt::format("{}{} = {}", known.empty() ? "" : ", ", variable.name, label.text());
        }
        if (query.targets.free.empty() || cases > most_cases) continue;
        auto answer = TRY(ask_net(*filled, variables, query, run));
        const auto& factor = std::get<Factor>(answer.value);
        std::string shares;
        for (std::size_t i = 0; i < factor.size(); ++i) {
            std::string values;
            for (std::size_t k = 0; k < factor.variables().size(); ++k)
                values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", factor.variables()[k].name, factor.labels(i)[k].text());
            shares += fmt::format("{}P({} | row) = {:.6g}", shares.empty() ? "" : ", ", values, factor.at(i).real());
        }
        out.note(fmt::format("  {}{}: {}", known.empty() ? "nothing seen" : known,
                             data.weights[r] == 1 ? "" : fmt::format(" ({:.6g} times)", data.weights[r]), shares));
    }
    return Done{};
}

void tell_climb(const Net& net, const NetTables& now, std::span<const double> counts, const NetTables& next, double rate, bool textbook,
                DerivationWriter& out) {
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const std::size_t k = net.nodes[v].variable.size();
        const auto given = rows_of_table(net, v);
        for (std::size_t r = 0; net.nodes[v].hole && r < given.size(); ++r) {
            if (!is_learned(net.nodes[v], r)) continue;
            double sum = 0;
            for (std::size_t j = 0; j < k; ++j) {
                const std::size_t at = now.offset[v] + r * k + j;
                sum += now.values[at] + rate * counts[at] / now.values[at];
            }
            for (std::size_t j = 0; j < k; ++j) {
                const std::size_t at = now.offset[v] + r * k + j;
                const double w = now.values[at];
                const double moved = w + rate * counts[at] / w;
                out.note(fmt::format(
                    "  {}: slope {:.6g} / {:.6g} = {:.6g}; {:.6g} + {:.6g} * {:.6g} = {:.6g}, {} {:.6g}", entry_name(net, v, given[r], j),
                    counts[at], w, counts[at] / w, w, rate, counts[at] / w, moved,
                    textbook ? fmt::format("divided by their sum {:.6g}:", sum) : "moved to where the row sums to 1:", next.values[at]));
            }
        }
    }
}

}  // namespace credence::rt
