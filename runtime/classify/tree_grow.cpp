#include "runtime/classify/tree_grow.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>

#include <fmt/format.h>

#include "runtime/classify/split_search.hpp"
#include "runtime/core/special.hpp"
#include "runtime/data/design.hpp"

namespace credence::rt {

namespace {

/// Scores nearer than this are equal: the column that comes first wins.
constexpr double score_tolerance = 1e-9;

/// Rows of a node in every order. In place: a stretch of the arrays of the whole table. Where a row may be in several branches each node
/// has arrays of its own, and the rows' weights in it.
struct NodeRows {
    std::vector<std::uint32_t> rows;
    std::vector<std::vector<RankedRow>> sorted;  ///< a column; empty for labels
    std::vector<double> weights;                 ///< one for each row of `rows`, where each node has its own
};

struct Pending {
    std::uint32_t node = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::size_t depth = 0;
    std::shared_ptr<NodeRows> own = {};
};

template <class Measure>
class Grower {
public:
    using Weight = typename Measure::Weight;

    Grower(const TreeRows& data, Measure measure, const TreeSettings& settings, std::span<const double> costs, const Run& run,
           std::vector<NodeTrace>* trace)
        : data_(data),
          measure_(measure),
          settings_(settings),
          costs_(costs),
          run_(run),
          trace_(trace),
          scratch_(most_values(data), data.labels),
          branch_(data.rows),
          buffer_(data.rows),
          ranked_buffer_(data.rows),
          splits_(data.columns.size()),
          scores_(data.columns.size()),
          classes_(data.labels) {
        for (const auto& c : data.columns) missing_ = missing_ || c.missing;
        cut_ = settings.missing == MissingCells::fractional && missing_;
        if (!data.weights.empty() || cut_) {
            weights_.assign(data.rows, Weight(1));
            for (std::size_t i = 0; i < data.weights.size(); ++i) weights_[i] = static_cast<Weight>(data.weights[i]);
        }
    }

    Result<Tree> grow() {
        tree_.labels = data_.labels;
        for (const auto& c : data_.columns) {
            tree_.choices.push_back(c.numeric ? std::max<std::size_t>(c.levels.size(), 1) - 1 : c.size);
            tree_.numeric.push_back(c.numeric);
        }
        auto root = std::make_shared<NodeRows>();
        root->rows.resize(data_.rows);
        for (std::uint32_t i = 0; i < data_.rows; ++i) root->rows[i] = i;
        for (const auto& c : data_.columns) root->sorted.push_back(c.sorted);
        if (cut_) root->weights.assign(weights_.begin(), weights_.end());
        tree_.nodes.emplace_back();
        tree_.counts.resize(data_.labels);
        for (const auto row : root->rows) add_row(0, row, weight_of(row));
        settle(0, 0);
        if (may_grow(0, 0)) pending_.push_back({0, 0, static_cast<std::uint32_t>(data_.rows), 0, std::move(root)});
        while (!pending_.empty()) {
            if (run_.stopped()) return stopped_fault();
            Pending next = std::move(pending_.back());
            pending_.pop_back();
            expand(next);
        }
        return std::move(tree_);
    }

private:
    static std::size_t most_values(const TreeRows& data) {
        std::size_t out = 1;
        for (const auto& c : data.columns) out = std::max(out, c.size);
        return out;
    }
    Weight weight_of(std::uint32_t row) const { return weights_.empty() ? Weight(1) : weights_[row]; }

    void add_row(std::size_t node, std::uint32_t row, double weight) {
        tree_.counts[node * data_.labels + static_cast<std::size_t>(data_.classes[row])] += weight;
        tree_.nodes[node].weight += weight;
    }

