#include "runtime/classify/tree_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runtime/prob/models/model_parts.hpp"
#include "runtime/prob/models/saved.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

std::size_t largest(std::span<const double> xs) { return static_cast<std::size_t>(std::max_element(xs.begin(), xs.end()) - xs.begin()); }

std::string counts_text(const Schema& schema, std::span<const double> counts) {
    std::string out;
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (counts[k] > 0) out += fmt::format("{}{} {:.6g}", out.empty() ? "" : ", ", (*schema.target.domain)[k].text(), counts[k]);
    return out;
}

}  // namespace

DecisionTree::DecisionTree(Schema schema, std::size_t rows, Tree tree, std::optional<RuleList> rules)
    : Classifier(std::move(schema), rows), tree_(std::move(tree)), rules_(std::move(rules)) {}

std::vector<std::size_t> DecisionTree::columns_needed(const Table& rows, std::size_t row, std::span<const char> given) const {
    if (rules_) return columns_needed_by(*rules_, rows, row, given);
    return {};  // a column that is not given is missing: the row goes down every branch, in the shares of the training rows
}

ModelParts DecisionTree::parts() const {
    ModelParts out{words_part("tree", tree_text(schema_, tree_))};
    if (rules_) out.push_back(words_part("rules", rules_text(schema_, *rules_)));
    out.push_back(count_part("leaves", tree_.leaves()));
    out.push_back(count_part("depth", tree_.depth()));
    return out;
}

Status DecisionTree::probabilities(const TableView& rows, std::span<double> out, Run&) const {
    const std::size_t labels = tree_.labels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto shares = out.subspan(i * labels, labels);
        if (!rules_) {
            tree_shares(tree_, *rows.table, rows.row(i), shares);
            continue;
        }
        const std::size_t r = matching_rule(*rules_, *rows.table, rows.row(i));
        const auto& counts = r < rules_->rules.size() ? rules_->rules[r].counts : rules_->otherwise;
        double all = 0;
        for (const double c : counts) all += c;
        for (std::size_t k = 0; k < labels; ++k) shares[k] = counts[k] / all;
    }
    return Done{};
}

Status DecisionTree::classify(const TableView& rows, std::span<std::int32_t> out, Run&) const {
    std::vector<double> shares(tree_.labels);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = rows.row(i);
        if (rules_) {
            const std::size_t r = matching_rule(*rules_, *rows.table, row);
            out[i] = r < rules_->rules.size() ? rules_->rules[r].label : static_cast<std::int32_t>(largest(rules_->otherwise));
            continue;
        }
        std::size_t n = 0;
        while (!tree_.nodes[n].is_leaf()) {
            const Column& column = *rows.table->columns[static_cast<std::size_t>(tree_.nodes[n].column)];
            if (column.is_missing(row)) break;
            n = tree_.nodes[n].first + branch_of(tree_.nodes[n], column, row);
        }
        out[i] = tree_.nodes[n].majority;
        if (tree_.nodes[n].is_leaf()) continue;
        tree_shares(tree_, *rows.table, row, shares);
        out[i] = static_cast<std::int32_t>(largest(shares));
    }
    return Done{};
}

Attempt<std::vector<Rational>> DecisionTree::exact_probabilities(const TableView& rows, Run&) const {
    const auto parts = exact_parts(*rows.table, rows.row(0));
    if (parts.empty()) return not_applicable;
    std::vector<Rational> out(tree_.labels);
    for (const auto& part : parts) {
        Rational all;
        for (const auto& c : part.counts) all += c;
        for (std::size_t k = 0; k < out.size(); ++k) out[k] += part.share * part.counts[k] / all;
    }
    return out;
}

