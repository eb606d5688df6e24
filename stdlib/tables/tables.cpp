// Tables as values: rows, columns, sorting, joining, counting.

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "lang/value/table_value.hpp"
#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/impute.hpp"
#include "runtime/data/table_ops.hpp"
#include "stdlib/stdlib.hpp"
#include "stdlib/subjects.hpp"
#include "stdlib/tables/bins.hpp"
#include "stdlib/tables/to_table.hpp"

namespace credence::std_ {

namespace {

using rt::Number;
using rt::TablePtr;

/// The table of the examples: columns x and c, three rows.
const std::string sample = "to_table([{x: 1, c: \"red\"}, {x: 2, c: \"blue\"}, {x: 3, c: \"red\"}])";

Number whole(std::size_t n) { return Number(rt::Rational(static_cast<std::int64_t>(n))); }
Value table_value(TablePtr t) { return Value(Value::Node(std::move(t))); }

Result<Value> made(Result<TablePtr> t, CallContext& c, std::size_t argument) {
    if (t) return table_value(*std::move(t));
    Fault fault = std::move(t).fault();
    if (fault.origin == rt::Origin::none) fault.origin = c.argument(argument);
    return fault;
}

/// What the function gives for a row, a record; nothing where it needs a cell that the row lacks.
Result<std::optional<Value>> of_row(CallContext& c, const rt::Table& t, std::size_t r, const Callable& f) {
    const Value row = row_value(t, r);
    auto value = c.call(f.function, std::span(&row, 1));
    if (value) return std::optional(*std::move(value));
    const auto lacks = [r](const rt::ColumnPtr& column) { return column->is_missing(r); };
    if (value.fault().code == "E-MISSING" && std::any_of(t.columns.begin(), t.columns.end(), lacks)) return std::optional<Value>();
    return std::move(value).fault();
}

/// The rows for which it is true.
Result<std::vector<std::uint32_t>> rows_where(CallContext& c, const rt::Table& t, const Callable& f) {
    std::vector<std::uint32_t> out;
    std::size_t unknown = 0;
    for (std::size_t r = 0; r < t.rows(); ++r) {
        const auto yes = TRY(of_row(c, t, r, f));
        if (!yes) {
            ++unknown;
            continue;
        }
        const auto* b = yes->get<bool>();
        if (!b)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("the function must return true or false, found {}", yes->kind()),
                         .origin = c.argument(1)};
        if (*b) out.push_back(static_cast<std::uint32_t>(r));
    }
    if (unknown > 0) c.note(fmt::format("{} left out: the condition needs a cell that is missing there", rt::counted(unknown, "row")));
    return out;
}

/// One change after the other to the named columns; without names, to all numeric ones but the target.
Result<Value> for_columns(CallContext& c, TablePtr t, const std::optional<ColumnNames>& names,
                          const std::function<Result<TablePtr>(const rt::Table&, const std::string&)>& change) {
    std::vector<std::string> chosen;
    if (names) chosen = names->texts;
    for (std::size_t k = 0; !names && k < t->columns.size(); ++k)
        if (t->columns[k]->kind == rt::ColumnKind::numeric && t->target != k) chosen.push_back(t->columns[k]->name);
    for (const auto& name : chosen) {
        auto changed = change(*t, name);
        if (!changed) return made(std::move(changed), c, 1);
        t = *std::move(changed);
    }
    return table_value(std::move(t));
}

Result<Value> grouped(CallContext& c, const rt::Table& t, const ColumnNames& by) {
    auto groups = rt::group_rows(t, by.texts);
    if (!groups) {
        Fault fault = std::move(groups).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    List out;
    for (const auto& group : *groups) {
        Record record;
        for (std::size_t k = 0; k < by.texts.size(); ++k)
            record.entries.emplace_back(by.texts[k], group.key[k] ? Value::label(*group.key[k]) : Value(Value::Node(AnyMark{})));
        auto rows = TRY(rt::take_rows(t, group.rows));
        record.entries.emplace_back("rows", table_value(std::move(rows)));
        out.push_back(Value::record(std::move(record)));
    }
    return Value::list(std::move(out));
}

/// The one column that both have.
Result<std::vector<std::string>> only_shared(CallContext& c, const rt::Table& s, const rt::Table& t) {
    auto shared = rt::shared_columns(s, t);
    if (shared.size() == 1) return shared;
    return Fault{.code = "E-ARGUMENT",
                 .message = shared.empty() ? "the tables have no column in common"
                                           : fmt::format("the tables have several columns in common: {}", rt::joined(shared, ", ")),
                 .origin = c.argument(1),
                 .hint = shared.empty() ? "rename(t, old, new) gives a column the same name in both"
                                        : fmt::format("on: {} joins by one, on: [{}] by all of them", shared[0], rt::joined(shared, ", "))};
}

/// Part after part is split off from what is left.
Result<Value> split_in_parts(CallContext& c, TablePtr t, const Numbers& shares, rt::Stratified stratified) {
    rt::Rational left(1);
    List out;
    for (const auto& share : shares.values) {
        const rt::Rational exact = share.is_exact() ? share.exact() : rt::Rational::from_decimal(share.real());
        if (exact < rt::Rational(0) || exact > left)
            return Fault{.code = "E-PARAMETER",
                         .message = "the shares are numbers from 0 to 1 that sum to 1",
                         .origin = c.argument(1),
                         .hint = "as in split(t, [0.6, 0.2, 0.2])"};
        if (left.is_zero() || exact == left) {
            out.push_back(table_value(exact == left ? t : TRY(rt::take_rows(*t, {}))));
            if (exact == left) t = TRY(rt::take_rows(*t, {}));
            left -= exact;
            continue;
        }
        auto both = TRY(rt::split(*t, exact / left, c.rng(), stratified));
        out.push_back(table_value(both.first));
        t = both.second;
        left -= exact;
    }
    if (!left.is_zero())
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("the shares sum to {}, not to 1", (rt::Rational(1) - left).text()),
                     .origin = c.argument(1),
                     .hint = "as in split(t, [0.6, 0.2, 0.2])"};
    return Value::list(std::move(out));
}

/// Counts as a factor over the columns; rows with a missing cell among them are left out.
Result<Value> counted(CallContext& c, const rt::Table& t, const ColumnNames& by) {
    auto groups = rt::group_rows(t, by.texts);
    if (!groups) {
        Fault fault = std::move(groups).fault();
        fault.origin = c.argument(1);
        return fault;
    }
    std::vector<rt::Variable> variables;
    std::size_t size = 1;
    for (std::size_t k = 0; k < by.texts.size(); ++k) {
        const auto& column = *t.columns[*t.find(by.texts[k])];
        rt::DomainPtr domain = column.domain;
        if (!domain) {
            std::vector<rt::Label> labels;
            for (const auto& group : *groups)
                if (group.key[k] && !rt::contains(labels, *group.key[k])) labels.push_back(*group.key[k]);
            std::sort(labels.begin(), labels.end());
            domain = rt::make_domain(std::move(labels));
        }
        size *= domain->size();
        if (size > 10'000'000)
            return Fault{
                .code = "E-COST", .message = "these columns have more than 10,000,000 combinations of values", .origin = c.argument(1)};
        variables.push_back({by.texts[k], std::move(domain)});
    }
    std::vector<rt::Rational> counts(size, rt::Rational(0));
    for (const auto& group : *groups) {
        std::size_t entry = 0;
        bool present = true;
        for (std::size_t k = 0; k < variables.size(); ++k) {
            const auto position = group.key[k] ? variables[k].domain->find(*group.key[k]) : std::nullopt;
            present = present && position.has_value();
            entry = entry * variables[k].size() + position.value_or(0);
        }
        if (present) counts[entry] += rt::Rational(static_cast<std::int64_t>(group.rows.size()));
    }
    return Value::factor(rt::Factor(std::move(variables), std::move(counts)));
}

void add_choices_of_rows(Registry& r) {
    r.add(bind(
        {subject::tables, "rows", {{"t"}}, "How many rows a table has.", "rows(" + sample + ") == 3"},
        +[](CallContext&, TablePtr t) -> Result<Value> { return Value(whole(t->rows())); }));
    r.add(bind(
        {subject::tables, "count", {{"t"}}, "How many rows a table has.", "count(" + sample + ") == 3"},
        +[](CallContext&, TablePtr t) -> Result<Value> { return Value(whole(t->rows())); }));
    r.add(bind(
        {subject::tables,
         "count",
         {{"t"}, {"by"}},
         "How many rows have each combination of values, as a factor.",
         "count(" + sample + ", by: c)[red] == 2"},
        +[](CallContext& c, TablePtr t, ColumnNames by) -> Result<Value> { return counted(c, *t, by); }));
    r.add(bind(
        {subject::tables, "head", {{"t"}, {"n", "6"}}, "The first rows.", "rows(head(" + sample + ", 2)) == 2"},
        +[](CallContext& c, TablePtr t, std::optional<Count> n) -> Result<Value> { return made(rt::head(*t, n ? n->value : 6), c, 0); }));
    r.add(bind(
        {subject::tables,
         "where",
         {{"t"}, {"f"}},
         "The rows for which the function of the row is true. Rows that lack a cell which the function compares are left out, with a note.",
         "rows(where(" + sample + ", row -> row.x > 1)) == 2"},
        +[](CallContext& c, TablePtr t, Callable f) -> Result<Value> {
            auto kept = TRY(rows_where(c, *t, f));
            return made(rt::take_rows(*t, kept), c, 0);
        }));
    r.add(bind(
        {subject::tables,
         "sort",
         {{"t"}, {"by"}, {"descending", "false"}},
         "The rows sorted by one or more columns. Missing cells come last.",
         "sort(" + sample + ", by: x, descending: true).x == [3, 2, 1]"},
        +[](CallContext& c, TablePtr t, ColumnNames by, std::optional<bool> descending) -> Result<Value> {
            std::vector<rt::SortKey> keys;
            for (auto& name : by.texts) keys.push_back({std::move(name), descending.value_or(false)});
            return made(rt::sort_by(*t, keys), c, 1);
        }));
    r.add(bind(
        {subject::tables,
         "shuffle",
         {{"t"}},
         "The rows in random order, which depends on `set seed`.",
         "sum(shuffle(" + sample + ").x) == 6"},
        +[](CallContext& c, TablePtr t) -> Result<Value> { return made(rt::shuffle(*t, c.rng()), c, 0); }));
    r.add(bind(
        {subject::tables, "shuffle", {{"xs"}}, "The items in random order.", "sort(shuffle([3, 1, 2])) == [1, 2, 3]"},
        +[](CallContext& c, Items xs) -> Result<Value> {
            List out = *xs.items;
            for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[static_cast<std::size_t>(c.rng().below(i))]);
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject::tables,
         "drop_missing",
         {{"t"}},
         "The rows that have no missing cell.",
         "rows(drop_missing(to_table([{x: 1, y: 2}, {x: 3}]))) == 1"},
        +[](CallContext& c, TablePtr t) -> Result<Value> { return made(rt::drop_missing(*t), c, 0); }));
}

