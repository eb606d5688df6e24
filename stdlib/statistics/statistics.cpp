// Statistics of lists of numbers: exact where the numbers are, with the sample variance (n - 1).

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "runtime/core/text.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/design.hpp"
#include "stdlib/statistics/shares.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using rt::Number;

constexpr const char* subject = "statistics";

Number whole(std::size_t n) { return Number(rt::Rational(static_cast<std::int64_t>(n))); }

Fault too_few(std::string_view name, std::size_t needed, rt::Origin origin) {
    return {.code = "E-EMPTY", .message = fmt::format("{} needs at least {}", name, rt::counted(needed, "number")), .origin = origin};
}

bool all_exact(const std::vector<Number>& xs) {
    return std::all_of(xs.begin(), xs.end(), [](const Number& x) { return x.is_exact(); });
}

Number mean_of(const std::vector<Number>& xs) {
    Number total = 0;
    for (const auto& x : xs) total += x;
    return total / whole(xs.size());
}

/// Sum of products of deviations; two passes, so that reals do not cancel.
Number co_deviation(const std::vector<Number>& xs, const std::vector<Number>& ys) {
    const Number mx = mean_of(xs);
    const Number my = mean_of(ys);
    Number total = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) total += (xs[i] - mx) * (ys[i] - my);
    return total;
}

Result<Value> checked_pair(CallContext& c, std::string_view name, const Numbers& xs, const Numbers& ys) {
    if (xs.values.size() != ys.values.size())
        return Fault{.code = "E-ARGUMENT",
                     .message = fmt::format("{}: the lists have {} and {} numbers", name, xs.values.size(), ys.values.size()),
                     .origin = c.argument(1)};
    if (xs.values.size() < 2) return too_few(name, 2, c.argument(0));
    return Value();
}

/// Between two neighbours in proportion (type 7 of Hyndman & Fan 1996, the default of R and numpy).
Number quantile_of(std::vector<Number> xs, const Number& p) {
    std::sort(xs.begin(), xs.end(), [](const Number& a, const Number& b) { return a < b; });
    const Number position = p * whole(xs.size() - 1);
    const Number below = position.is_exact() ? Number(position.exact().floor()) : Number::real(std::floor(position.real()));
    const auto i = static_cast<std::size_t>(below.real());
    if (i + 1 >= xs.size()) return xs.back();
    return xs[i] + (position - below) * (xs[i + 1] - xs[i]);
}

/// Of two lists that are not constant.
Number correlation_of(const std::vector<Number>& xs, const std::vector<Number>& ys) {
    const Number sxx = co_deviation(xs, xs);
    const Number syy = co_deviation(ys, ys);
    const Number sxy = co_deviation(xs, ys);
    // |r| of exact data may be exactly 1: decide that in fractions before the root rounds it.
    if (all_exact(xs) && all_exact(ys) && sxy * sxy == sxx * syy) return Number(sxy.sign());
    return Number::real(std::clamp(sxy.real() / std::sqrt(sxx.real() * syy.real()), -1.0, 1.0));
}

/// A row and a column for each numeric column of a table: what `entry` makes of the two.
template <class Entry>
Result<Value> matrix_of(CallContext& c, const rt::Table& t, std::string_view name, Entry entry) {
    std::vector<rt::ColumnPtr> columns;
    for (const auto& column : t.columns)
        if (column->kind == rt::ColumnKind::numeric) columns.push_back(column);
    if (columns.empty())
        return Fault{.code = "E-TABLE", .message = fmt::format("{}: the table has no numeric column", name), .origin = c.argument(0)};
    const auto complete = rt::complete_rows(columns, {.table = &t, .rows = {}});
    if (complete.size() < 2)
        return Fault{.code = "E-EMPTY", .message = fmt::format("{} needs at least 2 complete rows", name), .origin = c.argument(0)};
    std::vector<std::vector<Number>> lists;
    for (const auto& column : columns) {
        auto& list = lists.emplace_back();
        const bool exact = !column->real && complete.size() <= rt::max_exact_rows;
        for (const auto row : complete) list.push_back(exact ? column->number(row) : Number::real(column->values[row]));
        if (name == "correlation" && co_deviation(list, list).is_zero())
            return Fault{.code = "E-UNDEFINED",
                         .message = fmt::format("correlation: {} is constant", column->name),
                         .origin = c.argument(0),
                         .hint = fmt::format("drop(t, {}) leaves it out", column->name)};
    }
    std::vector<rt::ColumnPtr> out;
    rt::ColumnBuilder names("column");
    for (const auto& column : columns) names.add(rt::Label::of_text(column->name));
    out.push_back(TRY(std::move(names).finish(rt::ColumnKind::label)));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        rt::ColumnBuilder entries(columns[i]->name);
        for (std::size_t j = 0; j < columns.size(); ++j)
            entries.add(rt::Label::of_number(entry(lists[std::min(i, j)], lists[std::max(i, j)])));
        out.push_back(TRY(std::move(entries).finish(rt::ColumnKind::numeric)));
    }
    return Value(Value::Node(rt::make_table(std::move(out), std::nullopt, columns.size())));
}

