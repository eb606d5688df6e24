// Training of boosted trees: gradients, one tree for each output and round, and early stopping. The trees of a round are grown side by
// side where there are several, else the columns of one are shared; both give the same trees for any number of threads.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/core/lanes.hpp"
#include "runtime/core/parallel.hpp"
#include "runtime/core/progress.hpp"
#include "runtime/data/design.hpp"
#include "runtime/ensembles/boosted.hpp"
#include "runtime/ensembles/boosted_grow.hpp"

namespace credence::rt {

namespace {

constexpr std::size_t rows_a_chunk = 4096;
constexpr std::size_t rows_at_once = 64;  ///< whose probabilities by label are kept at hand

GrowOptions grow_options(const BoostedOptions& o, double total) {
    GrowOptions out;
    out.depth = o.depth.value_or(0);
    const std::size_t by_depth = out.depth > 0 && out.depth < 20 ? std::size_t{1} << out.depth : std::size_t{1} << 20U;
    out.leaves = o.leaves.value_or(o.depth ? std::min<std::size_t>(by_depth, 1024) : 31);
    out.min_weight = o.min_rows.value_or(std::clamp(std::floor(total / 20), 1.0, 20.0));
    out.ridge = o.ridge;
    return out;
}

/// One training, whose scores grow round by round.
class Boosting {
public:
    Boosting(const BoostedOptions& options, const TableView& rows, std::span<const double> weights, const EnsembleTarget& target, Run& run)
        : options_(options),
          target_(target),
          run_(run),
          n_(rows.size()),
          outputs_(target.labels > 2 ? target.labels : 1),
          weights_(n_, 1.0) {
        if (!weights.empty()) weights_.assign(weights.begin(), weights.end());
        model_.bins = Bins::learn(rows, weights_);
        data_ = binned(model_.bins, feature_columns(*rows.table), rows);
        split_rows();
        start();
        const GrowOptions grow = grow_options(options, total(training_));
        packed_.emplace(data_, model_.bins);
        for (std::size_t k = 0; k < outputs_; ++k) growers_.emplace_back(data_, *packed_, model_.bins, grow);
        losses_.resize(n_);
        slopes_.assign(outputs_, RowSlopes(n_));
    }

    Result<BoostedModel> train() {
        Crew crew(outputs_ == 1 ? run_.threads : 1);
        Progress progress(run_, "boosting", options_.rounds, "rounds", n_ * outputs_ * (data_.columns.size() + 8));
        std::size_t best = 0;
        find_slopes();
        model_.history.push_back(mean_loss(training_));
        if (!kept_.empty()) model_.validation.push_back(mean_loss(kept_));
        for (std::size_t round = 0; round < options_.rounds; ++round) {
            if (run_.stopped()) return stopped_fault();
            const auto drawn = rows_of_round(round);
            std::vector<BoostedTree> trees(outputs_);
            parallel_chunks(outputs_, 1, outputs_ == 1 ? 1 : run_.threads, [&](std::size_t k, std::size_t, std::size_t) {
                auto order = drawn;
                trees[k].tree = growers_[k].grow(order, slopes_[k], &crew);
                trees[k].values = growers_[k].values();
                for (double& v : trees[k].values) v *= options_.rate;
                add_scores(k, trees[k], order);
            });
            const bool grew = std::any_of(trees.begin(), trees.end(), [](const BoostedTree& t) { return t.tree.leaves > 1; });
            model_.rounds.push_back(std::move(trees));
            find_slopes();
            model_.history.push_back(mean_loss(training_));
            if (!std::isfinite(model_.history.back()))
                return Fault{.code = "E-TRAIN",
                             .message = fmt::format("the loss grows without bound at a rate of {:.6g}", options_.rate),
                             .hint = "a smaller rate, such as 0.1"};
            progress.reach(round + 1, "loss", model_.history.back());
            if (!kept_.empty()) {
                model_.validation.push_back(mean_loss(kept_));
                if (model_.validation.back() < model_.validation[best]) best = model_.validation.size() - 1;
                if (model_.validation.size() - 1 - best >= options_.patience) break;
            }
            if (!grew && options_.sample == 1) break;  // no split lowers the loss any more
        }
        if (!kept_.empty()) model_.rounds.resize(best);
        model_.importance.assign(data_.columns.size(), 0.0);
        double all = 0;
        for (const auto& grower : growers_)
            for (std::size_t f = 0; f < model_.importance.size(); ++f) {
                model_.importance[f] += grower.gains()[f];
                all += grower.gains()[f];
            }
        for (double& share : model_.importance) share = all > 0 ? share / all : 0;
        return std::move(model_);
    }

private:
    void split_rows() {
        training_.resize(n_);
        std::iota(training_.begin(), training_.end(), 0U);
        if (options_.validation == 0) return;
        Rng rng = run_.rng.child("validation");
        for (std::size_t i = n_; i > 1; --i) std::swap(training_[i - 1], training_[rng.below(i)]);
        const auto kept = static_cast<std::size_t>(std::round(options_.validation * static_cast<double>(n_)));
        kept_.assign(training_.end() - static_cast<std::ptrdiff_t>(kept), training_.end());
        training_.resize(n_ - kept);
        std::sort(training_.begin(), training_.end());
        std::sort(kept_.begin(), kept_.end());
    }