void add_counts_and_cells(Registry& r) {
    r.add(bind(
        {subject::tables,
         "expand",
         {{"t"}, {"counts"}},
         "The table with each row repeated as often as its count says, without the column of counts, as in P(…) in expand(t, n).",
         "rows(expand(to_table([{x: 1, n: 2}, {x: 3, n: 1}]), n)) == 3"},
        +[](CallContext& c, TablePtr t, ColumnName counts) -> Result<Value> { return made(rt::expand(*t, counts.text), c, 1); }));
    r.add(bind(
        {subject::tables,
         "is_missing",
         {{"x"}},
         "Whether a cell is missing.",
         "rows(where(to_table([{x: 1, y: 2}, {x: 3}]), r -> not is_missing(r.y) and r.y > 1)) == 1"},
        +[](CallContext&, Value x) -> Result<Value> { return Value::boolean(x.is<AnyMark>()); }));
}

void add_splits_and_joins(Registry& r) {
    r.add(bind(
        {subject::tables,
         "split",
         {{"t"}, {"share"}, {"stratified", "true"}},
         "Two tables drawn at random. The first has the given share of the rows; with a target, that share of each class.",
         "rows(split(" + sample + ", 2/3)[1]) == 2"},
        +[](CallContext& c, TablePtr t, Probability share, std::optional<bool> stratified) -> Result<Value> {
            const rt::Rational exact = share.value.is_exact() ? share.value.exact() : rt::Rational::from_decimal(share.value.real());
            auto both = TRY(rt::split(*t, exact, c.rng(), stratified.value_or(true) ? rt::Stratified::yes : rt::Stratified::no));
            return Value::list({table_value(both.first), table_value(both.second)});
        }));
    r.add(bind(
        {subject::tables,
         "split",
         {{"t"}, {"shares"}, {"stratified", "true"}},
         "Several tables drawn at random, one for each share. The shares sum to 1.",
         "map(split(" + sample + ", [1/3, 1/3, 1/3]), p -> rows(p)) == [1, 1, 1]"},
        +[](CallContext& c, TablePtr t, Numbers shares, std::optional<bool> stratified) -> Result<Value> {
            return split_in_parts(c, std::move(t), shares, stratified.value_or(true) ? rt::Stratified::yes : rt::Stratified::no);
        }));
    for (const bool train : {true, false})
        r.add_member("split", bind(
                                  {subject::tables,
                                   train ? "train" : "test",
                                   {{"parts"}},
                                   train ? "The first table of a split, for training." : "The second table of a split.",
                                   train ? "rows(split(" + sample + ", 2/3).train) == 2" : "rows(split(" + sample + ", 2/3).test) == 1"},
                                  train ? +[](CallContext&, Items parts) -> Result<Value> { return parts.items->front(); }
                                        : +[](CallContext&, Items parts) -> Result<Value> { return parts.items->back(); }));
    r.add(bind(
        {subject::tables,
         "concat",
         {{"s"}, {"t"}, {"more"}},
         "The rows of one table, then those of others with the same columns.",
         "rows(concat(" + sample + ", " + sample + ")) == 6"},
        +[](CallContext& c, TablePtr s, TablePtr t, Rest more) -> Result<Value> {
            auto out = rt::concat(*s, *t);
            for (const auto& next : more.values) {
                const auto* table = next.get<TablePtr>();
                if (!table)
                    return Fault{.code = "E-TYPE",
                                 .message = fmt::format("concat joins tables with tables, not with {}", next.kind()),
                                 .origin = c.argument(2)};
                if (out) out = rt::concat(**out, **table);
            }
            return made(std::move(out), c, 1);
        }));
    r.add(bind(
        {subject::tables,
         "join",
         {{"s"}, {"t"}, {"on", "the column that both have"}, {"how", "inner", {"inner", "left"}}},
         "Every row of s combined with every row of t that has the same values in the columns `on`. With how: left, rows of s without a "
         "partner are kept, and their cells of t are missing.",
         "join(" + sample + ", to_table([{c: \"red\", warm: 1}]), on: c).warm == [1, 1]"},
        +[](CallContext& c, TablePtr s, TablePtr t, std::optional<ColumnNames> on, std::optional<Choice> how) -> Result<Value> {
            const auto names = on ? on->texts : TRY(only_shared(c, *s, *t));
            const auto rows = how && how->text == "left" ? rt::Unmatched::kept : rt::Unmatched::left_out;
            return made(rt::join(*s, *t, names, rows), c, on ? 2 : 1);
        }));
    r.add(bind(
        {subject::tables,
         "group",
         {{"t"}, {"by"}},
         "The groups of rows with the same values in some columns. Each group is a record with these values and the `rows`.",
         "count(group(" + sample + ", by: c)) == 2"},
        +[](CallContext& c, TablePtr t, ColumnNames by) -> Result<Value> { return grouped(c, *t, by); }));
}