Result<Derivation> DecisionTree::explain_prediction(const TableView& rows, Run& run) const {
    DerivationWriter out;
    const std::size_t row = rows.row(0);
    if (rules_) {
        const std::size_t r = matching_rule(*rules_, *rows.table, row);
        if (r > 0) out.note(fmt::format("{} rule{} not apply", r, r == 1 ? " does" : "s do"));
        out.note(r < rules_->rules.size() ? rule_text(schema_, rules_->rules[r])
                                          : "no rule applies, so the training rows that no rule covers decide");
        out.note("training rows: " + counts_text(schema_, r < rules_->rules.size() ? rules_->rules[r].counts : rules_->otherwise));
    } else {
        // The path, and every branch of a test whose cell is missing.
        struct Step {
            std::size_t node;
            std::size_t depth;
            std::string text;
        };
        std::vector<Step> stack{{0, 0, {}}};
        while (!stack.empty()) {
            const Step at = std::move(stack.back());
            stack.pop_back();
            const TreeNode& node = tree_.nodes[at.node];
            const std::string indent(2 * at.depth, ' ');
            std::string line = indent + at.text;
            if (node.is_leaf()) {
                out.note(fmt::format("{}{}leaf: {}{}", line, at.text.empty() ? "" : " -> ", counts_text(schema_, tree_.at(at.node)),
                                     node.weight > 0 ? "" : " (no row came here: those of its parent)"));
                continue;
            }
            if (!at.text.empty()) out.note(line);
            const std::size_t depth = at.text.empty() ? at.depth : at.depth + 1;
            const Column& column = *rows.table->columns[static_cast<std::size_t>(node.column)];
            if (!column.is_missing(row)) {
                const auto b = branch_of(node, column, row);
                stack.push_back({node.first + b, depth, branch_text(schema_, node, b)});
                continue;
            }
            double all = 0;
            for (std::uint32_t b = 0; b < node.branches; ++b) all += tree_.nodes[node.first + b].weight;
            out.note(fmt::format("{}{} is missing: all branches are followed, weighted by their rows", std::string(2 * depth, ' '),
                                 column.name));
            for (std::uint32_t b = node.branches; b-- > 0;)
                if (const double w = tree_.nodes[node.first + b].weight; w > 0)
                    stack.push_back({node.first + b, depth + 1, fmt::format("{:.6g}/{:.6g} {}", w, all, branch_text(schema_, node, b))});
        }
    }
    auto exact = TRY(exact_probabilities(rows, run).or_nothing());
    std::vector<double> shares(tree_.labels);
    TRY(probabilities(rows, shares, run));
    const auto parts = exact_parts(*rows.table, row);
    for (std::size_t k = 0; k < tree_.labels; ++k) {
        if (!(shares[k] > 0)) continue;
        const std::string what = fmt::format("P({} = {})", schema_.target.name, (*schema_.target.domain)[k].text());
        if (!exact) {
            out.note(fmt::format("{} = {:.6g}", what, shares[k]));
            continue;
        }
        out.formula(what);
        std::vector<Parts> terms;
        for (const auto& part : parts) {
            if (part.counts[k].is_zero()) continue;
            Rational all;
            for (const auto& c : part.counts) all += c;
            Parts term;
            if (part.share != Rational(1)) {
                append(term, operand(Number(part.share)));
                append(term, {std::string(" * ")});
            }
            append(term, quotient(Number(part.counts[k]), Number(all)));
            terms.push_back(std::move(term));
        }
        out.begin(terms.size() > longest_sum ? Parts{Number((*exact)[k])} : joined(terms, " + "));
        out.result(Number((*exact)[k]));
    }
    return std::move(out).take();
}

std::vector<LeafPart> DecisionTree::exact_parts(const Table& table, std::size_t row) const {
    if (!rules_) return exact_leaf_parts(tree_, table, row);
    const std::size_t r = matching_rule(*rules_, table, row);
    const auto& counts = r < rules_->rules.size() ? rules_->rules[r].counts : rules_->otherwise;
    if (!std::all_of(counts.begin(), counts.end(), [](double c) { return c == std::floor(c); })) return {};
    LeafPart out{Rational(1), {}};
    for (const double c : counts) out.counts.push_back(Rational::from_decimal(c));
    return {out};
}

// --- files -------------------------------------------------------------------------------------------------------------

