#include "runtime/prob/queries/list_statistic.hpp"

#include <algorithm>
#include <set>

namespace credence::rt {

namespace {

/// How often a value occurs in a list (sum), whether it does (any), or that it does not (all).
struct Occurrence {
    std::vector<QuantityPtr> list;
    Label value;
    Fold fold;

    Label worth(std::size_t count) const {
        if (fold == Fold::sum) return Label::of_number(Rational(static_cast<std::int64_t>(count)));
        return Label::of_bool(fold == Fold::any ? count > 0 : count == 0);
    }
};

/// X of X == v.
std::optional<std::pair<QuantityPtr, Label>> compared_with_constant(const Quantity& quantity) {
    if (quantity.kind != Quantity::Kind::function || quantity.op != TermOp::equal) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side) {
        const auto& constant = quantity.parts[1 - side];
        if (constant->kind == Quantity::Kind::constant && quantity.parts[side]->kind != Quantity::Kind::constant)
            return std::pair(quantity.parts[side], constant->constant);
    }
    return std::nullopt;
}

/// Y of not Y.
const Quantity* negated_part(const Quantity& quantity) {
    return quantity.kind == Quantity::Kind::function && quantity.op == TermOp::not_ ? quantity.parts[0].get() : nullptr;
}

std::optional<Occurrence> occurrence(const Quantity& quantity) {
    if (quantity.kind != Quantity::Kind::fold || quantity.parts.size() < 2) return std::nullopt;
    if (quantity.fold != Fold::sum && quantity.fold != Fold::any && quantity.fold != Fold::all) return std::nullopt;
    Occurrence out{{}, {}, quantity.fold};
    for (const auto& part : quantity.parts) {
        const Quantity* test = quantity.fold == Fold::all ? negated_part(*part) : part.get();
        const auto compared = test ? compared_with_constant(*test) : std::nullopt;
        if (!compared || (!out.list.empty() && compared->second != out.value)) return std::nullopt;
        out.list.push_back(compared->first);
        out.value = compared->second;
    }
    return out;
}

/// The one node in a quantity that says how often a value occurs, where all else is computed from it and constants.
const Quantity* only_occurrence(const Quantity& quantity, std::optional<Occurrence>& found) {
    if (auto own = occurrence(quantity)) {
        found = std::move(own);
        return &quantity;
    }
    if (quantity.kind != Quantity::Kind::function) return nullptr;
    const Quantity* out = nullptr;
    for (const auto& part : quantity.parts) {
        if (part->kind == Quantity::Kind::constant) continue;
        const Quantity* here = only_occurrence(*part, found);
        if (!here || (out && out != here)) return nullptr;
        out = here;
    }
    return out;
}

Result<Label> evaluated_with(const Quantity& quantity, const Quantity* leaf, const Label& value) {
    if (&quantity == leaf) return value;
    if (quantity.kind == Quantity::Kind::constant) return quantity.constant;
    return combined(quantity, [&](std::size_t i) { return evaluated_with(*quantity.parts[i], leaf, value); });
}

std::optional<ListStatistic> ranked_sum(const Quantity& quantity) {
    ListStatistic out{.kind = ListStatistic::Kind::ranked};
    for (const auto& part : quantity.parts) {
        const auto term = sorted_term(*part);
        if (!term || (!out.list.empty() && term->order->parts != out.list)) return std::nullopt;
        if (out.list.empty()) {
            out.list = term->order->parts;
            out.rank_weights.assign(out.list.size(), 0);
        }
        out.rank_weights[term->order->rank] += term->sign;
    }
    return out;
}

std::optional<ListStatistic> counted_fold(const QuantityPtr& quantity) {
    ListStatistic out{.kind = ListStatistic::Kind::counted, .fold = quantity->fold};
    for (const auto& part : quantity->parts) {
        if (part->kind == Quantity::Kind::constant) {
            out.constants.push_back(part->constant);
            continue;
        }
        std::optional<Occurrence> found;
        const Quantity* leaf = only_occurrence(*part, found);
        if (!leaf || (!out.list.empty() && found->list != out.list)) return std::nullopt;
        out.list = found->list;
        out.by_value.emplace_back(found->value,
                                  [part, leaf, how = *found](std::size_t count) { return evaluated_with(*part, leaf, how.worth(count)); });
    }
    return out;
}

}  // namespace

std::optional<SortedTerm> sorted_term(const Quantity& quantity) {
    if (quantity.kind == Quantity::Kind::order) return SortedTerm{&quantity, 1};
    if (quantity.kind == Quantity::Kind::function && quantity.op == TermOp::negate && quantity.parts[0]->kind == Quantity::Kind::order)
        return SortedTerm{quantity.parts[0].get(), -1};
    return std::nullopt;
}

std::optional<ListStatistic> list_statistic(const QuantityPtr& quantity) {
    if (quantity->kind == Quantity::Kind::order)
        return ListStatistic{.kind = ListStatistic::Kind::picked, .list = quantity->parts, .rank = quantity->rank};
    if (quantity->kind == Quantity::Kind::distinct)
        return ListStatistic{.kind = ListStatistic::Kind::counted,
                             .list = quantity->parts,
                             .any_value = [](std::size_t count) -> Result<Label> { return Label::of_number(count > 0 ? 1 : 0); }};
    if (quantity->kind != Quantity::Kind::fold || quantity->parts.empty()) return std::nullopt;
    if (quantity->fold == Fold::sum)
        if (auto ranked = ranked_sum(*quantity)) return ranked;
    auto counted = counted_fold(quantity);
    return counted && !counted->list.empty() ? counted : std::nullopt;
}

QuantityPtr pairs_as_distinct(const Quantity& quantity) {
    if (quantity.kind != Quantity::Kind::fold || (quantity.fold != Fold::any && quantity.fold != Fold::all)) return nullptr;
    std::vector<QuantityPtr> list;
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    const auto place = [&](const QuantityPtr& item) {
        const auto found = std::find(list.begin(), list.end(), item);
        if (found == list.end()) list.push_back(item);
        return static_cast<std::size_t>(found == list.end() ? list.size() - 1 : static_cast<std::size_t>(found - list.begin()));
    };
    for (const auto& part : quantity.parts) {
        const Quantity* test = quantity.fold == Fold::all ? negated_part(*part) : part.get();
        if (!test || test->kind != Quantity::Kind::function || test->op != TermOp::equal) return nullptr;
        if (test->parts[0]->kind == Quantity::Kind::constant || test->parts[1]->kind == Quantity::Kind::constant) return nullptr;
        const auto a = place(test->parts[0]);
        const auto b = place(test->parts[1]);
        if (a == b) return nullptr;
        pairs.emplace(std::min(a, b), std::max(a, b));
    }
    const std::size_t n = list.size();
    if (n < 3 || pairs.size() != n * (n - 1) / 2) return nullptr;
    const bool none = quantity.fold == Fold::all;
    const auto judge = [n, none](std::span<const Label> values) -> Result<Label> {
        return Label::of_bool((*values[0].number() == Number(Rational(static_cast<std::int64_t>(n)))) == none);
    };
    return function_quantity({distinct_quantity(std::move(list))}, judge);
}

}  // namespace credence::rt
