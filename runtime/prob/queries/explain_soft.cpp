// Jeffrey's rule and likelihoods.

#include "runtime/prob/queries/explain_soft.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace credence::rt {

namespace {

/// Σ w(y) P(…), in names where they can be written, and in numbers.
struct WeightedSum {
    std::vector<Parts> names;
    std::vector<Parts> numbers;
    Number value = 0;
    bool named = true;
};

class SoftRule {
public:
    SoftRule(const Variables& variables, SoftEvidence soft, const AskNumber& ask)
        : variables_(variables), soft_(std::move(soft)), ask_(ask) {}

    bool jeffrey() const { return soft_.kind == SoftEvidence::Kind::jeffrey; }

    std::string text() const {
        const std::string& name = variables_[index(soft_.variable)].variable.name;
        return jeffrey() ? fmt::format("Jeffrey's rule: P(targets) = sum over {0} of q({0}) * P(targets | {0})", name)
                         : fmt::format(
                               "virtual evidence: P(targets | w) = sum over {0} of w({0}) * P(targets, {0}) / "
                               "sum over {0} of w({0}) * P({0})",
                               name);
    }

    /// Jeffrey: P(targets | evidence, y). Likelihood: P(targets, y | evidence), and without targets P(y | evidence).
    Result<WeightedSum> sum(const Query& query) const {
        WeightedSum out;
        for (std::size_t v = 0; v < soft_.weights.size(); ++v) {
            if (soft_.weights[v].is_zero()) continue;
            Query q = query;
            fix(jeffrey() ? q.given : q.targets, {{static_cast<Slot>(index(soft_.variable)), v}}, variables_);
            auto p = TRY(ask_(q));
            auto term = plain_term(q, variables_);
            out.named = out.named && term;
            if (out.named) out.names.push_back({soft_.weights[v], std::string(" * "), *std::move(term)});
            out.numbers.push_back({soft_.weights[v], std::string(" * ")});
            append(out.numbers.back(), operand(p));
            out.value += soft_.weights[v] * p;
        }
        return out;
    }

private:
    const Variables& variables_;
    SoftEvidence soft_;
    const AskNumber& ask_;
};

Parts over(const std::vector<Parts>& above, const std::vector<Parts>& below) {
    Parts out{std::string("(")};
    append(out, joined(above, " + "));
    out.emplace_back(std::string(") / ("));
    append(out, joined(below, " + "));
    out.emplace_back(std::string(")"));
    return out;
}

Status write_case(const SoftRule& rule, const Query& told, Query asked, const Variables& variables, DerivationWriter& out) {
    auto above = TRY(rule.sum(asked));
    WeightedSum below{.names = {}, .numbers = {}, .value = 1};
    if (!rule.jeffrey()) {
        asked.targets = {};
        below = TRY(rule.sum(asked));
    }
    if (above.numbers.empty() || below.value.is_zero()) return Done{};
    const bool fits = above.numbers.size() <= longest_sum;
    const auto parts = [&](const std::vector<Parts>& of, const std::vector<Parts>& by) {
        return rule.jeffrey() ? joined(of, " + ") : over(of, by);
    };
    out.calculation(query_text(told, variables),
                    {fits && above.named && below.named ? parts(above.names, below.names) : Parts{},
                     fits ? parts(above.numbers, below.numbers) : Parts{}},
                    above.value / below.value);
    return Done{};
}

}  // namespace

Status explain_soft(const Query& query, const Variables& variables, const QueryCases& cases, const AskNumber& ask, DerivationWriter& out) {
    const auto& items = query.given.soft;
    const auto last_jeffrey =
        std::find_if(items.rbegin(), items.rend(), [](const SoftEvidence& s) { return s.kind == SoftEvidence::Kind::jeffrey; });
    const auto at = last_jeffrey == items.rend() ? items.end() - 1 : last_jeffrey.base() - 1;
    const SoftRule rule(variables, *at, ask);
    out.formula(rule.text());
    Query rest = query;
    rest.given.soft.erase(rest.given.soft.begin() + (at - items.begin()));
    if (!rest.given.soft.empty()) {
        std::string others;
        for (const auto& other : rest.given.soft) others += (others.empty() ? "" : ", ") + soft_text(other, variables);
        out.note(fmt::format("each of its terms is given {} already", others));
    }
    for (const auto i : cases.shown) {
        const Pairs& target = cases.target(i);
        const Pairs& given = cases.given(i);
        if (merged(target, given))
            TRY(write_case(rule, in_case(query, target, given, variables), in_case(rest, target, given, variables), variables, out));
    }
    out.note_shown(cases.shown.size(), cases.size());
    return Done{};
}

}  // namespace credence::rt