namespace {

std::vector<Number> rational_numbers(std::span<const Rational> xs) { return {xs.begin(), xs.end()}; }

Json saved_rules(const RuleList& rules) {
    Json list = Json::array();
    for (const auto& rule : rules.rules) {
        Json conditions = Json::array();
        for (const auto& c : rule.conditions) conditions.push_back({c.column, static_cast<int>(c.kind), c.label, c.threshold});
        list.push_back({{"if", conditions},
                        {"then", static_cast<std::size_t>(rule.label)},
                        {"counts", saved(std::span<const double>(rule.counts))},
                        {"accuracy", rule.accuracy}});
    }
    return Json{{"rules", list}, {"otherwise", saved(std::span<const double>(rules.otherwise))}};
}

bool in_range(std::int64_t x, std::size_t n) { return x >= 0 && static_cast<std::size_t>(x) < n; }

/// Numbers of rows by label, of which probabilities are made.
Status check_counts(std::span<const double> counts) {
    double all = 0;
    for (const double c : counts) {
        if (!(c >= 0) || !std::isfinite(c)) return damaged("a count is invalid");
        all += c;
    }
    if (!(all > 0)) return damaged("nothing was counted in a node or a rule");
    return Done{};
}

Status check_node(const Schema& schema, const Tree& tree, std::size_t n) {
    const TreeNode& node = tree.nodes[n];
    if (!in_range(node.majority, tree.labels)) return damaged("a node's label is invalid");
    if (!(node.weight >= 0) || !std::isfinite(node.weight)) return damaged("a node's weight is invalid");
    TRY(check_counts(tree.at(n)));
    if (node.is_leaf()) return Done{};
    if (!in_range(node.column, schema.features.size())) return damaged("a node tests a column that is not there");
    const Field& field = schema.features[static_cast<std::size_t>(node.column)];
    const bool two = field.kind == ColumnKind::numeric || node.label >= 0;
    if (two && field.kind == ColumnKind::label && !in_range(node.label, field.domain->size())) return damaged("a tested label is invalid");
    if (node.branches != (two ? 2 : field.domain->size())) return damaged("a node has too few branches");
    if (node.first <= n || node.first + node.branches > tree.nodes.size()) return damaged("a branch leads nowhere");
    return Done{};
}

Result<RuleList> read_rules(const Json& json, const Schema& schema) {
    RuleList out;
    const std::size_t labels = schema.target.domain->size();
    auto list = TRY(read_member(json, "rules"));
    out.otherwise = TRY(read_reals(json, "otherwise"));
    if (out.otherwise.size() != labels || !list->is_array()) return damaged("the rules are invalid");
    TRY(check_counts(out.otherwise));
    for (const auto& item : *list) {
        Rule rule;
        auto conditions = TRY(read_member(item, "if"));
        auto counts = TRY(read_reals(item, "counts"));
        auto accuracy = TRY(read_real(item, "accuracy"));
        auto label = TRY(read_count(item, "then"));
        if (label >= labels || counts.size() != labels) return damaged("a rule concludes no label");
        TRY(check_counts(counts));
        rule.label = static_cast<std::int32_t>(label);
        rule.counts = std::move(counts);
        rule.accuracy = accuracy;
        for (const auto& c : *conditions) {
            if (!c.is_array() || c.size() != 4 || !c[0].is_integer() || !c[1].is_integer() || !c[2].is_integer() || !c[3].is_number())
                return damaged("a condition is invalid");
            const auto column = c[0].integer();
            const auto kind = c[1].integer();
            if (!in_range(column, schema.features.size()) || !in_range(kind, 4)) return damaged("a condition is of no column");
            const bool numeric = schema.features[static_cast<std::size_t>(column)].kind == ColumnKind::numeric;
            if (numeric != (kind >= 2)) return damaged("a condition does not fit its column");
            if (!numeric && !in_range(c[2].integer(), schema.features[static_cast<std::size_t>(column)].domain->size()))
                return damaged("a condition is of no label");
            rule.conditions.push_back({static_cast<std::int32_t>(column), static_cast<RuleCondition::Kind>(kind),
                                       static_cast<std::int32_t>(c[2].integer()), c[3].real()});
        }
        out.rules.push_back(std::move(rule));
    }
    return out;
}

}  // namespace

