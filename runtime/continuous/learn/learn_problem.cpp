#include "runtime/continuous/learn/learn_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace credence::rt::continuous {

bool row_is_hole(const NetNode& node, std::size_t row) { return node.hole && (node.known.empty() || !node.known[row]); }

Result<RealNetProblem> RealNetProblem::make(const ContinuousNet& net, LearningRows rows, double least_spread) {
    RealNetProblem out(net, std::move(rows));
    const RowValues value(net);
    out.known_.assign(out.rows_.completions(), 0.0);
    for (std::size_t v = 0; v < net.nodes.size(); ++v) {
        const auto& node = net.nodes[v];
        if (node.kind != ContinuousNode::Kind::drawn) continue;
        const bool open =
            std::any_of(node.parameters.begin(), node.parameters.end(), [&](const Term& t) { return has_holes(t, net.nodes.size()); });
        if (open) {
            auto fit = TRY(make_drawn_fit(net, v, out.rows_, value, least_spread));
            out.drawn_.push_back(std::move(fit));
        } else if (Status done = add_known_densities(net, v, out.rows_, value, out.known_); !done) {
            return std::move(done).fault();
        }
    }
    return out;
}

Learned RealNetProblem::beginning() const {
    Learned out;
    out.holes.assign(net_->holes, 1.0);
    for (const auto& node : net_->nodes) {
        out.tables.emplace_back();
        if (node.kind != ContinuousNode::Kind::table) continue;
        const std::size_t k = node.variable.size();
        for (std::size_t e = 0; e < table_size(out.tables.size() - 1); ++e)
            out.tables.back().push_back(row_is_hole(node.table, e / k) ? 1.0 / static_cast<double>(k) : node.table.entry(e).real());
    }
    return out;
}

void RealNetProblem::maximise(std::span<const double> r, Learned& out) const {
    for (const auto& fit : drawn_) fit->maximise(r, out.holes);
    for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
        const auto& node = net_->nodes[v];
        if (node.kind != ContinuousNode::Kind::table || !node.table.hole) continue;
        const auto n = counts(v, r);
        const std::size_t k = node.variable.size();
        for (std::size_t row = 0; row * k < n.size(); ++row) {
            double total = 0;
            for (std::size_t j = 0; j < k; ++j) total += n[row * k + j];
            if (!row_is_hole(node.table, row) || !(total > 0)) continue;
            for (std::size_t j = 0; j < k; ++j) out.tables[v][row * k + j] = n[row * k + j] / total;
        }
    }
}

std::vector<double> RealNetProblem::counts(std::size_t v, std::span<const double> r) const {
    std::vector<double> out(table_size(v), 0.0);
    for (std::size_t i = 0; i < rows_.completions(); ++i) out[entry_at(v, rows_.completion(i))] += r[i];
    return out;
}

Result<double> RealNetProblem::expect(const Learned& now, std::vector<double>& r) const {
    r = known_;
    for (const auto& fit : drawn_) fit->add_log_densities(now.holes, r);
    for (std::size_t v = 0; v < net_->nodes.size(); ++v) {
        if (net_->nodes[v].kind != ContinuousNode::Kind::table) continue;
        for (std::size_t i = 0; i < r.size(); ++i) r[i] += std::log(now.tables[v][entry_at(v, rows_.completion(i))]);
    }
    double total = 0;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
        const auto begin = r.begin() + static_cast<std::ptrdiff_t>(rows_.first[row]);
        const auto end = r.begin() + static_cast<std::ptrdiff_t>(rows_.first[row + 1]);
        const double high = *std::max_element(begin, end);
        if (!(high > -std::numeric_limits<double>::infinity()))
            return Fault{.code = "E-ZERO", .message = fmt::format("row {} of the data is impossible under {}", row + 1, net_->name)};
        double sum = 0;
        for (auto it = begin; it != end; ++it) sum += * it = std::exp(*it - high);
        for (auto it = begin; it != end; ++it) *it *= rows_.weights[row] / sum;
        total += rows_.weights[row] * (high + std::log(sum));
    }
    return total;
}

