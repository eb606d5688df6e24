#include "runtime/classify/rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "runtime/core/special.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

namespace {

/// The rows that conditions are tried on. Sets of rows are bits, 64 a word.
struct RuleRows {
    std::vector<ColumnPtr> columns;
    const TableView* view = nullptr;
    std::span<const double> weights;
    std::vector<std::vector<std::uint64_t>> of_label;

    RuleRows(const TableView& rows, std::span<const double> w, std::size_t labels)
        : columns(feature_columns(*rows.table)), view(&rows), weights(w) {
        const Column& target = *rows.table->columns[*rows.table->target];
        of_label.assign(labels, std::vector<std::uint64_t>(words(), 0));
        for (std::size_t i = 0; i < rows.size(); ++i) set(of_label[static_cast<std::size_t>(target.codes[rows.row(i)])], i);
    }
    std::size_t words() const { return (view->size() + 63) / 64; }
    static void set(std::vector<std::uint64_t>& bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

    /// The rows that meet a condition. Rules of one tree share most of theirs, so they are kept, up to a limit.
    std::vector<std::uint64_t> meeting(const RuleCondition& condition) const {
        const auto key = std::tuple(condition.column, condition.kind, condition.label, condition.threshold);
        if (const auto known = kept.find(key); known != kept.end()) return known->second;
        auto out = tested(condition);
        constexpr std::size_t most_words = std::size_t{1} << 23;
        if ((kept.size() + 1) * words() <= most_words) kept.emplace(key, out);
        return out;
    }

    /// The bound is a quantile, dear to find, and the same few counts come again and again.
    double pessimistic(double wrong, double n) const {
        const auto [at, fresh] = errors.try_emplace({wrong, n}, 0);
        if (fresh) at->second = pessimistic_error(wrong, n);
        return at->second;
    }

private:
    std::vector<std::uint64_t> tested(const RuleCondition& condition) const {
        const Column& column = *columns[static_cast<std::size_t>(condition.column)];
        const auto bits = [&](auto holds) {
            std::vector<std::uint64_t> out(words(), 0);
            for (std::size_t w = 0; w < out.size(); ++w) {
                const std::size_t first = w * 64;
                const std::size_t n = std::min<std::size_t>(64, view->size() - first);
                std::uint64_t word = 0;
                for (std::size_t i = 0; i < n; ++i) word |= std::uint64_t{holds(view->row(first + i))} << i;
                out[w] = word;
            }
            return out;
        };
        switch (condition.kind) {
            case RuleCondition::Kind::is:
                return bits([codes = column.codes.data(), label = condition.label](std::size_t r) { return codes[r] == label; });
            case RuleCondition::Kind::is_not:
                return bits(
                    [codes = column.codes.data(), label = condition.label](std::size_t r) { return codes[r] >= 0 && codes[r] != label; });
            case RuleCondition::Kind::at_most:
                return bits([values = column.values.data(), bound = condition.threshold](std::size_t r) { return values[r] <= bound; });
            case RuleCondition::Kind::above:
                return bits([values = column.values.data(), bound = condition.threshold](std::size_t r) { return values[r] > bound; });
        }
        return {};
    }
    mutable std::map<std::pair<double, double>, double> errors;
    mutable std::map<std::tuple<std::int32_t, RuleCondition::Kind, std::int32_t, double>, std::vector<std::uint64_t>> kept;

public:
    double weight(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const {
        double sum = 0;
        for (std::size_t w = 0; w < a.size(); ++w) {
            std::uint64_t both = a[w] & b[w];
            if (weights.empty()) {
                sum += std::popcount(both);
                continue;
            }
            for (; both != 0; both &= both - 1) sum += weights[w * 64 + static_cast<std::size_t>(std::countr_zero(both))];
        }
        return sum;
    }
    std::vector<std::uint64_t> all() const {
        std::vector<std::uint64_t> out(words(), 0);
        for (std::size_t i = 0; i < view->size(); ++i) set(out, i);
        return out;
    }
};

std::vector<std::uint64_t> both(std::vector<std::uint64_t> a, std::span<const std::uint64_t> b) {
    for (std::size_t w = 0; w < a.size(); ++w) a[w] &= b[w];
    return a;
}

std::vector<std::uint64_t> met_by(const Rule& rule, const RuleRows& rows) {
    auto out = rows.all();
    for (const auto& c : rule.conditions) out = both(std::move(out), rows.meeting(c));
    return out;
}

/// The accuracy of "these rows have that label".
RuleRound::Candidate estimate(const RuleRows& rows, std::span<const std::uint64_t> met, std::int32_t label, bool pessimistic) {
    const double n = rows.weight(met, met);
    const double right = rows.weight(met, rows.of_label[static_cast<std::size_t>(label)]);
    if (pessimistic) return {right, n, 1 - rows.pessimistic(n - right, n)};
    return {right, n, n > 0 ? right / n : 0};
}

/// Drops conditions, the one first whose loss helps most, while the estimate does not fall.
void prune_rule(Rule& rule, const RuleRows& rows, bool pessimistic, std::vector<RuleRound>* trace) {
    std::vector<std::vector<std::uint64_t>> meeting;
    for (const auto& c : rule.conditions) meeting.push_back(rows.meeting(c));
    const auto everything = rows.all();
    auto met = everything;
    for (const auto& bits : meeting) met = both(std::move(met), bits);
    RuleRound::Candidate whole = estimate(rows, met, rule.label, pessimistic);
    rule.accuracy = whole.accuracy;
    while (!rule.conditions.empty()) {
        std::vector<RuleRound::Candidate> candidates;
        const std::size_t n = meeting.size();
        std::vector<std::vector<std::uint64_t>> after(n + 1, everything);  // the conditions from i on
        for (std::size_t i = n; i-- > 0;) after[i] = both(after[i + 1], meeting[i]);
        auto before = everything;
        double best = -1;
        std::size_t drop = 0;
        for (std::size_t i = 0; i < n; ++i) {
            candidates.push_back(estimate(rows, both(before, after[i + 1]), rule.label, pessimistic));
            if (candidates[i].accuracy > best + 1e-12) {
                best = candidates[i].accuracy;
                drop = i;
            }
            before = both(std::move(before), meeting[i]);
        }
        const bool stays = best < rule.accuracy - 1e-12;
        if (trace) trace->push_back({rule, whole, candidates, stays ? std::nullopt : std::optional(drop)});
        if (stays) return;
        whole = candidates[drop];
        rule.accuracy = best;
        rule.conditions.erase(rule.conditions.begin() + static_cast<std::ptrdiff_t>(drop));
        meeting.erase(meeting.begin() + static_cast<std::ptrdiff_t>(drop));
    }
}

std::vector<double> counts_of(const RuleRows& rows, std::span<const std::uint64_t> met) {
    std::vector<double> out;
    for (const auto& label : rows.of_label) out.push_back(rows.weight(met, label));
    return out;
}

double sum_of(std::span<const double> xs) {
    double out = 0;
    for (const double x : xs) out += x;
    return out;
}

/// The same label under the same conditions, in any order.
bool says_the_same(const Rule& a, const Rule& b) {
    return a.label == b.label && std::is_permutation(a.conditions.begin(), a.conditions.end(), b.conditions.begin(), b.conditions.end());
}

/// Which rules of an ordered list stay. Rules were pruned each by itself, and one that lost its conditions may take the rows of better
/// rules after it. Each row knows the first rule that takes it and the one that would without that.
class RuleChoice {
public:
    RuleChoice(const std::vector<Rule>& rules, const RuleRows& rows)
        : rules_(&rules),
          rows_(&rows),
          in_(rules.size(), 1),
          gain_(rules.size(), 0.0),
          rest_(rows.of_label.size(), 0.0),
          all_(counts_of(rows, rows.all())) {
        list_takers();
        const Column& target = *rows.view->table->columns[*rows.view->table->target];
        for (std::size_t i = 0; i < rows.view->size(); ++i) {
            labels_.push_back(target.codes[rows.view->row(i)]);
            first_.push_back(next_taker(i, start_[i]));
            second_.push_back(first_[i] == none ? none : next_taker(i, first_[i] + 1));
            if (first_[i] == none) rest_[static_cast<std::size_t>(labels_[i])] += weight(i);
        }
        count_gains();
    }

    /// One at a time, the rule goes without which most rows more are right.
    void drop_harmful() {
        while (true) {
            const auto worst = std::max_element(gain_.begin(), gain_.end());
            if (worst == gain_.end() || !(*worst > 1e-9)) return;
            drop(static_cast<std::size_t>(worst - gain_.begin()));
        }
    }
    /// From the last, the rules go whose rows the others get right as well.
    void drop_superfluous() {
        for (std::size_t r = rules_->size(); r-- > 0;) {
            if (!in_[r]) continue;
            double lost = 0;
            each_row(r, [&](std::size_t i) {
                if (taker(first_[i]) == r)
                    lost += weight(i) * ((is_right(first_[i], i) ? 1 : 0) - (second_[i] != none && is_right(second_[i], i) ? 1 : 0));
            });
            if (lost < 1e-9) drop(r);
        }
    }
    bool stays(std::size_t rule) const { return in_[rule] != 0; }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    double weight(std::size_t row) const { return rows_->weights.empty() ? 1.0 : rows_->weights[row]; }
    std::size_t taker(std::uint32_t place) const { return place == none ? rules_->size() : takers_[place]; }

    /// The rules that take each row, in their order, all rows in one array.
    void list_takers() {
        start_.assign(rows_->view->size() + 1, 0);
        for (std::size_t r = 0; r < rules_->size(); ++r) each_row(r, [&](std::size_t i) { ++start_[i + 1]; });
        for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
        takers_.resize(start_.back());
        auto next = start_;
        for (std::size_t r = 0; r < rules_->size(); ++r)
            each_row(r, [&](std::size_t i) { takers_[next[i]++] = static_cast<std::uint32_t>(r); });
    }
    template <class Visit>
    void each_row(std::size_t rule, Visit visit) const {
        const auto met = met_by((*rules_)[rule], *rows_);
        for (std::size_t w = 0; w < met.size(); ++w)
            for (std::uint64_t bits = met[w]; bits != 0; bits &= bits - 1) visit(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    /// The place in takers_ of the first rule that is still there, from a place on.
    std::uint32_t next_taker(std::size_t row, std::uint32_t from) const {
        for (std::uint32_t at = from; at < start_[row + 1]; ++at)
            if (in_[takers_[at]]) return at;
        return none;
    }
    /// The label of most rows that no rule takes; while there are none, of most rows.
    std::int32_t otherwise() const {
        const auto& counts = std::any_of(rest_.begin(), rest_.end(), [](double n) { return n > 0; }) ? rest_ : all_;
        return static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    }
    bool is_right(std::uint32_t place, std::size_t row) const {
        return labels_[row] == (place == none ? otherwise_ : (*rules_)[takers_[place]].label);
    }
    double gain_of_row(std::size_t i) const { return weight(i) * ((is_right(second_[i], i) ? 1 : 0) - (is_right(first_[i], i) ? 1 : 0)); }
    void count_gains() {
        otherwise_ = otherwise();
        std::fill(gain_.begin(), gain_.end(), 0.0);
        for (std::size_t i = 0; i < first_.size(); ++i)
            if (first_[i] != none) gain_[takers_[first_[i]]] += gain_of_row(i);
    }

    void drop(std::size_t rule) {
        in_[rule] = 0;
        each_row(rule, [&](std::size_t i) {
            if (first_[i] == none || (taker(first_[i]) != rule && taker(second_[i]) != rule)) return;
            gain_[takers_[first_[i]]] -= gain_of_row(i);
            if (taker(first_[i]) == rule) first_[i] = second_[i];
            if (first_[i] == none) {
                rest_[static_cast<std::size_t>(labels_[i])] += weight(i);
                return;
            }
            second_[i] = next_taker(i, first_[i] + 1);
            gain_[takers_[first_[i]]] += gain_of_row(i);
        });
        gain_[rule] = 0;
        if (otherwise() != otherwise_) count_gains();
    }

    const std::vector<Rule>* rules_;
    const RuleRows* rows_;
    std::vector<char> in_;
    std::vector<double> gain_;  ///< rows more that are right without the rule
    std::vector<double> rest_;  ///< rows of no rule, by label
    std::vector<double> all_;   ///< all rows, by label
    std::int32_t otherwise_ = 0;
    std::vector<std::uint32_t> start_;
    std::vector<std::uint32_t> takers_;
    std::vector<std::int32_t> labels_;
    std::vector<std::uint32_t> first_;   ///< places in takers_
    std::vector<std::uint32_t> second_;  ///< the next after the first
};

void choose_rules(std::vector<Rule>& rules, const RuleRows& rows) {
    RuleChoice choice(rules, rows);
    choice.drop_harmful();
    choice.drop_superfluous();
    std::size_t at = 0;
    std::erase_if(rules, [&](const Rule&) { return !choice.stays(at++); });
}

}  // namespace

bool RuleCondition::holds(const Column& in, std::size_t row) const {
    switch (kind) {
        case Kind::is:
            return in.codes[row] == label;
        case Kind::is_not:
            return in.codes[row] >= 0 && in.codes[row] != label;
        case Kind::at_most:
            return in.values[row] <= threshold;
        case Kind::above:
            return in.values[row] > threshold;
    }
    return false;
}

double pessimistic_error(double errors, double rows) {
    constexpr double confidence = 0.25;
    if (!(rows > 0) || errors >= rows) return 1;
    return beta_quantile(errors + 1, rows - errors, 1 - confidence, confidence);
}

RuleList rules_of(const Tree& tree) {
    RuleList out;
    out.otherwise.assign(tree.at(0).begin(), tree.at(0).end());
    std::vector<std::pair<std::size_t, std::vector<RuleCondition>>> stack{{0, {}}};
    while (!stack.empty()) {
        auto [n, path] = std::move(stack.back());
        stack.pop_back();
        const TreeNode& node = tree.nodes[n];
        if (node.is_leaf()) {
            Rule rule{std::move(path), node.majority, {tree.at(n).begin(), tree.at(n).end()}, 0};
            rule.accuracy = rule.counts[static_cast<std::size_t>(node.majority)] / sum_of(rule.counts);
            out.rules.push_back(std::move(rule));
            continue;
        }
        for (std::uint32_t b = node.branches; b-- > 0;) {
            RuleCondition c{node.column, RuleCondition::Kind::is, static_cast<std::int32_t>(b), 0};
            if (tree.numeric[static_cast<std::size_t>(node.column)])
                c = {node.column, b == 0 ? RuleCondition::Kind::at_most : RuleCondition::Kind::above, -1, node.threshold};
            else if (node.label >= 0)
                c = {node.column, b == 0 ? RuleCondition::Kind::is : RuleCondition::Kind::is_not, node.label, 0};
            auto longer = path;
            // A later bound on the same number lies within an earlier one.
            const auto weaker = std::find_if(longer.begin(), longer.end(), [&](const RuleCondition& o) {
                return o.column == c.column && o.kind == c.kind && c.label < 0;
            });
            if (weaker != longer.end())
                *weaker = c;
            else
                longer.push_back(c);
            stack.emplace_back(node.first + b, std::move(longer));
        }
    }
    return out;
}

RuleList pruned_rules(const Tree& tree, const TableView& rows, std::span<const double> weights, const TableView& kept_back,
                      std::span<const double> kept_weights, std::vector<RuleRound>* trace) {
    const bool pessimistic = kept_back.size() == 0;
    const RuleRows training(rows, weights, tree.labels);
    std::optional<RuleRows> judged;
    if (!pessimistic) judged.emplace(kept_back, kept_weights, tree.labels);
    RuleList read = rules_of(tree);
    RuleList out;
    for (auto& rule : read.rules) {
        prune_rule(rule, judged ? *judged : training, pessimistic, trace);
        const bool known = std::any_of(out.rules.begin(), out.rules.end(), [&](const Rule& r) { return says_the_same(r, rule); });
        if (!known) out.rules.push_back(std::move(rule));
    }
    std::stable_sort(out.rules.begin(), out.rules.end(), [](const Rule& a, const Rule& b) { return a.accuracy > b.accuracy + 1e-12; });
    choose_rules(out.rules, training);
    auto left = training.all();
    for (auto& rule : out.rules) {
        const auto met = met_by(rule, training);
        rule.counts = counts_of(training, met);
        for (std::size_t w = 0; w < left.size(); ++w) left[w] &= ~met[w];
    }
    // Rules that meet no training row (an empty branch's) have no rows from which to estimate P.
    std::erase_if(out.rules, [](const Rule& r) { return !(sum_of(r.counts) > 0); });
    out.otherwise = counts_of(training, left);
    if (!(sum_of(out.otherwise) > 0)) out.otherwise = std::move(read.otherwise);
    return out;
}

std::size_t matching_rule(const RuleList& rules, const Table& table, std::size_t row) {
    for (std::size_t r = 0; r < rules.rules.size(); ++r) {
        const auto& conditions = rules.rules[r].conditions;
        if (std::all_of(conditions.begin(), conditions.end(),
                        [&](const RuleCondition& c) { return c.holds(*table.columns[static_cast<std::size_t>(c.column)], row); }))
            return r;
    }
    return rules.rules.size();
}

std::vector<std::size_t> columns_needed_by(const RuleList& rules, const Table& table, std::size_t row, std::span<const char> given) {
    for (const auto& rule : rules.rules) {
        std::vector<std::size_t> open;
        bool may_apply = true;
        for (const auto& c : rule.conditions) {
            const auto column = static_cast<std::size_t>(c.column);
            if (!given[column])
                open.push_back(column);
            else
                may_apply = may_apply && c.holds(*table.columns[column], row);
        }
        if (may_apply) return open;
    }
    return {};
}

std::string condition_text(const Schema& schema, const RuleCondition& c) {
    TreeNode node;
    node.column = c.column;
    node.threshold = c.threshold;
    node.label = c.label;
    return branch_text(schema, node, c.kind == RuleCondition::Kind::is || c.kind == RuleCondition::Kind::at_most ? 0 : 1);
}

std::string rule_text(const Schema& schema, const Rule& rule) {
    std::string out;
    for (const auto& c : rule.conditions) out += (out.empty() ? "if " : " and ") + condition_text(schema, c);
    return fmt::format("{}{} {}", out, out.empty() ? "always" : " then",
                       (*schema.target.domain)[static_cast<std::size_t>(rule.label)].text());
}

std::string rules_text(const Schema& schema, const RuleList& rules) {
    std::string out;
    for (const auto& rule : rules.rules)
        out += fmt::format("{} ({:.6g} row{}, estimated accuracy {:.4g})\n", rule_text(schema, rule), sum_of(rule.counts),
                           sum_of(rule.counts) == 1 ? "" : "s", rule.accuracy);
    if (!rules.rules.empty() && rules.rules.back().conditions.empty()) {
        out.pop_back();
        return out;
    }
    const auto best = std::max_element(rules.otherwise.begin(), rules.otherwise.end()) - rules.otherwise.begin();
    return out + fmt::format("else {}", (*schema.target.domain)[static_cast<std::size_t>(best)].text());
}

}  // namespace credence::rt