    /// The majority of a node whose rows are counted; one without rows has its parent's. Equal labels: the one of more rows in the parent.
    void settle(std::size_t node, std::size_t parent) {
        const auto counts = tree_.counts.begin() + static_cast<std::ptrdiff_t>(node * data_.labels);
        const auto above = tree_.at(parent);
        if (!(tree_.nodes[node].weight > 0)) {
            std::copy(above.begin(), above.end(), counts);
            tree_.nodes[node].majority = tree_.nodes[parent].majority;
            return;
        }
        const auto usual = static_cast<std::size_t>(tree_.nodes[parent].majority);
        std::size_t best = 0;
        const auto rank = [&](std::size_t k) { return std::tuple(counts[static_cast<std::ptrdiff_t>(k)], above[k], k == usual); };
        for (std::size_t k = 1; k < data_.labels; ++k)
            if (rank(k) > rank(best)) best = k;
        tree_.nodes[node].majority = static_cast<std::int32_t>(best);
    }

    bool may_grow(std::size_t node, std::size_t depth) const {
        const TreeNode& n = tree_.nodes[node];
        if (!(n.weight > 0) || depth >= settings_.max_depth) return false;
        std::size_t present = 0;
        for (const double c : tree_.at(node)) present += c > 0;
        return present > 1;
    }

    void expand(const Pending& at) {
        NodeRows& in = *at.own;
        const auto rows = std::span(in.rows).subspan(at.begin, at.end - at.begin);
        if (cut_)
            for (std::size_t i = 0; i < rows.size(); ++i) weights_[rows[i]] = static_cast<Weight>(in.weights[i]);
        SplitNode<Measure> node{data_,
                                measure_,
                                weights_,
                                rows,
                                classes_,
                                Weight(0),
                                0,
                                settings_.missing,
                                settings_.splits.value_or(LabelSplits::multiway),
                                settings_.min_rows};
        for (std::size_t k = 0; k < data_.labels; ++k) {
            classes_[k] = static_cast<Weight>(tree_.at(at.node)[k]);
            node.weight += classes_[k];
            node.class_sum += measure_.phi(classes_[k]);
        }
        for (std::size_t c = 0; c < data_.columns.size(); ++c) splits_[c] = search(node, in, at, c);
        const auto best = choose(static_cast<double>(node.weight));
        NodeTrace* told = nullptr;
        if (trace_) told = record(at.node, node, best);
        if (!best) return;
        fill_for(node, in, at, *best);
        const Split split = splits_[*best];
        if (settings_.prune == Pruning::significance) {
            const double p = p_value(node, *best, split);
            if (told) told->p_value = p;
            if (p > settings_.significance) {
                if (told) told->chosen.reset();
                return;
            }
        }
        divide(at, in, rows, *best, split);
    }

    Split search(const SplitNode<Measure>& node, NodeRows& in, const Pending& at, std::size_t c) {
        const TreeColumn& column = data_.columns[c];
        if (!column.numeric) return search_labels(node, column, scratch_);
        return search_numbers(node, std::span<const RankedRow>(in.sorted[c]).subspan(at.begin, at.end - at.begin), column.missing,
                              scratch_);
    }

    /// The scratch of the chosen column, where missing cells need it and another column has used it since.
    void fill_for(const SplitNode<Measure>& node, NodeRows& in, const Pending& at, std::size_t best) {
        if (data_.columns[best].missing && !cut_ && best + 1 != data_.columns.size()) search(node, in, at, best);
    }

    std::optional<std::size_t> choose(double weight) {
        std::optional<std::size_t> best;
        double average = 0;
        std::size_t found = 0;
        for (std::size_t c = 0; c < splits_.size(); ++c) {
            const Split& s = splits_[c];
            if (!s.found) continue;
            // Missing rows carry no information: the gain among the known ones counts for their share (Quinlan 1993).
            ColumnScore& score = scores_[c];
            score = {static_cast<std::int32_t>(c), std::max(0.0, (s.before - s.after) / weight), s.split_info, 0, 0, s.label};
            average += score.gain;
            ++found;
        }
        average /= static_cast<double>(std::max<std::size_t>(found, 1));
        for (std::size_t c = 0; c < splits_.size(); ++c) {
            if (!splits_[c].found) continue;
            ColumnScore& score = scores_[c];
            switch (settings_.criterion) {
                case SplitCriterion::gain:
                case SplitCriterion::gini:
                    score.score = score.gain;
                    break;
                case SplitCriterion::gain_ratio:
                    score.score = score.split_info > 0 ? score.gain / score.split_info : 0;
                    break;
                case SplitCriterion::cost_square:
                    score.score = score.gain * score.gain / costs_[c];
                    break;
                case SplitCriterion::cost_power:
                    score.score = (std::exp2(score.gain) - 1) / std::pow(costs_[c] + 1, settings_.cost_exponent);
                    break;
            }
            if (settings_.criterion == SplitCriterion::gain_ratio && score.gain < average - score_tolerance) continue;
            if (!best || better(c, *best)) best = c;
        }
        if (root_scores_.empty()) {
            root_scores_.resize(splits_.size());
            for (std::size_t c = 0; c < splits_.size(); ++c) root_scores_[c] = splits_[c].found ? scores_[c].score : 0;
        }
        return best;
    }