Result<Json> DecisionTree::save() const {
    Json nodes = Json::array();
    for (const auto& n : tree_.nodes) nodes.push_back({n.column, n.label, n.threshold, n.first, n.branches, n.majority, n.weight});
    Json out{{"schema", saved(schema_)},
             {"rows", rows_seen_},
             {"nodes", std::move(nodes)},
             {"counts", saved(std::span<const double>(tree_.counts))},
             {"choices", tree_.choices}};
    if (!tree_.fractions.empty()) out.set("fractions", saved(std::span<const Number>(rational_numbers(tree_.fractions))));
    if (rules_) out.set("rule_list", saved_rules(*rules_));
    return out;
}

Result<ModelPtr> load_decision_tree(const Json& json) {
    auto schema = TRY(read_schema(json, "schema"));
    auto rows = TRY(read_count(json, "rows"));
    auto nodes = TRY(read_member(json, "nodes"));
    auto counts = TRY(read_reals(json, "counts"));
    auto choices = TRY(read_reals(json, "choices"));
    if (schema.target.kind != ColumnKind::label) return damaged("the target has no labels");
    Tree tree;
    tree.labels = schema.target.domain->size();
    tree.counts = std::move(counts);
    if (!nodes->is_array() || nodes->empty() || tree.counts.size() != nodes->size() * tree.labels ||
        choices.size() != schema.features.size())
        return damaged("the counts do not fit the nodes");
    for (const double c : choices) tree.choices.push_back(c >= 0 && c < 1e15 ? static_cast<std::size_t>(c) : 0);
    for (const auto& f : schema.features) tree.numeric.push_back(f.kind == ColumnKind::numeric);
    for (const auto& n : *nodes) {
        if (!n.is_array() || n.size() != 7 || !std::all_of(n.begin(), n.end(), [](const Json& x) { return x.is_number(); }))
            return damaged("a node is invalid");
        const auto whole = [&](std::size_t i) { return n[i].is_integer() ? n[i].integer() : -2; };
        for (const std::size_t i : {0U, 1U, 3U, 4U, 5U})
            if (whole(i) < -1 || whole(i) > std::numeric_limits<std::int32_t>::max()) return damaged("a node is invalid");
        tree.nodes.push_back({static_cast<std::int32_t>(whole(0)), static_cast<std::int32_t>(whole(1)), n[2].real(),
                              static_cast<std::uint32_t>(std::max<std::int64_t>(0, whole(3))),
                              static_cast<std::uint32_t>(std::max<std::int64_t>(0, whole(4))), static_cast<std::int32_t>(whole(5)),
                              n[6].real()});
    }
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) { TRY(check_node(schema, tree, n)); }
    if (json.contains("fractions")) {
        auto fractions = TRY(read_numbers(json, "fractions"));
        if (fractions.size() != tree.counts.size()) return damaged("the fractions do not fit the nodes");
        for (const auto& f : fractions) {
            if (!f.is_exact() || f.sign() < 0) return damaged("a count is invalid");
            tree.fractions.push_back(f.exact());
        }
        for (std::size_t first = 0; first < fractions.size(); first += tree.labels) {
            const auto of_node = std::span(fractions).subspan(first, tree.labels);
            if (std::all_of(of_node.begin(), of_node.end(), [](const Number& f) { return f.is_zero(); }))
                return damaged("nothing was counted in a node or a rule");
        }
    }
    std::optional<RuleList> rules;
    if (json.contains("rule_list")) { rules = TRY(read_rules(*json.find("rule_list"), schema)); }
    return ModelPtr(std::make_shared<const DecisionTree>(std::move(schema), rows, std::move(tree), std::move(rules)));
}

}  // namespace credence::rt