void add_rows(Registry& r) {
    add_choices_of_rows(r);
    add_counts_and_cells(r);
    add_splits_and_joins(r);
}

std::vector<std::string> joined_names(ColumnNames names, const RestColumns& more) {
    names.texts.insert(names.texts.end(), more.texts.begin(), more.texts.end());
    return std::move(names.texts);
}

void add_choices_of_columns(Registry& r) {
    r.add(bind(
        {subject::tables, "columns", {{"t"}}, "The names of a table's columns.", "columns(" + sample + ") == [\"x\", \"c\"]"},
        +[](CallContext&, TablePtr t) -> Result<Value> {
            List out;
            for (const auto& column : t->columns) out.push_back(Value::text(column->name));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject::tables,
         "select",
         {{"t"}, {"columns"}, {"more"}},
         "The table with only these columns, in this order. They are given as a list or as separate arguments.",
         "columns(select(" + sample + ", [c])) == [\"c\"]"},
        +[](CallContext& c, TablePtr t, ColumnNames names, RestColumns more) -> Result<Value> {
            return made(rt::select(*t, joined_names(std::move(names), more)), c, 1);
        }));
    r.add(bind(
        {subject::tables,
         "drop",
         {{"t"}, {"columns"}, {"more"}},
         "The table without these columns, given as a list or as separate arguments.",
         "columns(drop(" + sample + ", c)) == [\"x\"]"},
        +[](CallContext& c, TablePtr t, ColumnNames names, RestColumns more) -> Result<Value> {
            return made(rt::drop(*t, joined_names(std::move(names), more)), c, 1);
        }));
    r.add(bind(
        {subject::tables,
         "rename",
         {{"t"}, {"old"}, {"new"}},
         "One column under another name.",
         "columns(rename(" + sample + ", x, y)) == [\"y\", \"c\"]"},
        +[](CallContext& c, TablePtr t, ColumnName old_name, ColumnName new_name) -> Result<Value> {
            return made(rt::rename(*t, old_name.text, new_name.text), c, 1);
        }));
}