bool RealNetProblem::at_bound(const Learned& p) const {
    return std::any_of(drawn_.begin(), drawn_.end(), [&](const auto& fit) { return fit->at_bound(p.holes); });
}

std::size_t RealNetProblem::table_size(std::size_t v) const {
    std::size_t out = net_->nodes[v].variable.size();
    for (const auto parent : net_->nodes[v].table.parents) out *= net_->nodes[index(parent)].variable.size();
    return out;
}

std::size_t RealNetProblem::entry_at(std::size_t v, std::span<const double> cells) const {
    std::size_t row = 0;
    for (const auto parent : net_->nodes[v].table.parents)
        row = row * net_->nodes[index(parent)].variable.size() + static_cast<std::size_t>(cells[index(parent)]);
    return row * net_->nodes[v].variable.size() + static_cast<std::size_t>(cells[v]);
}

/// Rows are dealt out to the completions of their labels by the nearest of as many rows drawn apart from each other (k-means++,
/// Arthur and Vassilvitskii 2007), for the most part: then the numbers are fitted to that.
Learned RealNetEm::start(std::size_t restart, Rng& rng) const {
    if (init && restart == 0) return *init;
    const auto& rows = problem->rows();
    std::size_t most = 1;
    for (std::size_t i = 0; i < rows.rows(); ++i) most = std::max(most, rows.first[i + 1] - rows.first[i]);
    std::vector<std::size_t> reals;
    std::vector<double> scale;
    for (std::size_t v = 0; v < net->nodes.size(); ++v) {
        if (net->nodes[v].variable.is_discrete()) continue;
        double sum = 0;
        double squares = 0;
        for (std::size_t i = 0; i < rows.completions(); ++i) sum += rows.completion(i)[v];
        for (std::size_t i = 0; i < rows.completions(); ++i)
            squares += std::pow(rows.completion(i)[v] - sum / static_cast<double>(rows.completions()), 2);
        if (!(squares > 0)) continue;
        reals.push_back(v);
        scale.push_back(std::sqrt(static_cast<double>(rows.completions()) / squares));
    }
    const auto distance = [&](std::size_t a, std::size_t b) {
        double out = 0;
        for (std::size_t k = 0; k < reals.size(); ++k)
            out += std::pow(scale[k] * (rows.completion(rows.first[a])[reals[k]] - rows.completion(rows.first[b])[reals[k]]), 2);
        return out;
    };
    std::vector<double> nearest(rows.rows(), std::numeric_limits<double>::infinity());
    std::vector<std::size_t> own(rows.rows(), 0);
    for (std::size_t c = 0; c < most; ++c) {
        double total = 0;
        for (const double d : nearest) total += std::isfinite(d) ? d : 1;
        double left = rng.uniform() * total;
        std::size_t seed = 0;
        for (; seed + 1 < rows.rows() && (left -= std::isfinite(nearest[seed]) ? nearest[seed] : 1) > 0;) ++seed;
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            const double d = reals.empty() ? rng.uniform() : distance(i, seed);
            if (d < nearest[i]) {
                nearest[i] = d;
                own[i] = c;
            }
        }
    }
    std::vector<double> shares(rows.completions());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const std::size_t completions = rows.first[i + 1] - rows.first[i];
        for (std::size_t w = 0; w < completions; ++w)
            shares[rows.first[i] + w] = rows.weights[i] * (completions == 1            ? 1.0
                                                           : w == own[i] % completions ? 0.9
                                                                                       : 0.1 / static_cast<double>(completions - 1));
    }
    Learned out = problem->beginning();
    problem->maximise(shares, out);
    return out;
}

Result<double> RealNetEm::step(const Learned& now, Learned& next, Run&) {
    auto likelihood = problem->expect(now, r);
    if (!likelihood) return likelihood;
    next = now;
    problem->maximise(r, next);
    return likelihood;
}

}  // namespace credence::rt::continuous
