// Derivations of queries with lists, counts and tables: rows are independent given what they share, so their probabilities multiply, and
// equal ones make a power.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

bool NetRowProducts::is_conditional() const {
    const auto& given = query_.given;
    return !given.events.empty() || !given.free.empty() || !given.observations.empty() || !given.data.empty() || !given.soft.empty() ||
           !query_.doing.empty();
}

std::string NetRowProducts::shared_names() const {
    std::vector<Slot> shared;
    for (const auto& group : case_.rows.all)
        for (const auto slot : shared_by_row(net_, case_.rows.by_row, group))
            if (!contains(shared, slot)) shared.push_back(slot);
    std::string names;
    for (const auto slot : shared) names += (names.empty() ? "" : ", ") + case_.names[slot];
    return names;
}

Status NetRowProducts::write_identity(DerivationWriter& out) const {
    const std::string shared = shared_names();
    const std::string product = "the product over the rows";
    out.formula(fmt::format("{} = {}", query_text(query_, variables_),
                            is_conditional() ? "P(targets, evidence) / P(evidence)"
                            : shared.empty() ? product
                                             : fmt::format("the sum over {0} of P({0}) times {1}", shared, product)));
    if (!case_.rows.empty()) {
        std::int64_t rows = 0;
        for (const auto& group : case_.rows.all) rows += group.count;
        out.note(fmt::format("{}, {} of them different; they are independent{}", counted(rows, "row"), case_.rows.all.size(),
                             shared.empty() ? "" : " given " + shared));
    }
    if (!answer_.exact) out.note("the products are too long for fractions; their logarithms were added up");
    return Done{};
}

Result<Calculation> NetRowProducts::joint(const Pairs& target, const Pairs& given) const {
    const std::vector<Pairs> anything{{}};
    auto out =
        TRY(sum_over_ways(*merged(target, given), case_.rows.all, ways_ ? ways_->target : anything, asked(Term::joint, target, given)));
    if (is_conditional()) out.notes = {given.empty() ? "targets and evidence" : "targets and evidence, at " + text_of(given, variables_)};
    return out;
}

Attempt<Calculations> NetRowProducts::evidence(const Pairs& given, std::span<const Number>) const {
    const std::vector<Pairs> anything{{}};
    auto out = TRY(sum_over_ways(given, case_.rows.evidence, anything, asked(Term::evidence, {}, given)));
    if (!answer_.exact || out.value.is_zero()) return not_applicable;
    out.notes = {"the evidence alone"};
    return Calculations{std::move(out)};
}

Result<Calculation> NetRowProducts::sum_over_ways(const Pairs& values, std::span<const RowGroup> rows, std::span<const Pairs> targets,
                                                  const Query& asked) const {
    Calculation out{.value = TRY(number(asked))};
    const bool listed = ways_ && query_.doing.empty() && query_.given.soft.empty() && answer_.exact;
    if (!listed || rows.size() > longest_sum) return out;
    const auto of_net = [&](const Pairs& pairs) {  // the next draw is described by its number alone
        return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first < net_.nodes.size(); });
    };
    std::vector<Product> products;
    for (const auto& way : ways_->evidence)
        for (const auto& target : targets) {
            const auto first = merged(values, way);
            const auto world = first ? merged(*first, target) : std::nullopt;
            if (!world) continue;
            if (!of_net(*world)) return out;
            const auto e = expand(*world, rows);
            if (!e || e->terms > static_cast<double>(longest_sum)) return out;
            products.insert(products.end(), e->products.begin(), e->products.end());
        }
    if (!products.empty() && products.size() <= longest_sum) out.steps = {in_names(products), in_numbers(products)};
    return out;
}

}  // namespace credence::rt
