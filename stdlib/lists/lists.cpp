// Lists, sets and records.

#include <algorithm>
#include <compare>

#include <fmt/format.h>

#include "lang/builtin/bind.hpp"
#include "stdlib/stdlib.hpp"

namespace credence::std_ {

namespace {

using rt::Number;

constexpr const char* subject = "lists";

Number whole(std::size_t n) { return Number(rt::Rational(static_cast<std::int64_t>(n))); }

Result<bool> truth(CallContext& c, const Callable& f, const Value& x) {
    auto out = TRY(c.call(f.function, std::span(&x, 1)));
    if (const auto* b = out.get<bool>()) return *b;
    return Fault{
        .code = "E-TYPE", .message = fmt::format("the function must return true or false, found {}", out.kind()), .origin = c.argument(1)};
}

/// Numbers before texts before everything else; lists by their items.
Result<std::weak_ordering> order(const Value& a, const Value& b) {
    const auto by_less = [](const auto& x, const auto& y) {
        return x < y ? std::weak_ordering::less : y < x ? std::weak_ordering::greater : std::weak_ordering::equivalent;
    };
    const auto x = a.as_number();  // true is 1
    const auto y = b.as_number();
    if (x && y) return by_less(*x, *y);
    const auto s = a.as_label();
    const auto t = b.as_label();
    if (s && t && (x || y)) return x ? std::weak_ordering::less : std::weak_ordering::greater;
    if (s && t) return by_less(*s, *t);
    const List* l = a.items();
    const List* m = b.items();
    if (l && m) {
        if (l == m) return std::weak_ordering::equivalent;
        for (std::size_t i = 0; i < std::min(l->size(), m->size()); ++i) {
            const auto here = TRY(order((*l)[i], (*m)[i]));
            if (here != 0) return here;
        }
        return by_less(l->size(), m->size());
    }
    return Fault{.code = "E-TYPE", .message = fmt::format("{} and {} have no order", a.kind(), b.kind())};
}

/// Equal items keep their order, also from the largest down.
Result<List> sorted(CallContext& c, const List& items, const List& keys, bool descending) {
    std::vector<std::size_t> places(items.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::optional<Fault> fault;
    std::size_t compared = 0;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t i, std::size_t j) {
        if ((++compared & 0xFFFFU) == 0 && c.run().stopped()) fault = rt::stopped_fault();
        if (fault) return false;  // nothing is looked at any more, and the rest is quick
        const auto found = order(keys[i], keys[j]);
        if (!found) fault = found.fault();
        return found && (descending ? *found > 0 : *found < 0);
    });
    if (fault) return *std::move(fault);
    List out;
    out.reserve(items.size());
    for (const auto i : places) out.push_back(items[i]);
    return out;
}

Result<Value> extreme(const std::vector<Number>& xs, bool largest, rt::Origin origin) {
    if (xs.empty())
        return Fault{
            .code = "E-EMPTY", .message = fmt::format("an empty list has no {}", largest ? "maximum" : "minimum"), .origin = origin};
    const auto less = [](const Number& a, const Number& b) { return a < b; };
    return Value(largest ? *std::max_element(xs.begin(), xs.end(), less) : *std::min_element(xs.begin(), xs.end(), less));
}

Result<Value> extreme_of(CallContext& c, const Value& x, const Rest& rest, bool largest) {
    std::vector<Value> all{x};
    all.insert(all.end(), rest.values.begin(), rest.values.end());
    std::vector<Number> numbers;
    for (const auto& v : all) {
        const auto n = v.as_number();
        if (!n)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} compares numbers, found {}", largest ? "max" : "min", v.kind()),
                         .origin = c.argument(0),
                         .hint = "it takes a list of numbers, a factor, or two and more numbers"};
        numbers.push_back(*n);
    }
    return extreme(numbers, largest, c.argument(0));
}

/// all and any: whether every item, or at least one, is true, or makes the function true. It stops at the first that decides.
Result<Value> decided(CallContext& c, const Items& xs, const std::optional<Callable>& f, bool all) {
    for (const auto& x : *xs.items) {
        const auto* own = x.get<bool>();
        if (!f && !own)
            return Fault{.code = "E-TYPE",
                         .message = fmt::format("{} of a list needs true and false, found {}", all ? "all" : "any", x.kind()),
                         .origin = c.argument(0),
                         .hint = fmt::format("give a function too: {}(xs, x -> x > 0)", all ? "all" : "any")};
        const auto yes = TRY(f ? truth(c, *f, x) : Result<bool>(*own));
        if (yes != all) return Value::boolean(!all);
    }
    return Value::boolean(all);
}

