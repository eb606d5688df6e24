// What nets show: the table of each node.

#include <fmt/format.h>

#include "runtime/nets/markov.hpp"
#include "runtime/nets/noisy.hpp"
#include "runtime/prob/declared/net.hpp"
#include "runtime/prob/models/model_parts.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t most_entries = 10'000;  // of a table that is worth a copy

std::size_t entries_of(const std::variant<std::vector<Rational>, std::vector<double>>& table) {
    return std::visit([](const auto& values) { return values.size(); }, table);
}

Factor shown_table(std::vector<Variable> variables, const std::variant<std::vector<Rational>, std::vector<double>>& table) {
    return std::visit([&](const auto& values) { return Factor(std::move(variables), values); }, table);
}

/// How many nodes from this one on are of one plate and have the same table: X[1], X[2], …
std::size_t alike_from(const Net& net, std::size_t first) {
    const auto& node = net.nodes[first];
    const std::size_t bracket = node.variable.name.find('[');
    if (bracket == std::string::npos) return 1;
    std::size_t n = 1;
    for (; first + n < net.nodes.size(); ++n) {
        const auto& other = net.nodes[first + n];
        const bool same_plate = other.variable.name.substr(0, bracket + 1) == node.variable.name.substr(0, bracket + 1);
        if (!same_plate || other.parents != node.parents || other.table != node.table || other.hole != node.hole) break;
        if (!other.variable.domain || !node.variable.domain || !(*other.variable.domain == *node.variable.domain)) break;
    }
    return n;
}

/// "noisy_or(leak: 0.1, Flu: 0.8)": what a node computed step by step was declared or learned as.
std::optional<std::string> noisy_text(const Net& net, const std::string& name) {
    constexpr std::size_t most_shown = 40;
    const auto noisy = noisy_strengths(net, *net.find(name));
    if (!noisy) return std::nullopt;
    std::string out = fmt::format("noisy_or(leak: {:.6g}", noisy->leak.real());
    for (std::size_t k = 0; k < std::min(most_shown, noisy->causes.size()); ++k)
        out += fmt::format(", {}: {:.6g}", net.nodes[index(noisy->causes[k])].variable.name, noisy->strengths[k].real());
    return out + (noisy->causes.size() > most_shown ? ", …)" : ")");
}

}  // namespace

ModelParts parts_of(const Net& declared) {
    const Net net = without_steps(declared);
    ModelParts out;
    for (std::size_t i = 0, alike = 1; i < net.nodes.size(); i += alike) {
        const auto& node = net.nodes[i];
        alike = alike_from(net, i);
        const std::string name =
            alike == 1 ? node.variable.name : fmt::format("{} … {}", node.variable.name, net.nodes[i + alike - 1].variable.name);
        const std::size_t entries = entries_of(node.table);
        if (node.hole) {
            out.push_back(words_part(name, "?"));
        } else if (const auto noisy = entries == 0 ? noisy_text(declared, node.variable.name) : std::nullopt) {
            out.push_back(words_part(name, *noisy));
        } else if (entries == 0) {
            std::string from;
            for (const auto parent : node.parents) from += (from.empty() ? "" : ", ") + net.nodes[index(parent)].variable.name;
            out.push_back(words_part(name, fmt::format("computed from {}", from)));
        } else if (entries > most_entries) {
            out.push_back(words_part(name, fmt::format("a table of {} numbers", entries)));
        } else {
            std::vector<Variable> variables;
            for (const auto parent : node.parents) variables.push_back(net.nodes[index(parent)].variable);
            variables.push_back({name, node.variable.domain});
            out.push_back({name, shown_table(std::move(variables), node.table)});
        }
    }
    if (net.score) out.push_back(figure("score", *net.score));
    if (!net.history.empty() && !net.score) out.push_back(figure("log_likelihood", net.history.back()));
    return out;
}

ModelParts parts_of(const MarkovNet& net) {
    ModelParts out;
    for (const auto& table : net.tables) {
        std::vector<Variable> variables;
        std::string name;
        for (const auto slot : table.variables) {
            variables.push_back(net.variables[slot]);
            name += (name.empty() ? "" : ", ") + variables.back().name;
        }
        const std::size_t entries = entries_of(table.values);
        if (entries > most_entries)
            out.push_back(words_part(name, fmt::format("a table of {} numbers", entries)));
        else
            out.push_back({name, shown_table(std::move(variables), table.values)});
    }
    return out;
}

}  // namespace credence::rt
