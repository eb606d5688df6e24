// noisy_or and noisy_max (Pearl 1988, §4.3.2; Henrion 1987; Díez 1993): causes act independently, the effect is their disjunction or
// maximum.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/declare_net.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
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
    for (const auto& rows : causes.below) causes.learned.emplace_back(rows.size(), 0);
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
    if (std::holds_alternative<HoleLit>(argument.value->node))
        return std::all_of(together.begin(), together.end(),
                           [&](std::size_t place) { return noisy_hole(node, place, *argument.value, causes); });
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
    const auto present = noisy_presence(node, place, written, causes);
    return present && strength(value, causes.below[k][*present]);
}

/// `A: ?`: what a cause contributes is learned.
bool NetDeclaration::noisy_hole(const Node& node, std::size_t place, const Expr& written, NoisyCauses& causes) {
    if (place == 0) {
        causes.learned.back()[0] = 1;
        return true;
    }
    causes.given[place - 1] = true;
    const auto present = noisy_presence(node, place, written, causes);
    if (present) causes.learned[place - 1][*present] = 1;
    return present.has_value();
}

/// The value of a boolean parent at which it is a cause.
std::optional<std::size_t> NetDeclaration::noisy_presence(const Node& node, std::size_t place, const Expr& written,
                                                          const NoisyCauses& causes) {
    const auto& parent = *nodes_[node.parents[place - 1]].domain;
    const auto present = parent.find(rt::Label::of_bool(true));
    if (!present)
        report(self_.fault("E-TYPE", fmt::format("{} is not boolean: give a strength for each of its values", causes.names[place]),
                           written.span, fmt::format("its values are {}", listed(label_texts(parent)))));
    return present;
}

void NetDeclaration::multiply_noisy(Node& node, const NoisyCauses& causes) {
    const std::size_t count = configurations(node);
    const bool holes = std::any_of(causes.learned.begin(), causes.learned.end(), [](const auto& rows) { return rt::contains(rows, 1); });
    if (holes || count > most_noisy_rows) return chain_noisy(node, causes);
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<rt::Number> below = causes.below.back()[0];
        std::size_t rest = c;
        for (std::size_t k = node.parents.size(); k-- > 0;) {
            const std::size_t size = nodes_[node.parents[k]].domain->size();
            for (std::size_t level = 0; level < below.size(); ++level) below[level] *= causes.below[k][rest % size][level];
            rest /= size;
        }
        append_levels(node, causes, below);
    }
}

NetDeclaration::Node& NetDeclaration::add_step(const Node& node, std::string name) {
    Node& step = nodes_.emplace_back();
    step.decl = node.decl;
    step.outer = node.outer;
    step.step = true;
    step.name = std::move(name);
    step.domain = node.domain;
    return step;
}

/// What a cause contributes, as a variable of its own where that is learned: training treats it as hidden.
NetDeclaration::NoisyLink NetDeclaration::noisy_contribution(const Node& node, std::size_t k, const NoisyCauses& causes) {
    const bool leak = k == node.parents.size();
    const auto& learned = causes.learned[k];
    if (!rt::contains(learned, 1)) return {leak ? std::nullopt : std::optional(node.parents[k]), causes.below[k]};
    const std::size_t size = node.domain->size();
    Node& own = add_step(node, fmt::format("{} by {}", node.name, leak ? "leak" : nodes_[node.parents[k]].name));
    if (!leak) own.parents = {node.parents[k]};
    own.hole = true;
    for (std::size_t value = 0; value < learned.size(); ++value) {
        own.known_rows.push_back(learned[value] ? 0 : 1);
        append_levels(own, causes, causes.below[k][value]);
    }
    NoisyLink out{nodes_.size() - 1, std::vector(size, std::vector<rt::Number>(size, rt::Number(0)))};
    for (std::size_t level = 0; level < size; ++level)  // the value at that level contributes just that
        std::fill(out.below[causes.levels[level]].begin() + static_cast<std::ptrdiff_t>(level), out.below[causes.levels[level]].end(),
                  rt::Number(1));
    return out;
}

/// A row of the table from P(the largest ≤ level).
void NetDeclaration::append_levels(Node& step, const NoisyCauses& causes, const std::vector<rt::Number>& below) {
    Row row(below.size(), rt::Number(0));
    for (std::size_t level = 0; level < below.size(); ++level)
        row[causes.levels[level]] = level == 0 ? below[0] : below[level] - below[level - 1];
    step.table.insert(step.table.end(), row.begin(), row.end());
}

/// In place of a large table a chain of steps (Heckerman & Breese 1996, temporal decomposition): step k is the largest of the leak and of
/// what the first k causes contribute, so that the work grows with the number of causes.
void NetDeclaration::chain_noisy(Node& node, const NoisyCauses& causes) {
    std::vector<NoisyLink> links;
    const NoisyLink leak = noisy_contribution(node, node.parents.size(), causes);
    if (leak.cause) links.push_back(leak);
    for (std::size_t k = 0; k < node.parents.size(); ++k) links.push_back(noisy_contribution(node, k, causes));
    const std::size_t size = node.domain->size();
    std::vector<std::size_t> level_of(size);  // by position in the domain
    for (std::size_t level = 0; level < size; ++level) level_of[causes.levels[level]] = level;
    const std::vector<rt::Number> absent(size, rt::Number(1));
    const auto& always = leak.cause ? absent : leak.below[0];
    std::optional<std::size_t> before;
    for (std::size_t k = 0; k < links.size(); ++k) {
        Node& step = k + 1 < links.size() ? add_step(node, fmt::format("{} step {}", node.name, k + 1)) : node;
        step.parents = before ? std::vector{*before, *links[k].cause} : std::vector{*links[k].cause};
        for (std::size_t held = 0; held < (before ? size : 1); ++held)
            for (const auto& contribution : links[k].below) {
                std::vector<rt::Number> below(size, rt::Number(0));
                for (std::size_t level = before ? level_of[held] : 0; level < size; ++level)
                    below[level] = before ? contribution[level] : always[level] * contribution[level];
                append_levels(step, causes, below);
            }
        before = nodes_.size() - 1;
    }
}

}  // namespace credence::lang
