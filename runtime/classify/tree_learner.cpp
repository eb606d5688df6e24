// decision_tree: growing, pruning, and the trace that `explain train` prints.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/classify/gain_text.hpp"
#include "runtime/classify/tree_grow.hpp"
#include "runtime/classify/tree_model.hpp"
#include "runtime/data/columns.hpp"
#include "runtime/data/table_ops.hpp"
#include "runtime/prob/queries/derivation.hpp"

namespace credence::rt {

namespace {

/// Rows to grow from, and rows kept back for pruning.
struct GrowingRows {
    std::vector<std::uint32_t> grow, kept;
    std::vector<double> grow_weights, kept_weights;
    TableView grow_view, kept_view;
};

void keep_back(const TableView& rows, std::span<const double> weights, const Rational& share, const Rng& rng, GrowingRows& out) {
    const std::size_t n = rows.size();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    Rng draw = rng.child("validation");
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[draw.below(i)]);
    const auto kept = static_cast<std::size_t>(std::llround(share.to_double() * static_cast<double>(n)));
    std::vector<char> is_kept(n, 0);
    for (std::size_t i = 0; i < std::min(kept, n - 1); ++i) is_kept[order[i]] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        (is_kept[i] ? out.kept : out.grow).push_back(static_cast<std::uint32_t>(rows.row(i)));
        if (!weights.empty()) (is_kept[i] ? out.kept_weights : out.grow_weights).push_back(weights[i]);
    }
    out.grow_view = {rows.table, out.grow, false};
    out.kept_view = {rows.table, out.kept, false};
}

/// The rows to grow from and other rows to prune by, as one table.
Result<TablePtr> with_validation_rows(const TableView& rows, std::span<const double> weights, const Table& other, GrowingRows& out) {
    const auto names = column_names(*rows.table);
    const auto same_columns = TRY(select(other, names));
    auto both = TRY(concat(*rows.table, *same_columns));
    const Column& target = *both->columns[*rows.table->target];
    if (target.domain->size() != rows.table->columns[*rows.table->target]->domain->size())
        return Fault{.code = "E-LABEL",
                     .message = fmt::format("the validation rows have {} = {}, which training lacks", target.name,
                                            target.domain->labels().back().text())};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.grow.push_back(static_cast<std::uint32_t>(rows.row(i)));
        if (!weights.empty()) out.grow_weights.push_back(weights[i]);
    }
    for (std::size_t i = 0; i < other.row_count; ++i) {
        const std::size_t row = rows.table->row_count + i;
        if (target.is_missing(row)) continue;
        out.kept.push_back(static_cast<std::uint32_t>(row));
        if (!weights.empty()) out.kept_weights.push_back(1);
    }
    out.grow_view = {both.get(), out.grow, false};
    out.kept_view = {both.get(), out.kept, false};
    return both;
}

/// Two labels or more have the most rows.
bool even(std::span<const double> counts) {
    const double most = *std::max_element(counts.begin(), counts.end());
    return std::count(counts.begin(), counts.end(), most) > 1;
}

std::string criterion_name(SplitCriterion criterion) {
    switch (criterion) {
        case SplitCriterion::gain:
            return "Gain";
        case SplitCriterion::gain_ratio:
            return "GainRatio";
        case SplitCriterion::gini:
            return "Gini";
        case SplitCriterion::cost_square:
            return "Gain²/Cost";
        case SplitCriterion::cost_power:
            return "(2^Gain − 1)/(Cost + 1)^w";
    }
    return {};
}

class TreeLearner final : public Learner {
public:
    explicit TreeLearner(TreeSettings settings) : settings_(std::move(settings)) {}
    std::string_view name() const override { return "decision_tree"; }
    TargetKind target() const override { return TargetKind::label; }
    bool single_threaded() const override { return settings_.codes.any(); }

    Result<ModelPtr> fit(const TableView& rows, std::span<const double> weights, Run& run) const override {
        auto made = TRY(make(rows, weights, run, nullptr));
        return ModelPtr(std::move(made));
    }

    Result<Derivation> explain_fit(const TableView& rows, std::span<const double> weights, const Model& fitted, Run& run) const override {
        std::vector<NodeTrace> trace;
        Tree grown;
        PruningTrace pruning;
        TRY(make(rows, weights, run, &trace, &grown, &pruning));
        const auto& model = dynamic_cast<const DecisionTree&>(fitted);
        DerivationWriter out;
        tell_criterion(out);
        tell_growth(out, model.schema(), grown, trace);
        TRY(tell_pruning(out, model, grown, pruning));
        return std::move(out).take();
    }

private:
    struct PruningTrace {
        std::vector<PruneTrace> nodes;
        std::vector<RuleRound> rules;
    };