    /// By score. Where few rows are left, many thresholds are equally good: then the column with the higher gain at the root is the better
    /// guess (on the letters of UCI one point of accuracy against the first column). Else the first.
    bool better(std::size_t c, std::size_t best) const {
        const double ahead = scores_[c].score - scores_[best].score;
        if (std::abs(ahead) > score_tolerance) return ahead > 0;
        const bool numbers = data_.columns[c].numeric && data_.columns[best].numeric;
        return numbers && !root_scores_.empty() && root_scores_[c] > root_scores_[best] + score_tolerance;
    }

    double threshold(std::size_t column, const Split& split) const {
        const auto& levels = data_.columns[column].levels;
        const double low = levels[split.rank];
        const double high = levels[split.next_rank];
        // To 15 digits: half of 2.4 + 2.5 is 2.45, whatever the doubles' last bits are.
        const double middle = std::strtod(fmt::format("{:.15g}", low + (high - low) / 2).c_str(), nullptr);
        return middle >= low && middle < high ? middle : low;
    }

    /// Rows by class in each branch of a test, and the thresholds that a numeric column offers.
    BranchesTrace branches_trace(const SplitNode<Measure>& node, std::size_t column, const Split& split) const {
        constexpr std::size_t thresholds_traced = 12;
        BranchesTrace out;
        const TreeColumn& c = data_.columns[column];
        out.counts.assign(branches(column, split), std::vector<double>(data_.labels));
        std::map<std::uint32_t, std::vector<double>> by_rank;
        for (const auto row : node.rows) {
            const auto way = branch(column, split, row);
            const auto k = static_cast<std::size_t>(data_.classes[row]);
            if (way < 0) {
                out.filled = out.filled || settings_.missing != MissingCells::fractional;
                continue;
            }
            const auto weight = static_cast<double>(node.of(row));
            out.counts[static_cast<std::size_t>(way)][k] += weight;
            if (c.numeric) by_rank.try_emplace(c.ranks[row], data_.labels, 0.0).first->second[k] += weight;
        }
        std::vector<double> below(data_.labels, 0.0);
        for (auto at = by_rank.begin(); at != by_rank.end(); ++at) {
            const auto next = std::next(at);
            for (std::size_t k = 0; k < below.size(); ++k) below[k] += at->second[k];
            if (next == by_rank.end()) break;
            const auto kinds = [](const std::vector<double>& counts) {
                return std::count_if(counts.begin(), counts.end(), [](double n) { return n > 0; });
            };
            bool differ = kinds(at->second) > 1 || kinds(next->second) > 1;
            for (std::size_t k = 0; k < below.size(); ++k) differ = differ || (at->second[k] > 0) != (next->second[k] > 0);
            if (!differ) continue;
            if (out.thresholds.size() == thresholds_traced) {
                ++out.more_thresholds;
                continue;
            }
            Split here;
            here.rank = at->first;
            here.next_rank = next->first;
            std::vector<double> above(data_.labels);
            for (std::size_t k = 0; k < above.size(); ++k) above[k] = out.counts[0][k] + out.counts[1][k] - below[k];
            out.thresholds.push_back({threshold(column, here), below, std::move(above)});
        }
        return out;
    }

