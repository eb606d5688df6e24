#include "runtime/prob/queries/events.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/lookup.hpp"
#include "runtime/prob/queries/quantity.hpp"

namespace credence::rt {

Number number_meant(const Label& label) { return as_count(label).value_or(Number::real(std::nan(""))); }

bool ordered(Compare compare, const Number& a, const Number& b) {
    switch (compare) {
        case Compare::less:
            return a < b;
        case Compare::less_equal:
            return a <= b;
        case Compare::greater:
            return a > b;
        case Compare::greater_equal:
            return a >= b;
        case Compare::equal:
        case Compare::not_equal:
        case Compare::one_of:
            break;
    }
    assert(false);
    return false;
}

namespace {

void collect(const Event& event, std::vector<VarId>& out) {
    if (event.kind == Event::Kind::atom) out.push_back(event.atom.variable);
    for (const auto& part : event.parts) collect(part, out);
}

void flatten(const Event& event, std::vector<Event>& out) {
    if (event.kind != Event::Kind::all) {
        out.push_back(event);
        return;
    }
    for (const auto& part : event.parts) flatten(part, out);
}

/// Truth of the event for every configuration of the variables, atom by atom: tables are combined, not trees walked again.
std::vector<char> truth_of(const Event& event, std::span<const Slot> scope, const Sizes& sizes, const Variables& variables) {
    const auto n = static_cast<std::size_t>(table_size(scope, sizes));
    switch (event.kind) {
        case Event::Kind::atom: {
            const auto slot = static_cast<Slot>(index(event.atom.variable));
            const Domain& domain = *variables[slot].variable.domain;
            std::vector<char> of_value;
            for (const auto& label : domain.labels()) of_value.push_back(holds(event.atom, label) ? 1 : 0);
            const std::size_t stride = strides_in(scope, std::span(&slot, 1), sizes)[0];
            std::vector<char> out(n);
            for (std::size_t i = 0; i < n; ++i) out[i] = of_value[i / stride % domain.size()];
            return out;
        }
        case Event::Kind::negation: {
            auto out = truth_of(event.parts[0], scope, sizes, variables);
            for (auto& truth : out) truth = truth ? 0 : 1;
            return out;
        }
        case Event::Kind::all:
        case Event::Kind::any: {
            const bool all = event.kind == Event::Kind::all;
            std::vector<char> out(n, all ? 1 : 0);
            for (const auto& part : event.parts) {
                const auto truth = truth_of(part, scope, sizes, variables);
                for (std::size_t i = 0; i < n; ++i)
                    out[i] = all ? static_cast<char>(out[i] & truth[i]) : static_cast<char>(out[i] | truth[i]);
            }
            return out;
        }
    }
    return {};
}

std::string values_text(std::span<const Label> values) {
    constexpr std::size_t shown = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(values.size(), shown); ++i) out += (i == 0 ? "" : ", ") + values[i].text();
    if (values.size() > shown) out += fmt::format(", … {} in all", values.size());
    return out;
}

std::string_view sign_of(Compare compare) {
    static constexpr auto signs = std::to_array<std::string_view>({"=", "!=", "<", "<=", ">", ">=", "in"});
    static_assert(signs.size() == static_cast<std::size_t>(Compare::one_of) + 1);
    return value_of(compare, signs);
}

Fault points_of(const Atom& atom, const Event& event, const std::string& name) {
    auto values = atom.values;
    std::sort(values.begin(), values.end(),
              [](const Label& a, const Label& b) { return a.number() && b.number() ? *a.number() < *b.number() : a.text() < b.text(); });
    const bool one = values.size() == 1;
    return {
        .code = "E-QUERY",
        .message = fmt::format("{} is a real number: single values of it have probability 0", name),
        .origin = atom.origin == Origin::none ? event.origin : atom.origin,
        .label = one ? fmt::format("a density cannot be joined by `or`") : fmt::format("these are {} single values", values.size()),
        .hint = one ? fmt::format("ask for an interval, as in {0} > {1} - 0.5 and {0} < {1} + 0.5", name, values[0].text())
                    : fmt::format("{0} >= {1} and {0} <= {2} asks for the interval", name, values.front().text(), values.back().text())};
}

std::optional<Fault> point_in(const Event& event, const Variables& variables, const std::function<bool(VarId)>& is_real, bool beside_or) {
    if (event.kind == Event::Kind::atom) {
        const auto& atom = event.atom;
        const bool points = atom.compare == Compare::one_of || (atom.compare == Compare::equal && beside_or);
        if (!points || atom.values.empty() || !is_real(atom.variable)) return std::nullopt;
        return points_of(atom, event, variables[index(atom.variable)].variable.name);
    }
    for (const auto& part : event.parts)
        if (auto fault =
                point_in(part, variables, is_real, event.kind != Event::Kind::negation && (beside_or || event.kind == Event::Kind::any)))
            return fault;
    return std::nullopt;
}

std::string list_items(std::span<const EvidenceItem> items) {
    constexpr std::size_t shown = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(items.size(), shown); ++i) out += (i == 0 ? "" : ", ") + items[i].text;
    if (items.size() > shown) out += fmt::format(" and {} more", items.size() - shown);
    return out;
}

