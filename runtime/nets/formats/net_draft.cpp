#include "runtime/nets/formats/net_draft.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/suggest.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/formats/net_scan.hpp"

namespace credence::rt {

namespace {

// Up to so many entries a net is answered in fractions: the decimals of the file are kept as they are written.
constexpr std::size_t most_exact_entries = 4096;
constexpr double most_rounding = 1e-6;    // what files of the public repositories miss 1 by
constexpr double least_rounding = 1e-12;  // sums of doubles that were written in full miss it by less
constexpr std::size_t most_entries = 200'000'000;

}  // namespace

Fault NetDraft::fault(std::size_t at, std::string message, std::string hint) const {
    return format_fault(text_, at, std::move(message), std::move(hint));
}

Result<std::uint32_t> NetDraft::add(std::string name, std::vector<Label> labels, std::size_t at) {
    if (labels.empty()) return fault(at, fmt::format("{} has no values", name));
    std::vector<std::string_view> texts;
    for (const auto& label : labels) texts.emplace_back(label.text());
    std::sort(texts.begin(), texts.end());
    if (const auto twice = std::adjacent_find(texts.begin(), texts.end()); twice != texts.end())
        return fault(at, fmt::format("{} has the value '{}' twice", name, *twice));
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    if (!by_name_.emplace(name, id).second) return fault(at, fmt::format("the variable {} is declared twice", name));
    nodes_.push_back({.name = std::move(name), .labels = std::move(labels), .at = at});
    return id;
}

std::optional<std::uint32_t> NetDraft::find(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

Status NetDraft::set_parents(std::uint32_t node, const std::vector<std::pair<std::string, std::size_t>>& names) {
    DraftNode& n = nodes_[node];
    if (n.has_table) return fault(names.empty() ? n.at : names[0].second, fmt::format("{} has two tables", n.name));
    double entries = static_cast<double>(n.labels.size());
    for (const auto& [name, at] : names) {
        const auto parent = find(name);
        if (!parent) {
            std::vector<std::string> known;
            for (const auto& other : nodes_) known.push_back(other.name);
            const auto near = nearest(name, known);
            return fault(at, fmt::format("there is no variable {}", name), near ? fmt::format("did you mean {}?", *near) : "");
        }
        if (*parent == node) return fault(at, fmt::format("{} is its own parent", name));
        if (contains(n.parents, *parent)) return fault(at, fmt::format("the parent {} is named twice", name));
        n.parents.push_back(*parent);
        entries *= static_cast<double>(nodes_[*parent].labels.size());
    }
    if (entries > static_cast<double>(most_entries))
        return fault(n.at, fmt::format("the table of {} would have {} entries", n.name, entries));
    n.has_table = true;
    return Done{};
}

std::size_t NetDraft::rows(std::uint32_t node) const {
    std::size_t out = 1;
    for (const auto parent : nodes_[node].parents) out *= nodes_[parent].labels.size();
    return out;
}

Result<std::size_t> NetDraft::row_of(std::uint32_t node, const std::vector<std::pair<std::string, std::size_t>>& labels) const {
    std::size_t row = 0;
    for (std::size_t k = 0; k < labels.size(); ++k) {
        const DraftNode& parent = nodes_[nodes_[node].parents[k]];
        const auto value = std::find(parent.labels.begin(), parent.labels.end(), Label::of_text(labels[k].first));
        if (value == parent.labels.end()) {
            std::vector<std::string> known;
            for (const auto& label : parent.labels) known.push_back(label.text());
            return fault(labels[k].second, fmt::format("{} has no value '{}'", parent.name, labels[k].first),
                         fmt::format("its values are {}", joined(known, ", ")));
        }
        row = row * parent.labels.size() + static_cast<std::size_t>(value - parent.labels.begin());
    }
    return row;
}

Result<NetNode> NetDraft::finished(DraftNode& n, bool exact, std::size_t& rounded, double& worst) const {
    const std::size_t labels = n.labels.size();
    const std::size_t rows = n.values.size() / labels;
    NetNode out;
    for (const auto parent : n.parents) out.parents.push_back(static_cast<VarId>(parent));
    std::vector<Rational> fractions;
    if (exact) {
        fractions.reserve(n.values.size());
        for (const auto text : n.texts) fractions.push_back(*Rational::parse(text));
    }
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t begin = r * labels;
        Rational total = 0;
        double sum = 0;
        for (std::size_t k = begin; k < begin + labels; ++k) sum += n.values[k];
        double off = std::abs(sum - 1);
        if (exact) {
            for (std::size_t k = begin; k < begin + labels; ++k) total += fractions[k];
            off = std::abs((total - Rational(1)).to_double());
        }
        if (off > most_rounding * (1 + 1e-6)) {  // a miss of 1e-6 itself, as doubles add it up, is still rounding
            std::string where;
            std::size_t rest = r;
            for (std::size_t k = n.parents.size(); k-- > 0;) {
                const DraftNode& parent = nodes_[n.parents[k]];
                where = fmt::format("{} = {}{}{}", parent.name, parent.labels[rest % parent.labels.size()].text(),
                                    where.empty() ? "" : ", ", where);
                rest /= parent.labels.size();
            }
            return fault(n.row_at[r],
                         fmt::format("the row of {}{}{} sums to {}, not 1", n.name, where.empty() ? "" : " given ", where, sum),
                         "a row may differ from 1 by up to 1e-6 because of rounding; this differs by more");
        }
        if (exact ? total == Rational(1) : off <= least_rounding) continue;
        if (off > least_rounding) {
            ++rounded;
            worst = std::max(worst, off);
        }
        for (std::size_t k = begin; k < begin + labels; ++k) {
            if (exact)
                fractions[k] /= total;
            else
                n.values[k] /= sum;
        }
    }
    if (exact)
        out.table = std::move(fractions);
    else
        out.table = std::move(n.values);
    out.variable = {.name = n.name, .domain = make_domain(n.labels)};
    return out;
}

Result<NetRead> NetDraft::finish(std::string name) && {
    NetRead out;
    out.net.name = std::move(name);
    std::size_t entries = 0;
    for (const auto& n : nodes_) {
        if (!n.has_table) return fault(n.at, fmt::format("{} has no table of probabilities", n.name));
        entries += n.values.size();
    }
    if (nodes_.empty()) return fault(0, "the file declares no variables");
    const bool exact = keeps_texts_ && entries <= most_exact_entries;
    std::size_t rounded = 0;
    double worst = 0;
    for (auto& n : nodes_) {
        auto node = TRY(finished(n, exact, rounded, worst));
        out.net.nodes.push_back(std::move(node));
    }
    if (const auto cycle = find_cycle(out.net); !cycle.empty()) {
        std::vector<std::string> path;
        for (const auto id : cycle) path.push_back(out.net.nodes[index(id)].variable.name);
        return fault(nodes_[index(cycle[0])].at, fmt::format("the arcs form a cycle: {}", joined(path, ", ")));
    }
    if (rounded > 0)
        out.notes.push_back(fmt::format("{} of {} did not sum to 1 because of rounding (by at most {:.2g}), and {} normalised",
                                        counted(rounded, "row"), out.net.name, worst, rounded == 1 ? "was" : "were"));
    return out;
}

}  // namespace credence::rt