    NodeTrace* record(std::uint32_t node, const SplitNode<Measure>& rows, std::optional<std::size_t> best) {
        constexpr std::size_t nodes_traced = 10;
        NodeTrace& out = trace_->emplace_back();
        out.node = node;
        for (std::size_t c = 0; c < splits_.size(); ++c) {
            if (!splits_[c].found) continue;
            if (best == c) out.chosen = out.scores.size();
            out.scores.push_back(scores_[c]);
            if (data_.columns[c].numeric) out.scores.back().threshold = threshold(c, splits_[c]);
            out.branches.push_back(branches_trace(rows, c, splits_[c]));
        }
        // A trace shows the first nodes and the last.
        if (trace_->size() > 2 * nodes_traced) (*trace_)[trace_->size() - 1 - nodes_traced].branches.clear();
        return &out;
    }

    /// The branch of a row, −1 where its cell is missing.
    std::int32_t branch(std::size_t column, const Split& split, std::uint32_t row) const {
        const TreeColumn& c = data_.columns[column];
        if (c.numeric) return c.ranks[row] == no_rank ? -1 : (c.ranks[row] <= split.rank ? 0 : 1);
        return label_branch(split, c.codes[row]);
    }
    static std::int32_t label_branch(const Split& split, std::int32_t code) {
        return split.label < 0 || code < 0 ? code : (code == split.label ? 0 : 1);
    }
    std::int32_t filled_branch(std::size_t column, const Split& split, std::uint32_t row) const {
        const std::uint32_t at = scratch_.fill[static_cast<std::size_t>(data_.classes[row])];
        if (data_.columns[column].numeric) return at <= split.rank ? 0 : 1;
        return label_branch(split, static_cast<std::int32_t>(at));
    }

    std::size_t branches(std::size_t column, const Split& split) const {
        return data_.columns[column].numeric || split.label >= 0 ? 2 : data_.columns[column].size;
    }

    /// Pearson's χ² of branch against class: the chance of a table as uneven if the test is uninformative.
    double p_value(const SplitNode<Measure>& node, std::size_t column, const Split& split) const {
        const std::size_t ways = branches(column, split);
        std::vector<double> cells(ways * data_.labels);
        std::vector<double> across(ways);
        std::vector<double> down(data_.labels);
        double all = 0;
        for (const auto row : node.rows) {
            auto b = branch(column, split, row);
            if (b < 0 && !cut_) b = filled_branch(column, split, row);
            if (b < 0) continue;
            const double w = static_cast<double>(weight_of(row));
            const auto k = static_cast<std::size_t>(data_.classes[row]);
            cells[static_cast<std::size_t>(b) * data_.labels + k] += w;
            across[static_cast<std::size_t>(b)] += w;
            down[k] += w;
            all += w;
        }
        double chi = 0;
        for (std::size_t b = 0; b < ways; ++b)
            for (std::size_t k = 0; k < data_.labels; ++k) {
                const double expected = across[b] * down[k] / all;
                if (expected > 0) chi += (cells[b * data_.labels + k] - expected) * (cells[b * data_.labels + k] - expected) / expected;
            }
        const auto present = [](const std::vector<double>& v) {
            return static_cast<double>(std::count_if(v.begin(), v.end(), [](double x) { return x > 0; }));
        };
        const double degrees = (present(across) - 1) * (present(down) - 1);
        return degrees > 0 ? gamma_upper(degrees / 2, chi / 2) : 1;
    }