std::string observations_text(const Observations& list) {
    if (list.counts.empty()) return fmt::format("[{}]", values_text(list.values));
    std::string out;
    for (std::size_t i = 0; i < list.values.size(); ++i)
        out += fmt::format("{}{}: {}", i ? ", " : "", list.values[i].text(), list.counts[i]);
    return "{" + out + "}";
}

Clause joined(std::span<const EvidenceItem> items, std::size_t without) {
    Clause out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == without) continue;
        const Clause& c = items[i].clause;
        out.events.insert(out.events.end(), c.events.begin(), c.events.end());
        out.observations.insert(out.observations.end(), c.observations.begin(), c.observations.end());
        out.data.insert(out.data.end(), c.data.begin(), c.data.end());
        out.soft.insert(out.soft.end(), c.soft.begin(), c.soft.end());
    }
    return out;
}

}  // namespace

bool holds(const Atom& atom, const Label& value) {
    switch (atom.compare) {
        case Compare::equal:
            return same_value(value, atom.values[0]);
        case Compare::not_equal:
            return !same_value(value, atom.values[0]);
        case Compare::one_of:
            return std::any_of(atom.values.begin(), atom.values.end(), [&](const Label& one) { return same_value(value, one); });
        case Compare::less:
        case Compare::less_equal:
        case Compare::greater:
        case Compare::greater_equal:
            if (value.is_number() && atom.values[0].is_number()) return ordered(atom.compare, *value.number(), *atom.values[0].number());
            return ordered(atom.compare, number_meant(value), number_meant(atom.values[0]));
    }
    return false;
}

bool holds_with(const Event& event, const std::function<const Label&(VarId)>& value) {
    const auto part_holds = [&](const Event& part) { return holds_with(part, value); };
    switch (event.kind) {
        case Event::Kind::atom:
            return holds(event.atom, value(event.atom.variable));
        case Event::Kind::negation:
            return !part_holds(event.parts[0]);
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(), part_holds);
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(), part_holds);
    }
    return false;
}

