// Derivations of queries with lists, counts and tables: rows are independent given what they share, so their probabilities multiply, and
// equal ones make a power.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/contains.hpp"
#include "runtime/core/text.hpp"
#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

bool NetExplainer::has_row_evidence() const {
    const auto& given = query_.given;
    return !given.events.empty() || !given.free.empty() || !given.observations.empty() || !given.data.empty() || !given.soft.empty() ||
           !query_.doing.empty();
}

std::string NetExplainer::shared_names() const {
    std::vector<Slot> shared;
    for (const auto& group : case_.rows.all)
        for (const auto slot : shared_by_row(net_, case_.rows.by_row, group))
            if (!contains(shared, slot)) shared.push_back(slot);
    std::string names;
    for (const auto slot : shared) names += (names.empty() ? "" : ", ") + case_.names[slot];
    return names;
}

Status NetExplainer::write_rows() {
    const std::string shared = shared_names();
    const std::string product = "the product over the rows";
    const bool conditional = has_row_evidence();
    out_.formula(fmt::format("{} = {}", query_text(query_, variables_),
                             conditional      ? "P(targets, evidence) / P(evidence)"
                             : shared.empty() ? product
                                              : fmt::format("the sum over {0} of P({0}) times {1}", shared, product)));
    if (!case_.rows.empty()) {
        std::int64_t rows = 0;
        for (const auto& group : case_.rows.all) rows += group.count;
        out_.note(fmt::format("{}, {} of them different; they are independent{}", counted(rows, "row"), case_.rows.all.size(),
                              shared.empty() ? "" : " given " + shared));
    }
    if (!answer_.exact) out_.note("the products are too long for fractions; their logarithms were added up");
    listed_ = listed_ && query_.doing.empty() && query_.given.soft.empty() && answer_.exact;
    const auto all = query_cases(case_.shape, case_.sizes, answer_);
    std::optional<Pairs> told;  // for which the evidence was written
    for (const auto i : all.shown) {
        const Pairs& cell = all.target(i);
        const Pairs& g = all.given(i);
        const auto both = merged(cell, g);
        if (!both) continue;
        const auto above = TRY(number(side(Side::joint, cell, g)));
        if (conditional) out_.note(g.empty() ? "targets and evidence" : "targets and evidence, at " + text_of(g, variables_));
        TRY(write_side(Side::joint, *both, above));
        if (!conditional) continue;
        const auto below = TRY(number(side(Side::evidence, cell, g)));
        if (!answer_.exact || below.is_zero()) continue;
        if (told != g) {
            out_.note("the evidence alone");
            TRY(write_side(Side::evidence, g, below));
            told = g;
        }
        out_.calculation(asked_text(Side::conditional, cell, g), {quotient(above, below)}, above / below);
    }
    out_.note_shown(all.shown.size(), all.size());
    return Done{};
}

Status NetExplainer::write_side(Side side, const Pairs& values, const Number& value) {
    const auto& rows = side == Side::joint ? case_.rows.all : case_.rows.evidence;
    const auto of_net = [&](const Pairs& pairs) {  // the next draw is told by its number alone
        return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first < net_.nodes.size(); });
    };
    std::vector<Product> products;
    bool complete = listed_ && rows.size() <= longest_sum;
    for (const auto& way : evidence_ways_)
        for (const auto& target : side == Side::joint ? target_ways_ : std::vector<Pairs>{{}}) {
            const auto first = merged(values, way);
            const auto world = first ? merged(*first, target) : std::nullopt;
            complete = complete && (!world || of_net(*world));
            if (!complete || !world) continue;
            const auto e = expand(*world, rows);
            complete = e && e->terms <= static_cast<double>(longest_sum);
            if (complete) products.insert(products.end(), e->products.begin(), e->products.end());
        }
    const bool written = complete && !products.empty() && products.size() <= longest_sum;
    out_.calculation("", {written ? in_names(products) : Parts{}, written ? in_numbers(products) : Parts{}}, value);
    return Done{};
}

}  // namespace credence::rt