    double total(std::span<const std::uint32_t> rows) const {
        double out = 0;
        for (const auto i : rows) out += weights_[i];
        return out;
    }

    /// What fits all rows best without a tree: the mean, the log-odds, the logarithms of the shares.
    void start() {
        model_.start.assign(outputs_, 0.0);
        const double all = total(training_);
        if (target_.labels == 0) {
            for (const auto i : training_) model_.start[0] += weights_[i] / all * target_.numbers[i];
        } else {
            std::vector<double> counts(std::max<std::size_t>(outputs_, 2), 0.0);
            for (const auto i : training_) counts[static_cast<std::size_t>(target_.codes[i])] += weights_[i];
            const auto share = [&](std::size_t k) { return std::clamp(counts[k] / all, 1e-9, 1 - 1e-9); };
            if (outputs_ == 1)
                model_.start[0] = std::log(share(1) / (1 - share(1)));
            else
                for (std::size_t k = 0; k < outputs_; ++k) model_.start[k] = std::log(share(k));
        }
        scores_.assign(outputs_, std::vector<double>(n_));
        for (std::size_t k = 0; k < outputs_; ++k) std::fill(scores_[k].begin(), scores_[k].end(), model_.start[k]);
    }

    /// Of all rows, by the scores so far: the slopes, and half the squared error or −ln P of the label.
    void find_slopes() {
        parallel_chunks(n_, rows_a_chunk, run_.threads, [&](std::size_t, std::size_t begin, std::size_t end) {
            if (target_.labels == 0)
                numeric_slopes(begin, end);
            else if (outputs_ == 1)
                two_label_slopes(begin, end);
            else
                for (std::size_t i = begin; i < end; i += rows_at_once) softmax_slopes(i, std::min(i + rows_at_once, end));
        });
    }

    void numeric_slopes(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double w = weights_[i];
            const double apart = scores_[0][i] - target_.numbers[i];
            slopes_[0][i] = Lanes{w * apart, w, w, 0};
            losses_[i] = 0.5 * apart * apart;
        }
    }

    /// With s the score in favour of a row's own label and e = exp(−|s|): P of the other label is e / (1 + e) if s ≥ 0, else 1 / (1 + e),
    /// and −ln P of its own is ln(1 + e), plus |s| if s < 0.
    void two_label_slopes(std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += 4) {
            const std::size_t here = std::min<std::size_t>(4, end - at);
            Lanes sign = {1, 1, 1, 1};
            Lanes score{};
            Lanes w{};
            std::copy_n(&scores_[0][at], here, reinterpret_cast<double*>(&score));
            std::copy_n(&weights_[at], here, reinterpret_cast<double*>(&w));
            for (std::size_t j = 0; j < here; ++j) sign[j] = target_.codes[at + j] == 1 ? 1 : -1;
            const Lanes s = sign * score;
            const Lanes size = s < 0.0 ? -s : s;
            const Lanes e = exp_lanes(-size);
            const Lanes more = 1.0 / (1.0 + e);
            const Lanes less = e * more;
            const Lanes gradients = -sign * w * (s < 0.0 ? more : less);
            const Lanes curvatures = w * more * less;
            const Lanes loss = log1p_lanes(e) + (s < 0.0 ? size : Lanes{});
            for (std::size_t j = 0; j < here; ++j) slopes_[0][at + j] = Lanes{gradients[j], curvatures[j], w[j], 0};
            std::copy_n(reinterpret_cast<const double*>(&loss), here, &losses_[at]);
        }
    }