std::vector<VarId> variables_of(const Event& event) {
    std::vector<VarId> out;
    collect(event, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::int64_t EventTable::only_value() const {
    if (variables.size() != 1 || std::count(truth.begin(), truth.end(), 1) != 1) return -1;
    return std::find(truth.begin(), truth.end(), 1) - truth.begin();
}

namespace {

/// Whether an event over one variable holds where that has this value.
bool holds_at(const Event& event, const Label& label) {
    const auto part = [&](const Event& e) { return holds_at(e, label); };
    switch (event.kind) {
        case Event::Kind::atom:
            return holds(event.atom, label);
        case Event::Kind::negation:
            return !part(event.parts[0]);
        case Event::Kind::all:
            return std::all_of(event.parts.begin(), event.parts.end(), part);
        case Event::Kind::any:
            return std::any_of(event.parts.begin(), event.parts.end(), part);
    }
    return false;
}

}  // namespace

Result<EventTable> table_of(const Event& event, const Variables& variables, const Run& run) {
    EventTable out;
    // One variable needs no look at the others: evidence on thousands is read in linear time.
    if (const auto named = variables_of(event); named.size() == 1 && variables[index(named[0])].variable.is_discrete()) {
        out.variables.push_back(static_cast<Slot>(index(named[0])));
        for (const auto& label : variables[index(named[0])].variable.domain->labels()) out.truth.push_back(holds_at(event, label) ? 1 : 0);
        return out;
    }
    Sizes sizes;
    SlotNames names;
    for (const auto& v : variables) {
        sizes.push_back(v.variable.is_discrete() ? v.variable.size() : 1);
        names.push_back(v.variable.name);
    }
    for (const auto v : variables_of(event)) out.variables.push_back(static_cast<Slot>(index(v)));
    if (auto fault = too_large({}, out.variables, sizes, names, 1, run)) {
        fault->origin = event.origin;
        fault->hint = "an event over this many variables is too large: ask for its parts";
        return *std::move(fault);
    }
    out.truth = truth_of(event, out.variables, sizes, variables);
    return out;
}

std::vector<Event> conjuncts(std::span<const Event> events) {
    std::vector<Event> out;
    for (const auto& event : events) flatten(event, out);
    return out;
}

std::optional<Fault> point_fault(const Event& event, const Variables& variables, const std::function<bool(VarId)>& is_real) {
    return point_in(event, variables, is_real, false);
}

Event event_equal(VarId variable, Label value, Origin origin) {
    Event out;
    out.atom = {.variable = variable, .compare = Compare::equal, .values = {std::move(value)}, .origin = origin};
    out.origin = origin;
    return out;
}

std::string event_text(const Event& event, const Variables& variables) {
    switch (event.kind) {
        case Event::Kind::atom: {
            const auto& name = variables[index(event.atom.variable)].variable.name;
            if (variables[index(event.atom.variable)].is_event && event.atom.compare == Compare::equal)
                return event.atom.values[0] == Label::of_bool(true) ? name : "not (" + name + ")";
            if (event.atom.compare == Compare::one_of) return fmt::format("{} in {{{}}}", name, values_text(event.atom.values));
            return fmt::format("{} {} {}", name, sign_of(event.atom.compare), values_text(event.atom.values));
        }
        case Event::Kind::negation:
            return "not (" + event_text(event.parts[0], variables) + ")";
        case Event::Kind::all:
        case Event::Kind::any: {
            std::string out;
            for (const auto& part : event.parts) {
                const bool nested = part.kind == Event::Kind::all || part.kind == Event::Kind::any;
                if (!out.empty()) out += event.kind == Event::Kind::all ? " and " : " or ";
                out += nested ? "(" + event_text(part, variables) + ")" : event_text(part, variables);
            }
            return out;
        }
    }
    return {};
}

std::optional<std::size_t> value_place(const Variable& variable, const Label& value) {
    return variable.domain->find(label_in(*variable.domain, value));
}

std::vector<EvidenceItem> items_of(const Clause& given, const Variables& variables) {
    std::vector<EvidenceItem> out;
    for (const auto& event : conjuncts(given.events)) {
        EvidenceItem item{.clause = {}, .text = event_text(event, variables), .origin = event.origin};
        item.clause.events.push_back(event);
        out.push_back(std::move(item));
    }
    for (const auto& list : given.observations) {
        EvidenceItem item{.clause = {},
                          .text = fmt::format("{} = {}", variables[index(list.variable)].variable.name, observations_text(list)),
                          .origin = list.origin};
        item.clause.observations.push_back(list);
        out.push_back(std::move(item));
    }
    for (const auto& data : given.data) {
        EvidenceItem item{.clause = {}, .text = fmt::format("the table of {} rows", data.table->rows()), .origin = data.origin};
        item.clause.data.push_back(data);
        out.push_back(std::move(item));
    }
    for (const auto& soft : given.soft) {
        if (soft.kind != SoftEvidence::Kind::likelihood) continue;  // a new marginal has a check of its own
        EvidenceItem item{.clause = {}, .text = variables[index(soft.variable)].variable.name + " likelihood {…}", .origin = soft.origin};
        item.clause.soft.push_back(soft);
        out.push_back(std::move(item));
    }
    return out;
}

Fault zero_fault(const std::vector<EvidenceItem>& items, Origin query, const std::function<Result<bool>(const Clause&)>& impossible) {
    auto left = items;
    for (std::size_t i = 0; i < left.size() && left.size() > 1;) {
        auto still = impossible(joined(left, i));
        if (!still) return std::move(still).fault();
        if (*still)
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
    Fault out{.code = "E-ZERO", .message = fmt::format("the evidence {} has probability zero", list_items(items)), .origin = query};
    if (left.empty()) return out;
    if (left.back().origin != Origin::none) out.origin = left.back().origin;
    if (left.size() == 1) {
        out.label = left[0].text + " is impossible in this model";
    } else {
        out.label = fmt::format("{} contradicts {}", left.back().text, list_items(std::span(left).first(left.size() - 1)));
    }
    out.hint = left.size() < items.size() ? "without it, the other evidence is possible" : "";
    return out;
}

}  // namespace credence::rt
