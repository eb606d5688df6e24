#include "runtime/prob/queries/row_events.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/prob/queries/events.hpp"

namespace credence::rt {

namespace {

RowMask rows_of_labels(const Atom& atom, const Column& column) {
    std::vector<char> truth{0};  // a missing cell has code −1
    for (const auto& label : column.domain->labels()) truth.push_back(holds(atom, label) ? 1 : 0);
    RowMask out(column.codes.size());
    for (std::size_t row = 0; row < out.size(); ++row) out[row] = truth[static_cast<std::size_t>(column.codes[row] + 1)];
    return out;
}

/// Doubles decide, except where they are equal: there the cell's fraction may still differ.
RowMask rows_of_numbers(const Atom& atom, const Column& column) {
    RowMask out(column.values.size(), atom.compare == Compare::not_equal ? 1 : 0);
    for (const auto& value : atom.values) {
        if (!value.is_number()) continue;
        const double bound = value.number()->real();
        for (std::size_t row = 0; row < out.size(); ++row) {
            const double x = column.values[row];
            char truth = 0;
            switch (atom.compare) {
                case Compare::less:
                case Compare::less_equal:
                    truth = x < bound ? 1 : 0;
                    break;
                case Compare::greater:
                case Compare::greater_equal:
                    truth = x > bound ? 1 : 0;
                    break;
                case Compare::not_equal:
                    truth = 1;
                    break;
                case Compare::equal:
                case Compare::one_of:
                    truth = 0;
                    break;
            }
            if (x == bound) {
                Atom one = atom;
                one.values = {value};
                truth = holds(one, Label::of_number(column.number(row))) ? 1 : 0;
            }
            if (atom.compare == Compare::one_of)
                out[row] = static_cast<char>(out[row] | truth);
            else
                out[row] = truth;
        }
    }
    return out;
}

}  // namespace

RowMask rows_where(const Event& event, const Table& table) {
    switch (event.kind) {
        case Event::Kind::atom: {
            const Column& column = *table.columns[index(event.atom.variable)];
            return column.kind == ColumnKind::label ? rows_of_labels(event.atom, column) : rows_of_numbers(event.atom, column);
        }
        case Event::Kind::negation: {
            auto out = rows_where(event.parts[0], table);
            for (auto& truth : out) truth = static_cast<char>(truth ^ 1);
            return out;
        }
        case Event::Kind::all:
        case Event::Kind::any: {
            const bool all = event.kind == Event::Kind::all;
            RowMask out(table.rows(), all ? 1 : 0);
            for (const auto& part : event.parts) {
                const auto truth = rows_where(part, table);
                for (std::size_t row = 0; row < out.size(); ++row)
                    out[row] = all ? static_cast<char>(out[row] & truth[row]) : static_cast<char>(out[row] | truth[row]);
            }
            return out;
        }
    }
    return {};
}

CodedColumn coded(const Column& column) {
    CodedColumn out;
    if (column.kind == ColumnKind::label) {
        out.domain = column.domain;
        out.codes = &column.codes;
        return out;
    }
    std::vector<std::uint32_t> order;
    for (std::size_t row = 0; row < column.values.size(); ++row)
        if (!std::isnan(column.values[row])) order.push_back(static_cast<std::uint32_t>(row));
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return column.values[a] == column.values[b] && (column.exact.empty() || column.exact[a] == column.exact[b]);
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (column.values[a] != column.values[b] || column.exact.empty()) return column.values[a] < column.values[b];
        return column.exact[a] < column.exact[b];
    });
    out.own.assign(column.values.size(), -1);
    std::vector<Label> labels;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || !same(order[i - 1], order[i])) labels.push_back(Label::of_number(column.number(order[i])));
        out.own[order[i]] = static_cast<std::int32_t>(labels.size()) - 1;
    }
    out.domain = make_domain(std::move(labels));
    return out;
}

}  // namespace credence::rt