    void divide(const Pending& at, NodeRows& in, std::span<std::uint32_t> rows, std::size_t column, const Split& split) {
        const std::size_t ways = branches(column, split);
        const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
        TreeNode& node = tree_.nodes[at.node];
        node.column = static_cast<std::int32_t>(column);
        node.label = split.label;
        if (data_.columns[column].numeric) node.threshold = threshold(column, split);
        node.first = first;
        node.branches = static_cast<std::uint32_t>(ways);
        tree_.nodes.resize(first + ways);
        tree_.counts.resize((first + ways) * data_.labels);
        sizes_.assign(ways, 0);
        bool missing = false;
        for (const auto row : rows) {
            auto b = branch(column, split, row);
            if (b < 0 && !cut_) b = filled_branch(column, split, row);
            branch_[row] = b;
            if (b < 0) {
                missing = true;
                continue;
            }
            ++sizes_[static_cast<std::size_t>(b)];
            add_row(first + static_cast<std::size_t>(b), row, static_cast<double>(weight_of(row)));
        }
        shares_.assign(ways, 0);
        if (missing) share_missing(rows, first, ways);
        growing_.assign(ways, 0);
        bool any = false;
        for (std::size_t b = 0; b < ways; ++b) {
            settle(first + b, at.node);
            growing_[b] = may_grow(first + b, at.depth + 1);
            any = any || growing_[b];
        }
        if (!any) return;
        if (cut_)
            hand_out_copies(at, in, rows, first, ways);
        else
            hand_out(at, in, rows, first, ways);
    }

    /// Fractional: each branch gets the missing rows with its share of the known weight.
    void share_missing(std::span<const std::uint32_t> rows, std::uint32_t first, std::size_t ways) {
        double known = 0;
        for (std::size_t b = 0; b < ways; ++b) known += tree_.nodes[first + b].weight;
        for (std::size_t b = 0; b < ways; ++b) shares_[b] = tree_.nodes[first + b].weight / known;
        for (const auto row : rows)
            if (branch_[row] < 0)
                for (std::size_t b = 0; b < ways; ++b)
                    if (shares_[b] > 0) add_row(first + b, row, shares_[b] * static_cast<double>(weight_of(row)));
    }

    /// Each order is parted in place, keeping it within the branches.
    void hand_out(const Pending& at, NodeRows& in, std::span<std::uint32_t> rows, std::uint32_t first, std::size_t ways) {
        starts_.assign(ways + 1, 0);
        for (std::size_t b = 0; b < ways; ++b) starts_[b + 1] = starts_[b] + sizes_[b];
        const auto part = [&](auto items, auto& buffer, auto&& row_of) {
            offsets_.assign(starts_.begin(), starts_.end() - 1);
            for (const auto& item : items) buffer[offsets_[static_cast<std::size_t>(branch_[row_of(item)])]++] = item;
            std::copy_n(buffer.begin(), items.size(), items.begin());
        };
        part(rows, buffer_, [](std::uint32_t row) { return row; });
        for (auto& order : in.sorted)
            if (!order.empty())
                part(std::span(order).subspan(at.begin, rows.size()), ranked_buffer_, [](const RankedRow& r) { return r.row; });
        for (std::size_t b = ways; b-- > 0;)
            if (growing_[b])
                pending_.push_back(
                    {first + static_cast<std::uint32_t>(b), at.begin + starts_[b], at.begin + starts_[b + 1], at.depth + 1, at.own});
    }

    void hand_out_copies(const Pending& at, const NodeRows& in, std::span<const std::uint32_t> rows, std::uint32_t first,
                         std::size_t ways) {
        for (std::size_t b = ways; b-- > 0;) {
            if (!growing_[b]) continue;
            auto own = std::make_shared<NodeRows>();
            const auto belongs = [&](std::uint32_t row) { return branch_[row] < 0 || branch_[row] == static_cast<std::int32_t>(b); };
            for (const auto row : rows)
                if (belongs(row)) {
                    own->rows.push_back(row);
                    own->weights.push_back(static_cast<double>(weight_of(row)) * (branch_[row] < 0 ? shares_[b] : 1));
                }
            own->sorted.resize(in.sorted.size());
            for (std::size_t c = 0; c < in.sorted.size(); ++c)
                for (const auto& r : in.sorted[c])
                    if (belongs(r.row)) own->sorted[c].push_back(r);
            const auto size = static_cast<std::uint32_t>(own->rows.size());
            pending_.push_back({first + static_cast<std::uint32_t>(b), 0, size, at.depth + 1, std::move(own)});
        }
    }

