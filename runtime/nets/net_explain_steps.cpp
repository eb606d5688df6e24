#include "runtime/nets/net_explain_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"

namespace credence::rt {

namespace {

constexpr double largest_traced = 4096;

/// A table over hidden variables, last fastest.
struct TracedTable {
    std::string name;
    std::vector<Slot> over;
    std::vector<Number> values;
};

std::string short_value(const Number& n) {
    if (n.is_exact())
        if (const auto decimal = n.exact().decimal(8)) return *decimal;
    return fmt::format("{:.6g}", n.real());
}

class EliminationTracer {
public:
    EliminationTracer(const NetCase& c, const Net& net, std::span<const Pairs> assignments, const std::string& where)
        : case_(c), net_(net), value_(c.sizes.size(), -1) {
        std::vector<Slot> seeds;
        for (const auto& [slot, v] : assignments[0]) {
            seeds.push_back(slot);
            if (std::all_of(assignments.begin(), assignments.end(),
                            [&, slot = slot, v = v](const Pairs& a) { return value_in(a, slot) == v; }))
                value_[slot] = static_cast<std::int64_t>(v);
        }
        if (assignments.size() > 1) tables_.push_back(indicator(assignments, where));
        relevant_ = ancestors(c, seeds);
        for (Slot slot = 0; slot < relevant_.size(); ++slot) {
            if (!relevant_[slot]) continue;
            if (c.done[slot] >= 0) value_[slot] = c.done[slot];
            if (value_[slot] < 0) hidden_.push_back(slot);
        }
    }

    std::optional<EliminationTrace> trace() {
        for (const auto id : net_.topological_order())
            if (const auto slot = static_cast<Slot>(index(id)); relevant_[slot] && case_.done[slot] < 0)
                tables_.push_back(restricted(slot));
        while (!hidden_.empty()) {
            const auto next = std::min_element(hidden_.begin(), hidden_.end(), [&](Slot a, Slot b) { return cost(a) < cost(b); });
            const Slot slot = *next;
            if (cost(slot) > largest_traced) return std::nullopt;
            hidden_.erase(next);
            sum_out(slot);
        }
        for (const auto& table : tables_) {
            out_.value *= table.values[0];
            if (!(table.values[0] == Number(1))) out_.factors.push_back({table.values[0]});
        }
        return std::move(out_);
    }

private:
    static std::optional<std::size_t> value_in(const Pairs& assignment, Slot slot) {
        for (const auto& [at, v] : assignment)
            if (at == slot) return v;
        return std::nullopt;
    }

    /// 1 where the event holds, else 0, over the variables that its assignments do not agree on.
    TracedTable indicator(std::span<const Pairs> assignments, const std::string& where) {
        TracedTable out{.name = "[" + where + "]", .over = {}, .values = {}};
        for (const auto& [slot, v] : assignments[0])
            if (value_[slot] < 0) out.over.push_back(slot);
        for (const auto& cell : configurations(out.over, case_.sizes)) {
            const auto agrees = [&](const Pairs& a) {
                return std::all_of(cell.begin(), cell.end(), [&](const auto& pair) { return value_in(a, pair.first) == pair.second; });
            };
            out.values.emplace_back(std::any_of(assignments.begin(), assignments.end(), agrees) ? 1 : 0);
        }
        out_.notes.push_back(fmt::format("{} is 1 where that holds, else 0", out.name));
        return out;
    }

    std::string variable(Slot slot) const {
        const Variable& v = net_.nodes[slot].variable;
        return value_[slot] < 0 ? v.name : fmt::format("{} = {}", v.name, (*v.domain)[static_cast<std::size_t>(value_[slot])].text());
    }

    /// A node's table where what is known has its value.
    TracedTable restricted(Slot slot) const {
        const NetNode& node = net_.nodes[slot];
        TracedTable out;
        std::string given;
        for (const auto parent : node.parents) {
            const auto p = static_cast<Slot>(index(parent));
            given += fmt::format("{}{}", given.empty() ? " | " : ", ", variable(p));
            if (value_[p] < 0) out.over.push_back(p);
        }
        if (value_[slot] < 0) out.over.push_back(slot);
        out.name = fmt::format("P({}{})", variable(slot), given);
        for (const auto& pairs : configurations(out.over, case_.sizes)) {
            const auto at = [&](Slot s) {
                for (const auto& [known, v] : pairs)
                    if (known == s) return v;
                return static_cast<std::size_t>(value_[s]);
            };
            std::size_t row = 0;
            for (const auto parent : node.parents) row = row * case_.sizes[index(parent)] + at(static_cast<Slot>(index(parent)));
            out.values.push_back(node.entry(row * case_.sizes[slot] + at(slot)));
        }
        return out;
    }

    /// The variables of the table that summing out leaves.
    std::vector<Slot> left_by(Slot slot) const {
        std::vector<Slot> out;
        for (const auto& table : tables_)
            if (contains(table.over, slot))
                for (const auto other : table.over)
                    if (other != slot && !contains(out, other)) out.push_back(other);
        return out;
    }

    double cost(Slot slot) const { return table_size(left_by(slot), case_.sizes) * static_cast<double>(case_.sizes[slot]); }