    Result<std::shared_ptr<const DecisionTree>> make(const TableView& rows, std::span<const double> weights, Run& run,
                                                     std::vector<NodeTrace>* trace, Tree* grown = nullptr,
                                                     PruningTrace* pruning = nullptr) const {
        for (const auto& [name, cost] : settings_.costs) {
            auto found = TRY(find_column(*rows.table, name));
            if (rows.table->target == found)
                return Fault{.code = "E-PARAMETER", .message = fmt::format("costs: {} is the target, which has no cost", name)};
        }
        GrowingRows parts;
        TableView growing = rows;
        std::span<const double> used = weights;
        TablePtr both;
        const bool pruned_by_rows = settings_.validation || settings_.validation_rows;
        if (settings_.validation_rows)
            both = TRY(with_validation_rows(rows, weights, *settings_.validation_rows, parts));
        else if (settings_.validation)
            keep_back(rows, weights, *settings_.validation, run.rng, parts);
        if (pruned_by_rows) {
            growing = parts.grow_view;
            used = parts.grow_weights;
            if (parts.kept.empty())
                return Fault{.code = "E-TRAIN",
                             .message = settings_.validation_rows
                                            ? std::string("the validation table has no rows with a value of the target")
                                            : fmt::format("a validation share of {} holds out none of {} rows",
                                                          settings_.validation->text(), rows.size()),
                             .hint = settings_.validation_rows ? "" : "give more rows or a larger share"};
        }
        auto tree = TRY(grow_tree(growing, used, with_splits(growing, used, run), run, trace));
        if (grown) *grown = tree;
        std::optional<RuleList> rules;
        switch (settings_.prune) {
            case Pruning::none:
            case Pruning::significance:
                break;
            case Pruning::reduced_error:
                prune_by_reduced_error(tree, parts.kept_view, parts.kept_weights, pruning ? &pruning->nodes : nullptr);
                break;
            case Pruning::mdl:
                TRY(prune_by_description_length(tree, settings_.codes));
                break;
            case Pruning::rules: {
                const Table none;
                const TableView kept = pruned_by_rows ? parts.kept_view : TableView{.table = &none, .rows = {}};
                rules = pruned_rules(tree, growing, used, kept, parts.kept_weights, pruning ? &pruning->rules : nullptr);
                break;
            }
        }
        return std::make_shared<const DecisionTree>(schema_of(*growing.table), rows.size(), compacted(tree), std::move(rules));
    }

    /// The settings with the kind of tests of label columns that suits so many rows, if none were chosen.
    TreeSettings with_splits(const TableView& rows, std::span<const double> weights, const Run& run) const {
        TreeSettings out = settings_;
        if (out.splits) return out;
        const double total = weights.empty() ? static_cast<double>(rows.size()) : std::accumulate(weights.begin(), weights.end(), 0.0);
        const Table& table = *rows.table;
        bool several = false;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            several = several || (table.target != c && table.columns[c]->kind == ColumnKind::label && table.columns[c]->domain->size() > 2);
        const bool binary = several && total > many_rows;
        out.splits = binary ? LabelSplits::binary : LabelSplits::multiway;
        if (binary && run.note)
            run.note(
                fmt::format("with more than {:.6g} rows, a test asks for one label of a column; splits: multiway has a branch for each "
                            "label, as in ID3",
                            many_rows));
        return out;
    }

    void tell_criterion(DerivationWriter& out) const {
        if (settings_.criterion == SplitCriterion::gini) {
            out.formula("Gini(S) = 1 − Σ p²;  fall(S, A) = Gini(S) − Σ |S_v|/|S| · Gini(S_v)");
            return;
        }
        out.formula("Gain(S, A) = H(S) − Σ |S_v|/|S| · H(S_v),  H(S) = −Σ p log2 p");
        if (settings_.missing == MissingCells::fractional)
            out.formula("where cells are missing: Gain(S, A) = |K|/|S| · (H(K) − Σ |K_v|/|K| · H(K_v)), K the rows with a value of A");
        if (settings_.criterion == SplitCriterion::gain_ratio)
            out.formula("GainRatio(S, A) = Gain(S, A) / −Σ |S_v|/|S| · log2 |S_v|/|S|, among the tests of at least average gain");
        if (settings_.criterion == SplitCriterion::cost_square) out.formula("score(S, A) = Gain(S, A)² / Cost(A)");
        if (settings_.criterion == SplitCriterion::cost_power)
            out.formula(fmt::format("score(S, A) = (2^Gain(S, A) − 1) / (Cost(A) + 1)^{:.6g}", settings_.cost_exponent));
    }