    void softmax_slopes(std::size_t begin, std::size_t end) {
        const std::size_t rows = end - begin;
        std::array<double, rows_at_once> largest;
        std::array<double, rows_at_once> sum{};
        std::vector<double> parts(outputs_ * rows_at_once);
        std::copy_n(scores_[0].begin() + static_cast<std::ptrdiff_t>(begin), rows, largest.begin());
        for (std::size_t k = 1; k < outputs_; ++k)
            for (std::size_t j = 0; j < rows; ++j) largest[j] = std::max(largest[j], scores_[k][begin + j]);
        for (std::size_t k = 0; k < outputs_; ++k) {
            double* part = parts.data() + k * rows_at_once;
            for (std::size_t j = 0; j < rows; ++j) part[j] = scores_[k][begin + j] - largest[j];
            for (std::size_t j = 0; j < rows_at_once; j += 4) {
                Lanes v;
                load_lanes(v, part + j);
                store_lanes(part + j, exp_lanes(v));
            }
            for (std::size_t j = 0; j < rows; ++j) sum[j] += part[j];
        }
        for (std::size_t j = 0; j < rows; ++j) {
            const auto own = static_cast<std::size_t>(target_.codes[begin + j]);
            losses_[begin + j] = std::log(sum[j]) + largest[j] - scores_[own][begin + j];
        }
        for (std::size_t k = 0; k < outputs_; ++k)
            for (std::size_t j = 0; j < rows; ++j) {
                const double w = weights_[begin + j];
                const double q = parts[k * rows_at_once + j] / sum[j];
                const double own = target_.codes[begin + j] == static_cast<std::int32_t>(k) ? 1.0 : 0.0;
                slopes_[k][begin + j] = Lanes{w * (q - own), w * q * (1 - q), w, 0};
            }
    }

    std::vector<std::uint32_t> rows_of_round(std::size_t round) const {
        if (options_.sample >= 1) return training_;
        Rng rng = run_.rng.child("sample").child(round);
        std::vector<std::uint32_t> out;
        for (const auto i : training_)
            if (rng.uniform() < options_.sample) out.push_back(i);
        if (out.empty()) out.push_back(training_[rng.below(training_.size())]);
        return out;
    }

    /// `order`: the rows that the tree was grown from, leaf by leaf.
    void add_scores(std::size_t k, const BoostedTree& tree, const std::vector<std::uint32_t>& order) {
        auto& to = scores_[k];
        if (order.size() == n_) {
            const auto& ranges = growers_[k].ranges();
            for (std::size_t leaf = 0; leaf < ranges.size(); ++leaf)
                for (std::uint32_t i = ranges[leaf].begin; i < ranges[leaf].end; ++i) to[order[i]] += tree.values[leaf];
            return;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            const BinnedNode* node = tree.tree.nodes.data();
            while (node->feature >= 0) {
                const std::uint8_t bin = data_.columns[static_cast<std::size_t>(node->feature)][i];
                node = tree.tree.nodes.data() + (tree.tree.goes_left(*node, bin) ? node->left : node->left + 1);
            }
            to[i] += tree.values[node->leaf];
        }
    }

    double mean_loss(std::span<const std::uint32_t> rows) const {
        std::vector<double> sums(rows.size() / rows_a_chunk + 1, 0.0);
        parallel_chunks(rows.size(), rows_a_chunk, run_.threads, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) sums[chunk] += weights_[rows[i]] * losses_[rows[i]];
        });
        return std::accumulate(sums.begin(), sums.end(), 0.0) / total(rows);
    }

    const BoostedOptions& options_;
    const EnsembleTarget& target_;
    Run& run_;
    std::size_t n_;
    std::size_t outputs_;
    std::vector<double> weights_;
    BoostedModel model_;
    BinnedRows data_;
    std::optional<PackedRows> packed_;
    std::vector<std::uint32_t> training_;
    std::vector<std::uint32_t> kept_;
    std::vector<GradientGrower> growers_;
    std::vector<RowSlopes> slopes_;
    std::vector<double> losses_;
    std::vector<std::vector<double>> scores_;  ///< output by output
};

}  // namespace

Result<BoostedModel> boost(const BoostedOptions& options, const TableView& rows, std::span<const double> weights,
                           const EnsembleTarget& target, Run& run) {
    const auto kept = static_cast<std::size_t>(std::round(options.validation * static_cast<double>(rows.size())));
    if (options.validation > 0 && (kept == 0 || kept >= rows.size()))
        return Fault{.code = "E-PARAMETER",
                     .message = fmt::format("a validation share of {:.6g} of {} rows leaves {} to train on", options.validation,
                                            rows.size(), rows.size() - kept)};
    return Boosting(options, rows, weights, target, run).train();
}

}  // namespace credence::rt
