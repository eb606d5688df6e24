// noisy_or and noisy_max (Pearl 1988, §4.3.2; Henrion 1987; Díez 1993): causes act independently, the effect is their disjunction or
// maximum.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::lang {

namespace {

constexpr std::size_t most_noisy_rows = 1024;  // of one table; above, the causes come in one by one

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

const Call* NetDeclaration::noisy_call(const NetNodeDecl& decl) {
    const auto* expr = std::get_if<ExprPtr>(&decl.table);
    const auto* call = expr && !decl.distributed ? std::get_if<Call>(&(*expr)->node) : nullptr;
    const auto* name = call ? std::get_if<NameExpr>(&call->callee->node) : nullptr;
    return name && (name->name == "noisy_or" || name->name == "noisy_max") ? call : nullptr;
}

void NetDeclaration::tabulate_noisy(Node& node, const Call& call, Frame& frame) {
    const bool maximum = std::get<NameExpr>(call.callee->node).name == "noisy_max";
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

/// `Parent: strength`, `Parent[i]: strength`, `Plate: strength` or a list of them, `leak: strength`.
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
    std::vector<std::size_t> together;  // `C: p` of a plate: all its variables among the parents
    if (which != names.end()) together.push_back(static_cast<std::size_t>(which - names.begin()));
    const bool known = which != names.end();
    for (std::size_t i = 1; !known && !argument.index && i < names.size(); ++i)
        if (names[i].starts_with(name + "[")) together.push_back(i);
    if (together.empty()) {
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
    const List* each = known ? nullptr : value->items();
    if (each && each->size() != together.size()) {
        report(self_.fault("E-ARGUMENT", fmt::format("{} has {} variables, and the list {} numbers", name, together.size(), each->size()),
                           argument.value->span, {}, "one number for all of them, or one for each"));
        return false;
    }
    for (std::size_t i = 0; i < together.size(); ++i)
        if (!noisy_strength(node, together[i], each ? (*each)[i] : *value, *argument.value, causes)) return false;
    return true;
}

/// What the cause at that place of the names contributes: a strength, or one for each of its values.
bool NetDeclaration::noisy_strength(Node& node, std::size_t place, const Value& value, const Expr& written, NoisyCauses& causes) {
    const auto strength = [&](const Value& said, std::vector<rt::Number>& to) {
        const auto row = row_of(node, said, written, [] { return std::string(); });
        if (!row) return false;
        std::vector<rt::Number> ordered;
        for (const auto position : causes.levels) ordered.push_back((*row)[position]);
        to = cumulative(ordered);
        return true;
    };
    if (place == 0) return strength(value, causes.below.back()[0]);
    const std::size_t k = place - 1;
    causes.given[k] = true;
    const auto& parent = *nodes_[node.parents[k]].domain;
    const auto* by_value = value.get<RecordPtr>();
    const bool per_value = by_value && std::all_of((*by_value)->entries.begin(), (*by_value)->entries.end(),
                                                   [&](const auto& e) { return parent.find(rt::Label::of_text(e.first)).has_value(); });
    if (per_value)
        return std::all_of((*by_value)->entries.begin(), (*by_value)->entries.end(),
                           [&](const auto& e) { return strength(e.second, causes.below[k][*parent.find(rt::Label::of_text(e.first))]); });
    const auto present = parent.find(rt::Label::of_bool(true));
    if (!present) {
        report(self_.fault("E-TYPE", fmt::format("{} is not boolean: give a strength for each of its values", causes.names[place]),
                           written.span, fmt::format("its values are {}", listed(label_texts(parent)))));
        return false;
    }
    return strength(value, causes.below[k][*present]);
}

void NetDeclaration::multiply_noisy(Node& node, const NoisyCauses& causes) {
    const std::size_t count = configurations(node);
    if (count > most_noisy_rows) return chain_noisy(node, causes);
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

/// In place of a large table a chain of steps (Heckerman & Breese 1996, temporal decomposition): step k is the largest of the leak and of
/// what the first k causes contribute, so that the work grows with the number of causes.
void NetDeclaration::chain_noisy(Node& node, const NoisyCauses& causes) {
    const std::vector<std::size_t> listed = node.parents;
    const std::size_t size = node.domain->size();
    std::vector<std::size_t> level_of(size);  // by position in the domain
    for (std::size_t level = 0; level < size; ++level) level_of[causes.levels[level]] = level;
    std::optional<std::size_t> before;
    for (std::size_t k = 0; k < listed.size(); ++k) {
        Node* step = &node;
        if (k + 1 < listed.size()) {
            step = &nodes_.emplace_back();
            step->decl = node.decl;
            step->outer = node.outer;
            step->step = true;
            step->name = fmt::format("{} step {}", node.name, k + 1);
            step->domain = node.domain;
        }
        step->parents = before ? std::vector{*before, listed[k]} : std::vector{listed[k]};
        for (std::size_t held = 0; held < (before ? size : 1); ++held)
            for (const auto& contribution : causes.below[k]) {
                Row row(size, rt::Number(0));
                rt::Number reached = 0;  // P(the largest ≤ level)
                for (std::size_t level = 0; level < size; ++level) {
                    const rt::Number now = !before                  ? causes.below.back()[0][level] * contribution[level]
                                           : level < level_of[held] ? rt::Number(0)
                                                                    : contribution[level];
                    row[causes.levels[level]] = now - reached;
                    reached = now;
                }
                step->table.insert(step->table.end(), row.begin(), row.end());
            }
        before = nodes_.size() - 1;
    }
}

}  // namespace credence::lang