    double impurity(std::span<const double> counts) const {
        double all = 0;
        for (const double c : counts) all += c;
        double out = settings_.criterion == SplitCriterion::gini ? 1 : 0;
        for (const double c : counts)
            if (c > 0) out -= settings_.criterion == SplitCriterion::gini ? c / all * c / all : c / all * std::log2(c / all);
        return out;
    }

    /// How each node is reached, from the root.
    static std::vector<std::string> ways_to(const Schema& schema, const Tree& grown) {
        std::vector<std::string> way(grown.nodes.size());
        for (std::size_t n = 0; n < grown.nodes.size(); ++n)
            for (std::uint32_t b = 0; b < grown.nodes[n].branches; ++b)
                way[grown.nodes[n].first + b] = way[n] + (way[n].empty() ? "" : ", ") + branch_text(schema, grown.nodes[n], b);
        return way;
    }

    std::string_view measure_name() const { return settings_.criterion == SplitCriterion::gini ? "Gini" : "H"; }

    double gain_of(std::span<const std::vector<double>> branches, double at_node) const {
        std::vector<double> total(branches[0].size());
        double known = 0;
        double out = 0;
        for (const auto& counts : branches) {
            const double here = std::accumulate(counts.begin(), counts.end(), 0.0);
            for (std::size_t k = 0; k < total.size(); ++k) total[k] += counts[k];
            known += here;
            out -= here * impurity(counts);
        }
        return (out + known * impurity(total)) / at_node;
    }

    /// The thresholds of a numeric column that were weighed, with their gains.
    void tell_thresholds(DerivationWriter& out, const std::string& column, const BranchesTrace& branches, double at_node) const {
        const auto& all = branches.thresholds;
        for (std::size_t t = 0; t < all.size(); ++t) {
            const std::vector<std::vector<double>> sides{all[t].below, all[t].above};
            const std::string text = gain_text(measure_name(), sides, at_node);
            out.note(
                fmt::format("    {} <= {:.6g}: {}{:.4f}", column, all[t].value, text.empty() ? "" : text + " = ", gain_of(sides, at_node)));
        }
        if (branches.more_thresholds > 0) out.note(fmt::format("    … {} more thresholds", branches.more_thresholds));
    }

    void tell_growth(DerivationWriter& out, const Schema& schema, const Tree& grown, std::span<const NodeTrace> trace) const {
        const auto way = ways_to(schema, grown);
        if (trace.empty()) tell_node(out, schema, grown, NodeTrace{}, "");
        for (const NodeTrace& at : trace) tell_node(out, schema, grown, at, way[at.node]);
    }

    void tell_node(DerivationWriter& out, const Schema& schema, const Tree& grown, const NodeTrace& at, const std::string& way) const {
        std::string counts;
        for (std::size_t k = 0; k < grown.labels; ++k)
            if (const double c = grown.at(at.node)[k]; c > 0)
                counts += fmt::format("{}{} {:.6g}", counts.empty() ? "" : ", ", (*schema.target.domain)[k].text(), c);
        out.note(fmt::format("{}: {}; {} = {:.6g}", way.empty() ? "all rows" : way, counts, measure_name(), impurity(grown.at(at.node))));
        const bool plain = settings_.criterion == SplitCriterion::gain || settings_.criterion == SplitCriterion::gini;
        const double weight = grown.nodes[at.node].weight;
        for (std::size_t i = 0; i < at.scores.size(); ++i) {
            const ColumnScore& s = at.scores[i];
            const std::string formula =
                at.branches.empty() || at.branches[i].filled ? "" : gain_text(measure_name(), at.branches[i].counts, weight);
            TreeNode test;
            test.column = s.column;
            test.label = s.label;
            test.threshold = s.threshold;
            std::string line = fmt::format("  {}({}) = {}{:.4f}", settings_.criterion == SplitCriterion::gini ? "fall" : "Gain",
                                           test_text(schema, test), formula.empty() ? "" : formula + " = ", s.gain);
            if (!at.branches.empty() && at.branches[i].filled) line += ", missing cells filled in";
            if (settings_.criterion == SplitCriterion::gain_ratio) line += fmt::format(", split information {:.4f}", s.split_info);
            if (!plain) line += fmt::format(", {} = {:.4f}", criterion_name(settings_.criterion), s.score);
            out.note(line);
            if (!at.branches.empty() && at.branches[i].thresholds.size() > 1)
                tell_thresholds(out, schema.features[static_cast<std::size_t>(s.column)].name, at.branches[i], weight);
        }
        if (at.p_value)
            out.note(
                fmt::format("  best test: p = {:.4g}, {} {:.4g}", *at.p_value, at.chosen ? "at most" : "above", settings_.significance));
        if (at.chosen)
            out.note("  -> test " + test_text(schema, grown.nodes[at.node]));
        else
            out.note(fmt::format("  -> leaf {}{}", (*schema.target.domain)[static_cast<std::size_t>(grown.nodes[at.node].majority)].text(),
                                 at.scores.empty() && impurity(grown.at(at.node)) > 0 ? ": no test is left" : "") +
                     (even(grown.at(at.node)) ? "; of equal labels, the one with more rows at the node above, then the first" : ""));
    }

