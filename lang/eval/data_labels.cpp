// Labels that only data bring: those of loaded tables and of the models trained on them.

#include <algorithm>

#include <fmt/format.h>

#include "lang/eval/evaluator.hpp"
#include "lang/value/function.hpp"
#include "runtime/core/suggest.hpp"

namespace credence::lang {

namespace {

template <class Visit>
void for_each_domain(const Value& value, const Visit& visit) {
    if (const auto* table = value.get<rt::TablePtr>()) {
        for (const auto& column : (*table)->columns)
            if (column->domain) visit(*column->domain);
    } else if (const auto* model = value.get<ModelValue>()) {
        for (const auto& v : model->model->variables())
            if (v.variable.domain) visit(*v.variable.domain);
    } else if (const auto* list = value.get<ListPtr>()) {  // the parts of split(t)
        constexpr std::size_t most_parts = 32;
        if (!*list || (*list)->size() > most_parts) return;
        for (const auto& item : **list)
            if (item.get<rt::TablePtr>()) for_each_domain(item, visit);
    }
}

}  // namespace

Result<Value> Evaluator::data_label(const Resolution& resolution, const std::string& name, Span span) {
    const auto label = rt::Label::of_text(name);
    if (world_.data_labels.contains(name)) return Value::label(label);
    bool found = false;
    for (const auto& value : world_.globals)
        if (value && !found) for_each_domain(*value, [&](const rt::Domain& domain) { found = found || domain.find(label); });
    if (found) {
        world_.data_labels.insert(name);
        return Value::label(label);
    }
    if (resolution.slot != no_slot && world_.globals[resolution.slot]) return *world_.globals[resolution.slot];
    if (const auto* builtin = world_.registry.find(name)) return Value(Value::Node(std::make_shared<const Function>(Function{builtin})));
    constexpr std::size_t most_compared = 10'000;
    std::vector<std::string> known;
    for (const auto& value : world_.globals)
        if (value)
            for_each_domain(*value, [&](const rt::Domain& domain) {
                for (std::size_t i = 0; i < domain.size() && known.size() < most_compared; ++i) known.push_back(domain[i].text());
            });
    const auto near = rt::nearest(name, known);
    return fault("E-NAME", fmt::format("'{}' is not known here", name), span, "no name has this spelling, and no loaded table such a value",
                 near ? fmt::format("did you mean '{}'?", *near) : fmt::format("a new label is written in quotes: \"{}\"", name));
}

}  // namespace credence::lang