void add_moments_of_lists(Registry& r) {
    r.add(bind(
        {subject, "mean", {{"xs"}}, "The arithmetic mean.", "mean([1, 2, 6]) == 3"}, +[](CallContext& c, Numbers xs) -> Result<Value> {
            if (xs.values.empty()) return too_few("mean", 1, c.argument(0));
            return Value(mean_of(xs.values));
        }));
    r.add(bind(
        {subject, "variance", {{"xs"}}, "The sample variance: squared deviations over n - 1.", "variance([1, 2, 3]) == 1"},
        +[](CallContext& c, Numbers xs) -> Result<Value> {
            if (xs.values.size() < 2) return too_few("variance", 2, c.argument(0));
            return Value(co_deviation(xs.values, xs.values) / whole(xs.values.size() - 1));
        }));
    r.add(bind(
        {subject,
         "sd",
         {{"xs"}},
         "The sample standard deviation. The confidence interval of a mean at 95 % is mean(xs), plus and minus "
         "quantile(student_t(count(xs) - 1), 0.975) * sd(xs) / sqrt(count(xs)).",
         "sd([1, 2, 3]) == 1"},
        +[](CallContext& c, Numbers xs) -> Result<Value> {
            if (xs.values.size() < 2) return too_few("sd", 2, c.argument(0));
            return Value(Number::real(std::sqrt((co_deviation(xs.values, xs.values) / whole(xs.values.size() - 1)).real())));
        }));
    r.add(bind(
        {subject, "median", {{"xs"}}, "The middle number, or the mean of the two middle ones.", "median([5, 1, 2, 4]) == 3"},
        +[](CallContext& c, Numbers xs) -> Result<Value> {
            if (xs.values.empty()) return too_few("median", 1, c.argument(0));
            return Value(quantile_of(std::move(xs.values), rt::Rational(1, 2)));
        }));
}

void add_quantiles(Registry& r) {
    r.add(bind(
        {subject,
         "quantile",
         {{"xs"}, {"p"}},
         "The number that a share p of the list lies below, with linear interpolation between neighbours.",
         "quantile([1, 2, 3, 4], 1/4) == 7/4"},
        +[](CallContext& c, Numbers xs, Probability p) -> Result<Value> {
            if (xs.values.empty()) return too_few("quantile", 1, c.argument(0));
            return Value(quantile_of(std::move(xs.values), p.value));
        }));
    r.add(bind(
        {subject,
         "quantile",
         {{"xs"}, {"ps"}},
         "The quantiles for several shares, as a list.",
         "quantile([1, 2, 3, 4], [0, 1/2, 1]) == [1, 5/2, 4]"},
        +[](CallContext& c, Numbers xs, Numbers ps) -> Result<Value> {
            if (xs.values.empty()) return too_few("quantile", 1, c.argument(0));
            TRY(check_shares(c, ps, 1));
            List out;
            for (const auto& p : ps.values) out.push_back(Value(quantile_of(xs.values, p)));
            return Value::list(std::move(out));
        }));
}

void add_covariances(Registry& r) {
    r.add(bind(
        {subject, "covariance", {{"xs"}, {"ys"}}, "The sample covariance (n - 1).", "covariance([1, 2, 3], [2, 4, 6]) == 2"},
        +[](CallContext& c, Numbers xs, Numbers ys) -> Result<Value> {
            if (auto ok = checked_pair(c, "covariance", xs, ys); !ok) return ok;
            return Value(co_deviation(xs.values, ys.values) / whole(xs.values.size() - 1));
        }));
    r.add(bind(
        {subject, "correlation", {{"xs"}, {"ys"}}, "Pearson's correlation coefficient.", "correlation([1, 2, 3], [2, 4, 6]) == 1"},
        +[](CallContext& c, Numbers xs, Numbers ys) -> Result<Value> {
            if (auto ok = checked_pair(c, "correlation", xs, ys); !ok) return ok;
            for (const std::size_t which : {0, 1})
                if (const auto& list = which == 0 ? xs.values : ys.values; co_deviation(list, list).is_zero())
                    return Fault{
                        .code = "E-UNDEFINED", .message = "correlation: one of the lists is constant", .origin = c.argument(which)};
            return Value(correlation_of(xs.values, ys.values));
        }));
    r.add(bind(
        {subject,
         "covariance",
         {{"t"}},
         "The sample covariances of the numeric columns, as a table with a row for each column. Rows with a missing value are left out.",
         "covariance(line).x == [1, 2]"},
        +[](CallContext& c, rt::TablePtr t) -> Result<Value> {
            return matrix_of(c, *t, "covariance",
                             [](const auto& xs, const auto& ys) { return co_deviation(xs, ys) / whole(xs.size() - 1); });
        }));
    r.add(bind(
        {subject,
         "correlation",
         {{"t"}},
         "Pearson's correlations of the numeric columns, as a table with a row for each column. Rows with a missing value are left out.",
         "correlation(line).y == [1, 1]"},
        +[](CallContext& c, rt::TablePtr t) -> Result<Value> { return matrix_of(c, *t, "correlation", correlation_of); }));
}

}  // namespace

void add_statistics(Registry& r) {
    add_moments_of_lists(r);
    add_quantiles(r);
    add_covariances(r);
}

}  // namespace credence::std_