void add_tests_and_counts(Registry& r) {
    r.add(bind(
        {subject,
         "all",
         {{"xs"}, {"f", "the items themselves"}},
         "Whether every item is true, or the function is true for every item.",
         "all([1, 2], x -> x > 0)"},
        +[](CallContext& c, Items xs, std::optional<Callable> f) -> Result<Value> { return decided(c, xs, f, true); }));
    r.add(bind(
        {subject,
         "any",
         {{"xs"}, {"f", "the items themselves"}},
         "Whether at least one item is true, or the function is true for at least one.",
         "any([1, 2], x -> x > 1)"},
        +[](CallContext& c, Items xs, std::optional<Callable> f) -> Result<Value> { return decided(c, xs, f, false); }));
    r.add(bind(
        {subject, "count", {{"xs"}}, "How many items a list, set or instance has.", "count([4, 5, 6]) == 3"},
        +[](CallContext&, Items xs) -> Result<Value> { return Value(whole(xs.items->size())); }));
    r.add(bind(
        {subject, "count", {{"xs"}, {"f"}}, "How many items the function is true for.", "count([1, 2, 3], x -> x > 1) == 2"},
        +[](CallContext& c, Items xs, Callable f) -> Result<Value> {
            std::size_t n = 0;
            for (const auto& x : *xs.items) {
                const auto yes = TRY(truth(c, f, x));
                n += yes ? 1 : 0;
            }
            return Value(whole(n));
        }));
    r.add(bind(
        {subject, "count", {{"xs"}, {"value"}}, "How many items equal the value.", "count([4, 5, 4], 4) == 2"},
        +[](CallContext&, Items xs, Value value) -> Result<Value> {
            return Value(whole(static_cast<std::size_t>(
                std::count_if(xs.items->begin(), xs.items->end(), [&](const Value& x) { return equal(x, value); }))));
        }));
}

void add_maps_and_folds(Registry& r) {
    r.add(bind(
        {subject, "map", {{"xs"}, {"f"}}, "The function of each item.", "map([1, 2, 3], x -> x^2) == [1, 4, 9]"},
        +[](CallContext& c, Items xs, Callable f) -> Result<Value> {
            List out;
            out.reserve(xs.items->size());
            for (const auto& x : *xs.items) {
                auto y = c.call(f.function, std::span(&x, 1));
                if (!y) return y;
                out.push_back(*std::move(y));
            }
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject, "keep", {{"xs"}, {"f"}}, "The items for which the function is true.", "keep([1, 2, 3], x -> x != 2) == [1, 3]"},
        +[](CallContext& c, Items xs, Callable f) -> Result<Value> {
            List out;
            for (const auto& x : *xs.items) {
                const auto yes = TRY(truth(c, f, x));
                if (yes) out.push_back(x);
            }
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject,
         "fold",
         {{"xs"}, {"start"}, {"f"}},
         "Combines the items from left to right: f(f(start, x1), x2) …",
         "fold([1, 2, 3], 10, (s, x) -> s - x) == 4"},
        +[](CallContext& c, Items xs, Value start, Callable f) -> Result<Value> {
            Value out = std::move(start);
            for (const auto& x : *xs.items) {
                const Value both[] = {out, x};
                auto next = c.call(f.function, both);
                if (!next) return next;
                out = *std::move(next);
            }
            return out;
        }));
    r.add(bind(
        {subject,
         "zip",
         {{"xs"}, {"ys"}},
         "Pairs of items at the same positions; both lists must have the same length.",
         "zip([1, 2], [3, 4]) == [[1, 3], [2, 4]]"},
        +[](CallContext& c, Items xs, Items ys) -> Result<Value> {
            if (xs.items->size() != ys.items->size())
                return Fault{.code = "E-ARGUMENT",
                             .message = fmt::format("zip: the lists have {} and {} items", xs.items->size(), ys.items->size()),
                             .origin = c.argument(1)};
            List out;
            out.reserve(xs.items->size());
            for (std::size_t i = 0; i < xs.items->size(); ++i) {
                if ((i & 0xFFFFU) == 0 && c.run().stopped()) return rt::stopped_fault();
                out.push_back(Value::list({(*xs.items)[i], (*ys.items)[i]}));
            }
            return Value::list(std::move(out));
        }));
}