    const TreeRows& data_;
    Measure measure_;
    const TreeSettings& settings_;
    std::span<const double> costs_;
    const Run& run_;
    std::vector<NodeTrace>* trace_;
    Tree tree_;
    std::vector<Pending> pending_;
    SplitScratch<Weight> scratch_;
    std::vector<Weight> weights_;  ///< one for each row, of the node at hand; empty: all 1
    std::vector<std::int32_t> branch_;
    std::vector<std::uint32_t> buffer_;
    std::vector<RankedRow> ranked_buffer_;
    std::vector<Split> splits_;
    std::vector<ColumnScore> scores_;
    std::vector<double> root_scores_;  ///< a column; empty at the root
    std::vector<Weight> classes_;
    std::vector<std::uint32_t> sizes_, starts_, offsets_;
    std::vector<double> shares_;
    std::vector<char> growing_;
    bool missing_ = false;
    bool cut_ = false;  ///< rows are cut into parts
};

/// The rows' weights in fractions: what growth did with doubles, over again, branch by branch.
std::vector<Rational> exact_counts(const Tree& tree, const TableView& view, std::span<const double> weights) {
    const auto columns = feature_columns(*view.table);
    const Column& target = *view.table->columns[*view.table->target];
    std::vector<Rational> out(tree.nodes.size() * tree.labels);
    std::vector<std::vector<std::pair<std::size_t, Rational>>> at(tree.nodes.size());
    for (std::size_t i = 0; i < view.size(); ++i)
        at[0].emplace_back(view.row(i), weights.empty() ? Rational(1) : Rational::from_decimal(weights[i]));
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const TreeNode& node = tree.nodes[n];
        for (const auto& [row, w] : at[n]) out[n * tree.labels + static_cast<std::size_t>(target.codes[row])] += w;
        if (node.is_leaf()) continue;
        const Column& column = *columns[static_cast<std::size_t>(node.column)];
        std::vector<Rational> taken(node.branches);
        Rational known;
        for (const auto& [row, w] : at[n])
            if (!column.is_missing(row)) {
                taken[branch_of(node, column, row)] += w;
                known += w;
            }
        for (const auto& [row, w] : at[n])
            for (std::uint32_t b = 0; b < node.branches; ++b) {
                const bool missing = column.is_missing(row);
                if (missing ? !taken[b].is_zero() : branch_of(node, column, row) == b)
                    at[node.first + b].emplace_back(row, missing ? w * taken[b] / known : w);
            }
        for (std::uint32_t b = 0; b < node.branches; ++b)
            if (at[node.first + b].empty())
                for (std::size_t k = 0; k < tree.labels; ++k) out[(node.first + b) * tree.labels + k] = out[n * tree.labels + k];
        at[n].clear();
    }
    return out;
}

/// Rows that are cut into parts again and again have long fractions: only small tables are worth them.
constexpr std::size_t most_cut_rows = 500;

}  // namespace

Result<Tree> grow_tree(const TableView& rows, std::span<const double> weights, const TreeSettings& settings, const Run& run,
                       std::vector<NodeTrace>* trace) {
    const TreeRows data = tree_rows(rows, weights);
    std::vector<double> costs;
    for (const auto& column : feature_columns(*rows.table)) {
        double cost = 1;
        for (const auto& [name, given] : settings.costs)
            if (name == column->name) cost = given;
        costs.push_back(cost);
    }
    const bool missing = std::any_of(data.columns.begin(), data.columns.end(), [](const TreeColumn& c) { return c.missing; });
    const bool cut = missing && settings.missing == MissingCells::fractional;
    const bool whole = data.weights.empty() && !cut;
    const auto grown = [&](auto measure) { return Grower<decltype(measure)>(data, measure, settings, costs, run, trace).grow(); };
    const bool gini = settings.criterion == SplitCriterion::gini;
    if (whole && gini) return grown(CountedGini{});
    if (whole) {
        const auto table = x_log_x_table(data.rows);
        const auto steps = differences(table);
        return grown(CountedEntropy{table.data(), steps.data()});
    }
    auto tree = gini ? grown(WeightedGini{}) : grown(WeightedEntropy{});
    if (tree && cut && data.rows <= most_cut_rows && run.numbers != NumberMode::real) tree->fractions = exact_counts(*tree, rows, weights);
    return tree;
}

}  // namespace credence::rt
