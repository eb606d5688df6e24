// noisy_or and noisy_max (Pearl 1988, §4.3.2; Henrion 1987; Díez 1993): causes act independently, the effect is their disjunction or
// maximum.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
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
    if (!parents_known(node)) return;
    if (node.parents.empty()) {
        report(self_.fault("E-ARGUMENT", fmt::format("{} needs parents", form), call.callee->span, {},
                           fmt::format("as in {} | A, B : {}(A: 0.8, B: 0.6)", node.name, form)));
        return;
    }
    NoisyCauses causes;
    if (!noisy_levels(node, maximum, causes)) return;
    const std::vector<rt::Number> absent(causes.levels.size(), rt::Number(1));
    for (const auto p : node.parents) causes.below.emplace_back(nodes_[p].domain->size(), absent);
    causes.below.emplace_back(1, absent);
    causes.names.emplace_back("leak");
    for (const auto p : node.parents) causes.names.push_back(nodes_[p].name);
    causes.given.resize(node.parents.size());
    for (const auto& argument : call.arguments)
        if (!noisy_argument(node, argument, form, causes, frame)) return;
    for (std::size_t k = 0; k < causes.given.size(); ++k)
        if (!causes.given[k]) {
            report(self_.fault("E-ARGUMENT", fmt::format("{} has no entry for the parent {}", form, causes.names[k + 1]), call.callee->span,
                               {}, fmt::format("add {}: 0 if it has no effect", causes.names[k + 1])));
            return;
        }
    multiply_noisy(node, causes);
}

/// The levels of the effect from the lowest up: what absent causes leave it at is false, or the first label.
bool NetDeclaration::noisy_levels(Node& node, bool maximum, NoisyCauses& causes) {
    if (!node.domain) {
        if (maximum) {
            report(self_.fault("E-DOMAIN", fmt::format("noisy_max needs the values of {}, lowest first", node.name), node.decl->name.span,
                               {}, fmt::format("write {} in {{none, mild, severe}} | …", node.name)));
            return false;
        }
        node.domain = rt::boolean_domain();
    }
    if (maximum) {
        for (std::size_t i = 0; i < node.domain->size(); ++i) causes.levels.push_back(i);
        return true;
    }
    const auto yes = node.domain->find(rt::Label::of_bool(true));
    const auto no = node.domain->find(rt::Label::of_bool(false));
    if (!yes || !no || node.domain->size() != 2) {
        report(self_.fault("E-TYPE", fmt::format("noisy_or is for booleans, and {} is not a boolean", node.name), node.decl->name.span, {},
                           "noisy_max takes ordered values"));
        return false;
    }
    causes.levels = {*no, *yes};
    return true;
}

/// `Parent: strength`, `Parent[i]: strength`, `leak: strength`.
bool NetDeclaration::noisy_argument(Node& node, const Argument& argument, std::string_view form, NoisyCauses& causes, Frame& frame) {
    const auto& names = causes.names;
    if (!argument.name) {
        report(self_.fault("E-ARGUMENT", fmt::format("{} takes its parents by name", form), argument.value->span, {},
                           fmt::format("as in {}(leak: 0.01, {}: 0.8)", form, names.back())));
        return false;
    }
    std::string name = argument.name->text;
    if (argument.index) {
        auto index = self_.index_text(*argument.index, frame);
        if (!index) {
            report(std::move(index).fault());
            return false;
        }
        name += "[" + *index + "]";
    }
    const auto which = std::find(names.begin(), names.end(), name);
    if (which == names.end()) {
        Fault unknown = self_.fault("E-PARAMETER", fmt::format("{} has no parent '{}'", node.name, name), argument.name->span,
                                    fmt::format("it takes {}", listed(names)));
        if (const auto near = rt::nearest(name, names)) unknown.hint = fmt::format("did you mean '{}'?", *near);
        report(std::move(unknown));
        return false;
    }
    auto value = self_.eval(*argument.value, frame);
    if (!value) {
        report(std::move(value).fault());
        return false;
    }
    const auto strength = [&](const Value& said, std::vector<rt::Number>& to) {
        const auto row = row_of(node, said, *argument.value, [] { return std::string(); });
        if (!row) return false;
        std::vector<rt::Number> ordered;
        for (const auto position : causes.levels) ordered.push_back((*row)[position]);
        to = cumulative(ordered);
        return true;
    };
    if (which == names.begin()) return strength(*value, causes.below.back()[0]);
    const auto k = static_cast<std::size_t>(which - names.begin()) - 1;
    causes.given[k] = true;
    const auto& parent = *nodes_[node.parents[k]].domain;
    const auto* by_value = value->get<RecordPtr>();
    const bool per_value = by_value && std::all_of((*by_value)->entries.begin(), (*by_value)->entries.end(),
                                                   [&](const auto& e) { return parent.find(rt::Label::of_text(e.first)).has_value(); });
    if (per_value)
        return std::all_of((*by_value)->entries.begin(), (*by_value)->entries.end(),
                           [&](const auto& e) { return strength(e.second, causes.below[k][*parent.find(rt::Label::of_text(e.first))]); });
    const auto present = parent.find(rt::Label::of_bool(true));
    if (!present) {
        report(self_.fault("E-TYPE", fmt::format("{} is not boolean: give a strength for each of its values", names[k + 1]),
                           argument.value->span, fmt::format("its values are {}", listed(label_texts(parent)))));
        return false;
    }
    return strength(*value, causes.below[k][*present]);
}

void NetDeclaration::multiply_noisy(Node& node, const NoisyCauses& causes) {
    const std::size_t count = configurations(node);
    if (count > 20'000'000) {
        report(self_.fault("E-COST", fmt::format("the table of {} would have more than 20,000,000 rows", node.name), node.decl->span));
        return;
    }
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<rt::Number> below = causes.below.back()[0];
        std::size_t rest = c;
        for (std::size_t k = node.parents.size(); k-- > 0;) {
            const std::size_t size = nodes_[node.parents[k]].domain->size();
            for (std::size_t level = 0; level < below.size(); ++level) below[level] *= causes.below[k][rest % size][level];
            rest /= size;
        }
        Row row(node.domain->size(), rt::Number(0));
        for (std::size_t level = 0; level < below.size(); ++level)
            row[causes.levels[level]] = level == 0 ? below[0] : below[level] - below[level - 1];
        node.table.insert(node.table.end(), row.begin(), row.end());
    }
}

}  // namespace credence::lang
