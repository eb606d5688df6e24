// Values in the place of variables: P(sick | pos), P(Coin = heads, heads, tails).

#include <algorithm>

#include <fmt/format.h>

#include "lang/check/checker.hpp"
#include "lang/world/messages.hpp"

namespace credence::lang {

namespace {

/// The variables of these shapes that have the word for a value.
std::vector<std::string> variables_with(const std::vector<const ModelShape*>& shapes, std::string_view label) {
    std::vector<std::string> out;
    for (const auto* shape : shapes)
        for (const auto& v : shape->variables)
            if (v.labels && !v.next && std::find(v.labels->begin(), v.labels->end(), label) != v.labels->end()) out.push_back(v.name);
    return out;
}

/// P(Coin = heads, heads, tails): the list that seems to be meant where this word follows such an event; else nothing.
std::string list_meant(const QueryExpr& query, Span word, const std::vector<std::string>& owners) {
    for (const auto* items : {&query.targets, &query.given}) {
        std::string list;
        const std::string* variable = nullptr;
        bool follows = false;
        for (const auto& item : *items) {
            const auto* event = std::get_if<EventItem>(&item.node);
            const auto* atom = event ? std::get_if<EventAtom>(&event->event->node) : nullptr;
            const auto* alone = event ? std::get_if<EventName>(&event->event->node) : nullptr;
            const auto* value = atom && atom->op == EventOp::equal ? std::get_if<NameExpr>(&atom->value->node) : nullptr;
            const auto owns = [&](const std::string& owner) { return owner.substr(0, owner.find('[')) == atom->variable.name.text; };
            if (value && std::any_of(owners.begin(), owners.end(), owns)) {
                variable = &atom->variable.name.text;
                list = value->name;
            } else if (variable && alone) {
                list += ", " + alone->variable.name.text;
                follows = follows || alone->variable.span.begin == word.begin;
            } else {
                if (follows) break;
                variable = nullptr;
            }
        }
        if (follows) return fmt::format("{} = [{}]", *variable, list);
    }
    return {};
}

}  // namespace

/// P(sick | pos): a value in the place of a variable. True if it was one and has been reported.
bool Checker::value_for_variable(const QueryExpr& query, const std::vector<const ModelShape*>& shapes, std::string_view word, Span where) {
    const auto owners = variables_with(shapes, word);
    if (owners.empty()) return false;
    const auto list = list_meant(query, where, owners);
    const bool first = list.empty() || list.find(fmt::format(", {}", word)) == std::string::npos || diagnostics_->empty() ||
                       diagnostics_->back().help.empty() || diagnostics_->back().help.back().find(list) == std::string::npos;
    if (!first) return true;  // the next word of a list that has been reported
    report("E-VARIABLE", fmt::format("{} is a value, not a variable", word), where, fmt::format("a value of {}", listed(owners)),
           list.empty() ? fmt::format("write {} = {}", owners.front(), word) : fmt::format("write several values as a list: {}", list));
    return true;
}

}  // namespace credence::lang
