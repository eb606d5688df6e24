// Data and plates in a query: a plate compared with a list, a table, a record.

#include <fmt/format.h>

#include "lang/eval/lower_query.hpp"
#include "lang/world/messages.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/prob/queries/conditioned.hpp"
#include "runtime/prob/queries/events.hpp"

namespace credence::lang {

std::vector<rt::VarId> QueryLowering::plate(std::string_view name) const {
    std::vector<rt::VarId> out;
    const auto& variables = model_.model->variables();
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (is_member(variables[i], name)) out.push_back(static_cast<rt::VarId>(i));
    }
    return out;
}

/// The list that a plate is compared with: a value for each of its variables, in the order in which they are declared.
Result<List> QueryLowering::plate_items(const EventAtom& a, std::span<const rt::VarId> members) {
    // A label cannot stand for several values: a word here is a name of the script.
    const auto* word = std::get_if<NameExpr>(&a.value->node);
    const bool named = word && (word->resolved.kind == Resolution::Kind::local || word->resolved.kind == Resolution::Kind::global);
    auto value = TRY(named ? self_.eval(*a.value, frame_) : self_.eval_label(*a.value, frame_));
    const List* items = value.items();
    if (!items || items->size() != members.size())
        return self_.fault("E-TYPE",
                           fmt::format("{} stands for {} variables, {} to {}", a.variable.name.text, members.size(),
                                       var(members.front()).name, var(members.back()).name),
                           a.value->span, items ? fmt::format("this list has {}", items->size()) : "a list of their values is needed");
    return *items;
}

/// X = […] of a plate inside of another event.
Result<rt::Event> QueryLowering::plate_event(const EventAtom& a, std::span<const rt::VarId> members, Span span) {
    const auto items = TRY(plate_items(a, members));
    rt::Event out;
    out.kind = rt::Event::Kind::all;
    out.origin = self_.origin(span);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (items[i].is<AnyMark>()) continue;  // any value will do
        auto label = TRY(label_for(members[i], items[i], a.value->span, true, a.value.get()));
        out.parts.push_back(rt::event_equal(members[i], std::move(label), out.origin));
    }
    if (a.op == EventOp::equal) return out;
    rt::Event other;
    other.kind = rt::Event::Kind::negation;
    other.origin = out.origin;
    other.parts.push_back(std::move(out));
    return other;
}

/// `y = [28, 8, …]` of a plate, as evidence or as data.
Status QueryLowering::plate_values(const EventAtom& a, std::span<const rt::VarId> members, rt::Clause& clause, bool evidence) {
    const auto items = TRY(plate_items(a, members));
    // Before the bar, values of real numbers are data: one row, which has a density and not the probability 0.
    const bool row = !evidence && std::none_of(members.begin(), members.end(), [&](rt::VarId id) { return var(id).is_discrete(); });
    auto data = std::make_shared<rt::Table>();
    data->row_count = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto id = members[i];
        if (items[i].is<AnyMark>()) continue;  // a missing cell: not observed
        auto label = TRY(label_for(id, items[i], a.value->span, true, a.value.get()));
        if (row) {
            rt::ColumnBuilder cell(var(id).name);
            cell.add(label);
            auto column = std::move(cell).finish();
            if (!column) return self_.at(std::move(column).fault(), a.value->span);
            data->columns.push_back(*std::move(column));
            continue;
        }
        rt::Event event;
        event.atom = {id, rt::Compare::equal, {std::move(label)}, self_.origin(a.value->span)};
        event.origin = event.atom.origin;
        clause.events.push_back(std::move(event));
    }
    if (row) clause.data.push_back({std::move(data), self_.origin(a.value->span)});
    return rt::Done{};
}

/// A table as evidence or as data: a column is a variable of each row. One that is named like a plate with as many members as there are
/// rows is their values, row by row.
Status QueryLowering::data(const rt::TablePtr& table, Span span, rt::Clause& clause) {
    auto rest = std::make_shared<rt::Table>();
    rest->row_count = table->row_count;
    bool any_plate = false;
    for (const auto& column : table->columns) {
        const auto members = find(column->name) ? std::vector<rt::VarId>() : plate(column->name);
        if (members.empty()) {
            if (find(column->name)) rest->columns.push_back(column);
            continue;
        }
        any_plate = true;
        if (members.size() != table->rows())
            return self_.fault("E-COLUMN",
                               fmt::format("{} stands for {} variables, and the table has {}", column->name, members.size(),
                                           rt::counted(table->rows(), "row")),
                               span, "a plate is observed by a table with a row for each of its members");
        for (std::size_t r = 0; r < members.size(); ++r) {
            if (column->is_missing(r)) continue;
            rt::Label label = column->label(r);
            const auto& member = var(members[r]);
            if (member.is_discrete()) label = rt::truth_of_number(*member.domain, label);
            if (member.is_discrete() && !member.domain->find(label)) return self_.at(no_such_label(member, label), span);
            if (!member.is_discrete() && !label.is_number())
                return self_.fault("E-TYPE", fmt::format("{} is a number, and '{}' is not", member.name, label.text()), span,
                                   fmt::format("row {} of the table", r + 1));
            rt::Event event;
            event.atom = {members[r], rt::Compare::equal, {std::move(label)}, self_.origin(span)};
            event.origin = event.atom.origin;
            clause.events.push_back(std::move(event));
        }
    }
    if (!any_plate)
        clause.data.push_back({table, self_.origin(span)});
    else if (!rest->columns.empty())
        clause.data.push_back({std::move(rest), self_.origin(span)});
    return rt::Done{};
}

/// A record as evidence, such as a row of a table: what it says of variables that the query does not speak of yet. `?` says nothing.
Status QueryLowering::record(const Record& row, Span span, rt::Clause& clause) {
    const auto open = unmentioned();
    for (const auto& [key, value] : row.entries) {
        const auto id = find(key);
        if (!id && row.row) continue;  // another column of its table
        if (!id) return unknown_variable(key, span);
        if (value.is<AnyMark>() || !rt::contains(open, *id)) continue;
        auto label = TRY(label_for(*id, value, span, true));
        rt::Event event;
        event.atom = {*id, rt::Compare::equal, {std::move(label)}, self_.origin(span)};
        event.origin = event.atom.origin;
        clause.events.push_back(std::move(event));
    }
    return rt::Done{};
}

/// The values, in order, of the variables that the query does not speak of; or of all, with ? for the others.
Status QueryLowering::instance(const Instance& cells, Span span, rt::Clause& clause) {
    auto over = unmentioned();
    if (cells.elements.size() != over.size())
        if (auto all = rt::open_variables(*model_.model); all.size() == cells.elements.size()) over = std::move(all);
    std::vector<std::string> names;
    for (const auto id : over) names.push_back(var(id).name);
    if (cells.elements.size() != names.size())
        return self_.fault("E-ARGUMENT",
                           fmt::format("the instance has {}, and {} not named in the query", rt::counted(cells.elements.size(), "value"),
                                       names.size() == 1 ? "one variable is" : fmt::format("{} variables are", names.size())),
                           span, fmt::format("in order: {}", rt::joined(names, ", ")), "a record gives some of them: {Variable: value}");
    Record row;
    for (std::size_t i = 0; i < names.size(); ++i) row.entries.emplace_back(names[i], cells.elements[i]);
    return record(row, span, clause);
}

}  // namespace credence::lang