void add_orders(Registry& r) {
    r.add(bind(
        {subject,
         "sort",
         {{"xs"}, {"descending", "false"}},
         "The items in ascending order: numbers by size, then texts.",
         "sort([3, 1, 2]) == [1, 2, 3]"},
        +[](CallContext& c, Items xs, std::optional<bool> descending) -> Result<Value> {
            auto out = TRY(sorted(c, *xs.items, *xs.items, descending.value_or(false)));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject,
         "sort",
         {{"xs"}, {"f"}, {"descending", "false"}},
         "The items in ascending order of the function's value. Equal items keep their order.",
         "sort([1, 2, 3], x -> -x) == [3, 2, 1]"},
        +[](CallContext& c, Items xs, Callable f, std::optional<bool> descending) -> Result<Value> {
            List keys;
            for (const auto& x : *xs.items) {
                auto key = c.call(f.function, std::span(&x, 1));
                if (!key) return key;
                keys.push_back(*std::move(key));
            }
            auto out = TRY(sorted(c, *xs.items, keys, descending.value_or(false)));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject, "reverse", {{"xs"}}, "The items from last to first.", "reverse([1, 2, 3]) == [3, 2, 1]"},
        +[](CallContext&, Items xs) -> Result<Value> {
            return Value::list({xs.items->rbegin(), xs.items->rend()});
        }));
    r.add(bind(
        {subject, "unique", {{"xs"}}, "The items without repetitions, in the order of first appearance.", "unique([2, 1, 2]) == [2, 1]"},
        +[](CallContext&, Items xs) -> Result<Value> {
            const Value set = Value::set(*xs.items);
            return Value::list(*set.items());
        }));
    r.add(bind(
        {subject, "concat", {{"xs"}, {"ys"}, {"more"}}, "One list after the other.", "concat([1], [2, 3]) == [1, 2, 3]"},
        +[](CallContext& c, Items xs, Items ys, Rest more) -> Result<Value> {
            List out = *xs.items;
            out.insert(out.end(), ys.items->begin(), ys.items->end());
            for (const auto& v : more.values) {
                const List* items = v.items();
                if (!items)
                    return Fault{
                        .code = "E-TYPE", .message = fmt::format("concat joins lists, found {}", v.kind()), .origin = c.argument(2)};
                out.insert(out.end(), items->begin(), items->end());
            }
            return Value::list(std::move(out));
        }));
}

void add_sums(Registry& r) {
    r.add(bind(
        {subject, "min", {{"xs"}}, "The smallest number of a list.", "min([3, 1, 2]) == 1"},
        +[](CallContext& c, Numbers xs) -> Result<Value> { return extreme(xs.values, false, c.argument(0)); }));
    r.add(bind(
        {subject, "max", {{"xs"}}, "The largest number of a list.", "max([3, 1, 2]) == 3"},
        +[](CallContext& c, Numbers xs) -> Result<Value> { return extreme(xs.values, true, c.argument(0)); }));
    r.add(bind(
        {subject, "min", {{"a"}, {"b"}, {"more"}}, "The smallest of several numbers.", "min(2, 1/2, 3) == 1/2"},
        +[](CallContext& c, Number a, Number b, Rest more) -> Result<Value> {
            more.values.insert(more.values.begin(), Value(b));
            return extreme_of(c, Value(a), more, false);
        }));
    r.add(bind(
        {subject, "max", {{"a"}, {"b"}, {"more"}}, "The largest of several numbers.", "max(2, 1/2, 3) == 3"},
        +[](CallContext& c, Number a, Number b, Rest more) -> Result<Value> {
            more.values.insert(more.values.begin(), Value(b));
            return extreme_of(c, Value(a), more, true);
        }));
    r.add(bind(
        {subject, "sum", {{"xs"}}, "The sum of the numbers of a list.", "sum([1/2, 1/3]) == 5/6"},
        +[](CallContext& c, Numbers xs) -> Result<Value> {
            Number total = 0;
            std::size_t done = 0;
            for (const auto& x : xs.values) {
                if ((done++ & 0xFFU) == 0 && c.run().stopped()) return rt::stopped_fault();  // fractions may grow long
                total += x;
            }
            return Value(total);
        }));
    r.add(bind(
        {subject,
         "product",
         {{"xs"}},
         "The product of the numbers of a list. It is 1 for an empty list.",
         "product([1/2, 2/3, 3/4]) == 1/4"},
        +[](CallContext& c, Numbers xs) -> Result<Value> {
            Number total = 1;
            std::size_t done = 0;
            for (const auto& x : xs.values) {
                if ((done++ & 0xFFU) == 0 && c.run().stopped()) return rt::stopped_fault();
                total = total * x;
            }
            return Value(total);
        }));
}

void add_records(Registry& r) {
    r.add(bind(
        {subject, "keys", {{"r"}}, "The keys of a record, in order.", "keys({a: 1, b: 2}) == [\"a\", \"b\"]"},
        +[](CallContext&, RecordPtr rec) -> Result<Value> {
            List out;
            for (const auto& [key, value] : rec->entries) out.push_back(Value::label(rt::Label::of_text(key)));
            return Value::list(std::move(out));
        }));
    r.add(bind(
        {subject, "values", {{"r"}}, "The values of a record, in order.", "values({a: 1, b: 2}) == [1, 2]"},
        +[](CallContext&, RecordPtr rec) -> Result<Value> {
            List out;
            for (const auto& [key, value] : rec->entries) out.push_back(value);
            return Value::list(std::move(out));
        }));
}

}  // namespace

void add_lists(Registry& r) {
    add_tests_and_counts(r);
    add_maps_and_folds(r);
    add_orders(r);
    add_sums(r);
    add_records(r);
}

}  // namespace credence::std_