void add_computed_columns(Registry& r) {
    r.add(bind(
        {subject::tables,
         "with_column",
         {{"t"}, {"name"}, {"f"}},
         "The table with a column computed from each row. A column of the same name is replaced. Where the function computes with a cell "
         "that is missing, the new cell is missing too.",
         "with_column(" + sample + ", y, row -> 2 * row.x).y == [2, 4, 6]"},
        +[](CallContext& c, TablePtr t, ColumnName name, Callable f) -> Result<Value> {
            rt::ColumnBuilder column(name.text);
            std::size_t unknown = 0;
            for (std::size_t row = 0; row < t->rows(); ++row) {
                const auto cell = TRY(of_row(c, *t, row, f));
                unknown += !cell;
                TRY(add_cell(column, cell ? &*cell : nullptr, "the function gave", c.argument(2)));
            }
            if (unknown > 0)
                c.note(fmt::format("{} is missing in {}: it is computed from a cell that is missing there", name.text,
                                   rt::counted(unknown, "row")));
            auto built = TRY(std::move(column).finish());
            return made(rt::with_column(*t, std::move(built), rt::IfThere::replace), c, 1);
        }));
    r.add(bind(
        {subject::tables,
         "with_column",
         {{"t"}, {"name"}, {"values"}},
         "The table with a column of these values, one for each row.",
         "with_column(" + sample + ", y, [2, 4, 6]).y == [2, 4, 6]"},
        +[](CallContext& c, TablePtr t, ColumnName name, Items values) -> Result<Value> {
            if (values.items->size() != t->rows())
                return Fault{.code = "E-TYPE",
                             .message = fmt::format("a column has a value for each row: this list has {}, the table {}",
                                                    values.items->size(), rt::counted(t->rows(), "row")),
                             .origin = c.argument(2)};
            rt::ColumnBuilder column(name.text);
            for (const auto& value : *values.items) {
                const auto label = value.as_label();
                if (value.is<AnyMark>())
                    column.add_missing();
                else if (label)
                    column.add(*label);
                else
                    return Fault{.code = "E-TYPE",
                                 .message = fmt::format("a cell is a number or a label, not {}", value.kind()),
                                 .origin = c.argument(2)};
            }
            auto built = TRY(std::move(column).finish());
            return made(rt::with_column(*t, std::move(built), rt::IfThere::replace), c, 1);
        }));
}

