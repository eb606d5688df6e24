// Uncertain evidence: Jeffrey's rule and likelihoods.

#include <algorithm>

#include <fmt/format.h>

#include "runtime/nets/net_explainer.hpp"

namespace credence::rt {

Status NetExplainer::write_uncertain() {
    auto& items = query_.given.soft;
    const auto last_jeffrey =
        std::find_if(items.rbegin(), items.rend(), [](const SoftEvidence& s) { return s.kind == SoftEvidence::Kind::jeffrey; });
    const auto at = last_jeffrey == items.rend() ? items.end() - 1 : last_jeffrey.base() - 1;
    const SoftEvidence soft = *at;
    write_cut();
    write_rule(soft);
    Clause rest = query_.given;
    rest.soft.erase(rest.soft.begin() + (at - items.begin()));
    if (!rest.soft.empty()) {
        std::string others;
        for (const auto& other : rest.soft)
            others += fmt::format("{}{} {} {{…}}", others.empty() ? "" : ", ", variables_[index(other.variable)].variable.name,
                                  other.kind == SoftEvidence::Kind::jeffrey ? "~" : "likelihood");
        out_.note(fmt::format("each of its terms is given {} already", others));
    }
    return for_shown_cases([&](const Pairs& cell, const Pairs& g) { return write_uncertain_case(soft, rest, cell, g); });
}

Status NetExplainer::write_uncertain_case(const SoftEvidence& soft, const Clause& rest, const Pairs& cell, const Pairs& g) {
    const auto y = static_cast<Slot>(index(soft.variable));
    const bool jeffrey = soft.kind == SoftEvidence::Kind::jeffrey;
    std::vector<Parts> above;
    std::vector<Parts> below;
    Number total = 0;
    Number all = 0;
    for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
        if (soft.weights[v].is_zero()) continue;
        const auto term = [&](Result<Number> p, std::vector<Parts>& terms, Number& sum) -> Status {
            if (!p) return std::move(p).fault();
            terms.push_back({soft.weights[v], std::string(" * ")});
            append(terms.back(), operand(*p));
            sum += soft.weights[v] * *p;
            return Done{};
        };
        const Pairs value{{y, v}};
        const auto event = jeffrey ? std::optional(cell) : merged(cell, value);
        const auto known = jeffrey ? merged(g, value) : std::optional(g);
        if (event && known)
            if (auto status = term(added_up(query_.targets, rest, *event, *known), above, total); !status) return status;
        if (!jeffrey)
            if (auto status = term(added_up({}, rest, value, g), below, all); !status) return status;
    }
    if (above.empty() || (!jeffrey && all.is_zero())) return Done{};
    write_case(cell, g);
    Parts sum = joined(above, " + ");
    if (!jeffrey) {
        sum.insert(sum.begin(), std::string("("));
        sum.emplace_back(std::string(") / ("));
        append(sum, joined(below, " + "));
        sum.emplace_back(std::string(")"));
        total = total / all;
    }
    out_.begin(std::move(sum));
    out_.result(total);
    return Done{};
}

void NetExplainer::write_rule(const SoftEvidence& soft) {
    const std::string& name = variables_[index(soft.variable)].variable.name;
    out_.formula(
        soft.kind == SoftEvidence::Kind::jeffrey
            ? fmt::format("Jeffrey's rule: P(targets) = sum over {0} of q({0}) * P(targets | {0})", name)
            : fmt::format("virtual evidence: P(targets | w) is proportional to the sum over {0} of w({0}) * P(targets, {0})", name));
}

Status NetExplainer::write_soft() {
    const SoftEvidence& soft = query_.given.soft[0];
    const auto y = static_cast<Slot>(index(soft.variable));
    const bool jeffrey = soft.kind == SoftEvidence::Kind::jeffrey;
    write_rule(soft);
    const Pairs& known = evidence_ways_[0];
    const auto cells = configurations(case_.shape.targets, case_.sizes);
    if (cells.size() > longest_sum) {
        out_.note(fmt::format("{} cases are not written out", cells.size()));
        return Done{};
    }
    std::vector<Number> weights;
    for (const auto& cell : cells) {
        std::vector<Parts> names;
        std::vector<Parts> numbers;
        Number total = 0;
        for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
            if (soft.weights[v].is_zero()) continue;
            for (const auto& target : target_ways_) {
                const auto event = merged(cell, target);
                if (!event) continue;
                const auto with_y = merged(jeffrey ? known : *event, {{y, v}});
                if (!with_y) continue;
                const Pairs& of = jeffrey ? *event : *with_y;
                const Pairs& given = jeffrey ? *with_y : known;
                const auto p = probability(of, given);
                if (!p) return p.fault();
                names.push_back({soft.weights[v], std::string(" * "), term_of(of, given, variables_)});
                numbers.push_back({soft.weights[v], std::string(" * "), *p});
                total += soft.weights[v] * *p;
            }
        }
        weights.push_back(total);
        if (names.empty()) continue;
        out_.begin(joined(names, " + "));
        out_.step(joined(numbers, " + "));
        out_.result(total);
    }
    if (jeffrey) return Done{};
    return write_normalised(cells, weights, soft, y, known);
}

Status NetExplainer::write_normalised(std::span<const Pairs> cells, std::span<const Number> weights, const SoftEvidence& soft, Slot y,
                                      const Pairs& known) {
    std::vector<Parts> terms;
    Number below = 0;
    for (std::size_t v = 0; v < case_.sizes[y]; ++v) {
        if (soft.weights[v].is_zero()) continue;
        const auto p = probability({{y, v}}, known);
        if (!p) return p.fault();
        terms.push_back({soft.weights[v], std::string(" * "), term_of({{y, v}}, known, variables_)});
        below += soft.weights[v] * *p;
    }
    out_.begin(joined(terms, " + "));
    out_.result(below);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i].empty()) out_.formula("for " + text_of(cells[i], variables_));
        out_.begin(quotient(weights[i], below));
        out_.result(weights[i] / below);
    }
    return Done{};
}

}  // namespace credence::rt