    /// Each node that might become a leaf, in the order in which they were weighed.
    void tell_candidates(DerivationWriter& out, const Schema& schema, const Tree& grown, std::span<const PruneTrace> pruning) const {
        const auto way = ways_to(schema, grown);
        out.note("from the leaves up, a node becomes a leaf where the rows kept back lose no accuracy:");
        for (const PruneTrace& at : pruning) {
            out.note(fmt::format("  {}: {:.6g} of {:.6g} right below it, {:.6g} as leaf {}; accuracy {:.4f} becomes {:.4f}: {}",
                                 way[at.node].empty() ? "all rows" : way[at.node], at.below, at.reached, at.as_leaf,
                                 (*schema.target.domain)[static_cast<std::size_t>(grown.nodes[at.node].majority)].text(),
                                 at.accuracy_before, at.accuracy, at.pruned ? "pruned" : "kept"));
        }
    }

    /// Each rule as it was read off the tree, and the accuracy without each of its conditions, round after round.
    void tell_rules(DerivationWriter& out, const DecisionTree& model, const Tree& grown, std::span<const RuleRound> rounds) const {
        const Schema& schema = model.schema();
        const bool kept_back = settings_.validation || settings_.validation_rows;
        out.note(
            fmt::format("{} leaves become {} rules. A condition goes where the accuracy does not fall, the one first whose loss helps "
                        "most.",
                        grown.leaves(), model.rules().rules.size()));
        out.formula(kept_back ? "accuracy = right / met, of the rows kept back"
                              : "accuracy = 1 - U(met - right, met), U the error rate at which so few errors have a chance of 25 %");
        const auto told = [](const RuleRound::Candidate& c) {
            return fmt::format("{:.6g} of {:.6g} right, accuracy {:.4f}", c.right, c.met, c.accuracy);
        };
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            const RuleRound& round = rounds[i];
            const bool goes_on = i > 0 && rounds[i - 1].dropped.has_value();
            out.note(fmt::format("{}{}: {}", goes_on ? "  then " : "", rule_text(schema, round.rule), told(round.whole)));
            for (std::size_t c = 0; c < round.without.size(); ++c)
                out.note(fmt::format("    without {}: {}{}", condition_text(schema, round.rule.conditions[c]), told(round.without[c]),
                                     round.dropped == c ? "; dropped" : ""));
        }
        out.note("in the order of their accuracy, without those that cost training rows or that the others make superfluous:");
        for (const auto& rule : model.rules().rules)
            out.note(fmt::format("  {} (estimated accuracy {:.4g})", rule_text(schema, rule), rule.accuracy));
    }

    Status tell_pruning(DerivationWriter& out, const DecisionTree& model, const Tree& grown, const PruningTrace& pruning) const {
        const auto sizes = [&] {
            return fmt::format("{} of {} nodes {} left", model.tree().nodes.size(), grown.nodes.size(),
                               model.tree().nodes.size() == 1 ? "is" : "are");
        };
        switch (settings_.prune) {
            case Pruning::none:
            case Pruning::significance:
                return Done{};
            case Pruning::reduced_error:
                if (!pruning.nodes.empty()) tell_candidates(out, model.schema(), grown, pruning.nodes);
                out.note(settings_.validation_rows
                             ? fmt::format("pruned by the validation rows: {}", sizes())
                             : fmt::format("pruned by the rows kept back ({} of all): {}", settings_.validation->text(), sizes()));
                return Done{};
            case Pruning::mdl: {
                const auto before = TRY(description_length(grown, settings_.codes));
                const auto after = TRY(description_length(model.tree(), settings_.codes));
                out.note(
                    fmt::format("pruned by description length: {:.4f} bits (tree {:.4f}, exceptions {:.4f}) become {:.4f} "
                                "(tree {:.4f}, exceptions {:.4f}); {}",
                                before.tree + before.exceptions, before.tree, before.exceptions, after.tree + after.exceptions, after.tree,
                                after.exceptions, sizes()));
                return Done{};
            }
            case Pruning::rules:
                tell_rules(out, model, grown, pruning.rules);
                return Done{};
        }
        return Done{};
    }

    TreeSettings settings_;
};

}  // namespace

LearnerPtr make_decision_tree(TreeSettings settings) { return std::make_shared<const TreeLearner>(std::move(settings)); }

}  // namespace credence::rt