void add_kinds_of_columns(Registry& r) {
    r.add(bind(
        {subject::tables,
         "with_target",
         {{"t"}, {"column"}},
         "The table with that column as its target.",
         "P(c = \"red\" | x = 1) in with_target(" + sample + ", c) == 1"},
        +[](CallContext& c, TablePtr t, ColumnName name) -> Result<Value> { return made(rt::with_target(*t, name.text), c, 1); }));
    r.add(bind(
        {subject::tables,
         "as_labels",
         {{"t"}, {"columns", "all numeric"}},
         "The table with numeric columns as labels.",
         "rows(as_labels(" + sample + ", x)) == 3"},
        +[](CallContext& c, TablePtr t, std::optional<ColumnNames> names) -> Result<Value> {
            return for_columns(c, std::move(t), names,
                               [](const rt::Table& at, const std::string& name) { return rt::as_labels(at, name); });
        }));
}

void add_new_columns(Registry& r) {
    add_computed_columns(r);
    add_kinds_of_columns(r);
}

void add_scales_of_numbers(Registry& r) {
    r.add(bind(
        {subject::tables,
         "discretize",
         {{"t"}, {"columns", "all numeric"}, {"bins"}, {"method", "width", {"width", "frequency", "quantile"}}},
         "The table with numeric columns cut into bins of equal width or equal frequency (at the quantiles). `bins` is the number of bins "
         "or the list of cut points.",
         "discretize(" + sample + ", x, bins: [2]).x == [\"<= 2\", \"<= 2\", \"> 2\"]"},
        +[](CallContext& c, TablePtr t, std::optional<ColumnNames> names, Value bins, std::optional<Choice> method) -> Result<Value> {
            if (const auto* n = bins.get<Number>()) {
                const std::size_t k = TRY(bin_count(*n, c.argument(2)));
                const auto binning = method && method->text != "width" ? rt::Binning::frequency : rt::Binning::width;
                return for_columns(c, std::move(t), names,
                                   [&](const rt::Table& at, const std::string& name) { return rt::discretize(at, name, k, binning); });
            }
            auto cuts = Take<Numbers>::from(bins, {.name = "bins"});
            if (!cuts) {
                Fault fault = std::move(cuts).fault();
                fault.origin = c.argument(2);
                return fault;
            }
            return for_columns(c, std::move(t), names,
                               [&](const rt::Table& at, const std::string& name) { return rt::discretize(at, name, cuts->values); });
        }));
    r.add(bind(
        {subject::tables,
         "scale",
         {{"t"}, {"columns", "all numeric"}, {"method", "standard", {"standard", "range"}}},
         "Numeric columns scaled to mean 0 and standard deviation 1 (standard), or to the range 0 to 1 (range). The method may also stand "
         "in the place of the columns: scale(t, range).",
         "scale(" + sample + ", x, method: range).x == [0, 1/2, 1]"},
        +[](CallContext& c, TablePtr t, std::optional<ColumnNames> names, std::optional<Choice> method) -> Result<Value> {
            std::string how = method ? method->text : "standard";
            if (names && !method && names->texts.size() == 1 && rt::contains(std::array{"standard", "range"}, names->texts[0]) &&
                !t->find(names->texts[0])) {
                how = names->texts[0];
                names.reset();
            }
            auto scaled = rt::scale(*t, names ? names->texts : std::vector<std::string>{},
                                    how == "range" ? rt::Scaling::range : rt::Scaling::standard);
            if (!scaled) {
                Fault fault = std::move(scaled).fault();
                fault.origin = c.argument(1);
                return fault;
            }
            return table_value(scaled->table);
        }));
}