    void sum_out(Slot slot) {
        TracedTable made;
        made.over = left_by(slot);
        std::vector<TracedTable> parts;
        for (const auto& table : tables_)
            if (contains(table.over, slot)) parts.push_back(table);
        std::erase_if(tables_, [&](const TracedTable& table) { return contains(table.over, slot); });
        std::string names;
        for (const auto slot_left : made.over) names += (names.empty() ? "" : ", ") + net_.nodes[slot_left].variable.name;
        ++made_;
        made.name = made.over.empty() ? fmt::format("f{}", made_) : fmt::format("f{}({})", made_, names);
        std::string product;
        for (const auto& part : parts) product += (product.empty() ? "" : " * ") + part.name;
        out_.notes.push_back(fmt::format("{} = sum over {} of {}", made.name, net_.nodes[slot].variable.name, product));
        std::string entries;
        const auto cells = configurations(made.over, case_.sizes);
        for (const auto& cell : cells) {
            Number sum = 0;
            for (std::size_t v = 0; v < case_.sizes[slot]; ++v) {
                Number term = 1;
                for (const auto& part : parts) term *= part.values[place(part, cell, slot, v)];
                sum += term;
            }
            made.values.push_back(readable(sum));
            std::string labels;
            for (const auto& [at, v] : cell) labels += (labels.empty() ? "" : ", ") + (*net_.nodes[at].variable.domain)[v].text();
            entries += fmt::format("{}f{}{} = {}", entries.empty() ? "" : ", ", made_, labels.empty() ? "" : "(" + labels + ")",
                                   short_value(made.values.back()));
        }
        out_.notes.push_back(cells.size() <= longest_sum ? "  " + entries : fmt::format("  {} numbers", cells.size()));
        tables_.push_back(std::move(made));
    }

    std::size_t place(const TracedTable& table, const Pairs& cell, Slot slot, std::size_t v) const {
        std::size_t out = 0;
        for (const auto at : table.over) {
            std::size_t value = v;
            if (at != slot)
                for (const auto& [known, own] : cell)
                    if (known == at) value = own;
            out = out * case_.sizes[at] + value;
        }
        return out;
    }

    const NetCase& case_;
    const Net& net_;
    std::vector<std::int64_t> value_;
    std::vector<char> relevant_;
    std::vector<Slot> hidden_;
    std::vector<TracedTable> tables_;
    std::size_t made_ = 0;
    EliminationTrace out_;
};

/// The position of `true` among the values of a boolean; nothing if it is not one.
std::optional<std::size_t> place_of_true(const Variable& v) {
    if (!v.is_discrete() || v.size() != 2) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i)
        if ((*v.domain)[i].text() == "true" && (*v.domain)[1 - i].text() == "false") return i;
    return std::nullopt;
}

}  // namespace

std::optional<EliminationTrace> trace_elimination(const NetCase& c, const Net& net, std::span<const Pairs> assignments,
                                                  const std::string& where) {
    constexpr std::size_t most_nodes = 64;
    if (net.nodes.size() > most_nodes || assignments.empty()) return std::nullopt;
    const auto slots = [](const Pairs& pairs) {
        std::vector<Slot> out;
        for (const auto& pair : pairs) out.push_back(pair.first);
        std::sort(out.begin(), out.end());
        return out;
    };
    for (const auto& other : assignments)
        if (slots(other) != slots(assignments[0])) return std::nullopt;
    return EliminationTracer(c, net, assignments, where).trace();
}

std::optional<NoisyOr> noisy_or_of(const Net& net, std::size_t node) {
    constexpr std::size_t most_parents = 8;
    const NetNode& n = net.nodes[node];
    if (!n.noisy) return std::nullopt;
    const auto yes = place_of_true(n.variable);
    if (!yes || n.parents.size() < 2 || n.parents.size() > most_parents || !n.is_exact() || n.hole) return std::nullopt;
    std::vector<std::size_t> on;
    for (const auto parent : n.parents) {
        const auto at = place_of_true(net.nodes[index(parent)].variable);
        if (!at) return std::nullopt;
        on.push_back(*at);
    }
    const std::size_t rows = std::size_t{1} << n.parents.size();
    if (std::get<0>(n.table).size() != rows * 2) return std::nullopt;
    const auto fails_where = [&](std::size_t true_ones) {  // bit i: parent i is true
        std::size_t row = 0;
        for (std::size_t i = 0; i < on.size(); ++i) row = row * 2 + ((true_ones >> i & 1U) != 0 ? on[i] : 1 - on[i]);
        return n.entry(row * 2 + (1 - *yes));
    };
    NoisyOr out{fails_where(0), {}};
    if (out.leak_fails.is_zero()) return std::nullopt;
    bool noisy = false;
    for (std::size_t i = 0; i < on.size(); ++i) {
        out.fails.push_back(fails_where(std::size_t{1} << i) / out.leak_fails);
        if (Number(1) < out.fails.back()) return std::nullopt;
        noisy = noisy || (!out.fails.back().is_zero() && out.fails.back() < Number(1));
    }
    for (std::size_t true_ones = 0; true_ones < rows; ++true_ones) {
        Number product = out.leak_fails;
        for (std::size_t i = 0; i < on.size(); ++i)
            if ((true_ones >> i & 1U) != 0) product *= out.fails[i];
        if (!(product == fails_where(true_ones))) return std::nullopt;
    }
    if (!noisy) return std::nullopt;
    return out;
}

std::string noisy_entry(const Net& net, std::size_t node, const NoisyOr& noisy, const ProbabilityTerm& term, const Number& value) {
    std::string product;
    const auto times = [&](const Number& p) { product += (product.empty() ? "" : " * ") + short_value(p); };
    if (!(noisy.leak_fails == Number(1))) times(noisy.leak_fails);
    for (std::size_t i = 0; i < noisy.fails.size(); ++i) {
        const auto& name = net.nodes[index(net.nodes[node].parents[i])].variable.name;
        for (const auto& [variable, label] : term.given)
            if (variable == name && label.text() == "true") times(noisy.fails[i]);
    }
    if (product.empty()) product = "1";
    if (term.event[0].second.text() == "true") product = "1 - " + product;
    const std::string entry = short_value(value);
    return entry == product ? product : product + " = " + entry;
}

}  // namespace credence::rt
