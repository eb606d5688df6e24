// noisy_or and noisy_max (Pearl 1988, §4.3.2; Henrion 1987; Díez 1993): causes act independently, the effect is their disjunction or
// maximum.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/eval/messages.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::lang {

namespace {

/// P(contribution ≤ level) for each level: the maximum of independent contributions multiplies these.
std::vector<rt::Number> cumulative(const std::vector<rt::Number>& row) {
    std::vector<rt::Number> out;
    rt::Number total = 0;
    for (const auto& p : row) {
        total += p;
        out.push_back(total);
    }
    return out;
}

}  // namespace

void NetDeclaration::tabulate_noisy(Node& node, const Call& call, bool maximum, Frame& frame) {
    const std::string_view form = maximum ? "noisy_max" : "noisy_or";
    if (!parents_known(node)) {
        whole_ = false;
        return;
    }
    if (node.parents.empty()) {
        report(self_.fault("E-ARGUMENT", fmt::format("{} needs parents", form), call.callee->span, {},
                           fmt::format("as in {} | A, B : {}(A: 0.8, B: 0.6)", node.name, form)));
        return;
    }
    if (!node.domain) {
        if (maximum) {
            report(self_.fault("E-DOMAIN", fmt::format("noisy_max needs the values of {}, lowest first", node.name), node.decl->name.span,
                               {}, fmt::format("write {} in {{none, mild, severe}} | …", node.name)));
            return;
        }
        node.domain = rt::boolean_domain();
    }
    // The level that absent causes leave the effect at: false, or the first label.
    std::vector<std::size_t> levels;  // positions in the domain from the lowest level up
    if (!maximum) {
        const auto yes = node.domain->find(rt::Label::of_bool(true));
        const auto no = node.domain->find(rt::Label::of_bool(false));
        if (!yes || !no || node.domain->size() != 2) {
            report(self_.fault("E-TYPE", fmt::format("noisy_or is for booleans, and {} is none", node.name), node.decl->name.span, {},
                               "noisy_max takes ordered values"));
            return;
        }
        levels = {*no, *yes};
    } else {
        for (std::size_t i = 0; i < node.domain->size(); ++i) levels.push_back(i);
    }
    // contribution[k][v]: cumulative over the levels, of parent k (or the leak, last) at its value v
    std::vector<std::vector<std::vector<rt::Number>>> contribution(node.parents.size() + 1);
    const std::vector<rt::Number> absent(levels.size(), rt::Number(1));
    for (std::size_t k = 0; k < node.parents.size(); ++k) contribution[k].assign(nodes_[node.parents[k]].domain->size(), absent);
    contribution.back().assign(1, absent);
    std::vector<bool> given(node.parents.size());
    std::vector<std::string> names{"leak"};
    for (const auto p : node.parents) names.push_back(nodes_[p].name);

    const auto levels_of = [&](const Value& value, const Expr& written) -> std::optional<std::vector<rt::Number>> {
        const auto row = row_of(node, value, written, "");
        if (!row) return std::nullopt;
        std::vector<rt::Number> ordered;
        for (const auto position : levels) ordered.push_back((*row)[position]);
        return cumulative(ordered);
    };
    for (const auto& argument : call.arguments) {
        if (!argument.name) {
            report(self_.fault("E-ARGUMENT", fmt::format("{} takes its parents by name", form), argument.value->span, {},
                               fmt::format("as in {}(leak: 0.01, {}: 0.8)", form, names.back())));
            return;
        }
        const auto which = std::find(names.begin(), names.end(), argument.name->text);
        if (which == names.end()) {
            Fault unknown = self_.fault("E-PARAMETER", fmt::format("{} has no parent '{}'", node.name, argument.name->text),
                                        argument.name->span, fmt::format("it takes {}", listed(names)));
            if (const auto near = rt::nearest(argument.name->text, names)) unknown.hint = fmt::format("did you mean '{}'?", *near);
            report(std::move(unknown));
            return;
        }
        auto value = self_.eval(*argument.value, frame);
        if (!value) {
            report(std::move(value).fault());
            return;
        }
        if (which == names.begin()) {
            auto row = levels_of(*value, *argument.value);
            if (!row) return;
            contribution.back()[0] = *std::move(row);
            continue;
        }
        const auto k = static_cast<std::size_t>(which - names.begin()) - 1;
        given[k] = true;
        const auto& parent = *nodes_[node.parents[k]].domain;
        const auto* by_value = value->get<RecordPtr>();
        const bool per_value = by_value && std::all_of((*by_value)->entries.begin(), (*by_value)->entries.end(),
                                                       [&](const auto& e) { return parent.find(rt::Label::of_text(e.first)).has_value(); });
        if (per_value) {
            for (const auto& [key, one] : (*by_value)->entries) {
                auto row = levels_of(one, *argument.value);
                if (!row) return;
                contribution[k][*parent.find(rt::Label::of_text(key))] = *std::move(row);
            }
            continue;
        }
        const auto present = parent.find(rt::Label::of_bool(true));
        if (!present) {
            report(self_.fault("E-TYPE", fmt::format("{} is not boolean: give a strength for each of its values", names[k + 1]),
                               argument.value->span, fmt::format("its values are {}", listed(label_texts(parent)))));
            return;
        }
        auto row = levels_of(*value, *argument.value);
        if (!row) return;
        contribution[k][*present] = *std::move(row);
    }
    for (std::size_t k = 0; k < given.size(); ++k)
        if (!given[k]) {
            report(self_.fault("E-ARGUMENT", fmt::format("{} says nothing of the parent {}", form, names[k + 1]), call.callee->span, {},
                               fmt::format("add {}: 0 if it has no effect", names[k + 1])));
            return;
        }

    const std::size_t count = configurations(node);
    if (count > 20'000'000) {
        report(self_.fault("E-COST", fmt::format("the table of {} would have more than 20,000,000 rows", node.name), node.decl->span));
        return;
    }
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<rt::Number> below = contribution.back()[0];
        std::size_t rest = c;
        for (std::size_t k = node.parents.size(); k-- > 0;) {
            const std::size_t size = nodes_[node.parents[k]].domain->size();
            for (std::size_t level = 0; level < below.size(); ++level) below[level] *= contribution[k][rest % size][level];
            rest /= size;
        }
        Row row(node.domain->size(), rt::Number(0));
        for (std::size_t level = 0; level < below.size(); ++level)
            row[levels[level]] = level == 0 ? below[0] : below[level] - below[level - 1];
        node.table.insert(node.table.end(), row.begin(), row.end());
    }
}

}  // namespace credence::lang