void add_filling_and_recoding(Registry& r) {
    r.add(bind(
        {subject::tables,
         "impute",
         {{"t"},
          {"columns", "all but the target"},
          {"numbers", "mean", {"mean", "median", "most_common"}},
          {"by_class", "false"},
          {"like", "t"}},
         "The table with its missing cells filled in. Numbers take the mean, the median or the most common number of their column; labels "
         "take the most common label. by_class: from the rows of the same class only. like: from the cells of another table, as when test "
         "rows are filled from the training rows.",
         "impute(line).x == line.x"},
        +[](CallContext& c, TablePtr t, std::optional<ColumnNames> names, std::optional<Choice> numbers, std::optional<bool> by_class,
            std::optional<TablePtr> like) -> Result<Value> {
            rt::ImputeOptions options{.by_class = by_class.value_or(false)};
            if (numbers && numbers->text == "median") options.numbers = rt::NumberFill::median;
            if (numbers && numbers->text == "most_common") options.numbers = rt::NumberFill::most_common;
            return made(rt::impute(*t, names ? names->texts : std::vector<std::string>{}, like ? **like : *t, options), c, 0);
        }));
    r.add(bind(
        {subject::tables,
         "encode",
         {{"t"}, {"columns", "all labels"}},
         "Label columns as columns of 0 and 1, one for each label.",
         "encode(" + sample + ", c).`c=red` == [1, 0, 1]"},
        +[](CallContext& c, TablePtr t, std::optional<ColumnNames> names) -> Result<Value> {
            return made(rt::encode(*t, names ? names->texts : std::vector<std::string>{}), c, 1);
        }));
}

void add_preparations(Registry& r) {
    add_scales_of_numbers(r);
    add_filling_and_recoding(r);
}

void add_columns(Registry& r) {
    add_choices_of_columns(r);
    add_new_columns(r);
    add_preparations(r);
    r.add(bind(
        {subject::tables,
         "describe",
         {{"t"}},
         "A table with one row for each column: kind, counts, mean, standard deviation, extremes, quartiles and most frequent value.",
         "rows(describe(" + sample + ")) == 2"},
        +[](CallContext& c, TablePtr t) -> Result<Value> { return made(rt::describe(*t), c, 0); }));
}

}  // namespace

void add_tables(Registry& r) {
    add_table_making(r);
    add_rows(r);
    add_columns(r);
}

}  // namespace credence::std_
