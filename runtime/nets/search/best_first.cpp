#include "runtime/nets/search/best_first.hpp"

#include <algorithm>
#include <queue>

#include "runtime/nets/search/soft_consistency.hpp"

namespace credence::rt {

namespace {

using Var = SoftNet::Var;
using Value = SoftNet::Value;
constexpr Var no_variable = ~Var{0};

struct Decision {
    Var variable = no_variable;
    Value value = 0;
    bool assigns = true;
};

struct OpenNode {
    Cost lower;
    std::size_t number;  // when it was made: the later goes first
    std::vector<Decision> path;
};
struct Later {
    bool operator()(const OpenNode& a, const OpenNode& b) const {
        if (a.lower != b.lower) return a.lower > b.lower;
        if (a.path.size() != b.path.size()) return a.path.size() < b.path.size();
        return a.number < b.number;
    }
};

class Search {
public:
    Search(const CostNet& net, const SearchLimits& limits)
        : limits_(limits), gap_(static_cast<Cost>(limits.gap / net.unit)), unit_(net.unit), soft_(net, limits.stopped) {
        soft_.set_most_effort(limits.effort);
    }

    SearchResult run() {
        if (!soft_.propagate()) return finished(out_.cost);
        root_ = soft_.mark();
        open_.push({soft_.lower(), 0, {}});
        while (!open_.empty()) {
            const OpenNode node = open_.top();
            if (node.lower >= out_.cost) return finished(out_.cost);
            if (given_up() || (gap_ > 0 && out_.cost - node.lower <= gap_)) return finished(node.lower);
            open_.pop();
            replay(node.path);
            adapt();
            report(node.lower);
        }
        return finished(out_.cost);
    }

private:
    SearchResult finished(Cost lower) {
        out_.lower = std::min(lower, out_.cost);
        out_.proved = out_.lower >= out_.cost;
        return std::move(out_);
    }

    void report(Cost lower) const {
        if (!limits_.progress || limits_.nodes == 0) return;
        limits_.progress({.name = "branch and bound",
                          .done = std::min(out_.nodes, limits_.nodes),
                          .total = limits_.nodes,
                          .units = "nodes",
                          .figure = out_.found ? "gap" : "",
                          .value = static_cast<double>(out_.cost - lower) * unit_});
    }

    bool given_up() {
        if (soft_.interrupted() || (limits_.stopped && limits_.stopped())) out_.stopped = true;
        if (limits_.effort > 0 && soft_.effort() > limits_.effort) out_.stopped = true;
        return out_.stopped || (limits_.nodes > 0 && out_.nodes >= limits_.nodes);
    }

    /// Pieces are cut shorter while few of the nodes are spent on going back to where a piece begins.
    void adapt() {
        constexpr std::size_t longest = 10'000;
        if (replayed_ * 10 > out_.nodes && piece_ < longest)
            piece_ *= 2;
        else if (replayed_ * 20 < out_.nodes && piece_ > 1)
            piece_ /= 2;
    }

    void replay(const std::vector<Decision>& path) {
        soft_.undo(root_);
        soft_.set_upper(out_.cost);
        for (const auto& d : path) {
            if (d.assigns) {
                if (!soft_.has(d.variable, d.value)) return;
                soft_.assign(d.variable, d.value);
            } else if (soft_.has(d.variable, d.value)) {
                if (soft_.values(d.variable).size() == 1) return;
                soft_.remove(d.variable, d.value);
            }
        }
        replayed_ += path.size();
        out_.nodes += 1;
        if (!soft_.propagate()) return;
        depth_first(path);
    }

    struct Level {
        std::size_t mark;
        Cost lower;  // of the node the decision was made at
        Decision decision;
        bool second = false;  // already at the other side of the decision
    };

    void depth_first(const std::vector<Decision>& start) {
        std::vector<Level> levels;
        std::size_t backtracks = 0;
        bool alive = true;
        while (true) {
            if (alive) {
                const Var x = choose();
                if (x == no_variable && !soft_.interrupted()) {
                    solution();
                    alive = false;
                } else {
                    if (given_up() || backtracks >= piece_) {
                        postpone(start, levels);
                        return;
                    }
                    levels.push_back({soft_.mark(), soft_.lower(), {x, value_for(x), true}});
                    soft_.assign(x, levels.back().decision.value);
                    ++out_.nodes;
                    alive = soft_.propagate();
                    if (!alive) last_ = x;
                }
                continue;
            }
            while (!levels.empty() && levels.back().second) levels.pop_back();
            if (levels.empty()) return;
            ++backtracks;
            ++out_.backtracks;
            auto& level = levels.back();
            soft_.undo(level.mark);
            soft_.set_upper(out_.cost);
            level.second = true;
            level.decision.assigns = false;
            soft_.remove(level.decision.variable, level.decision.value);
            ++out_.nodes;
            alive = soft_.propagate();
            if (!alive) last_ = level.decision.variable;
        }
    }

    /// What is left of this piece becomes nodes of their own: where it stands, and the other sides of its decisions.
    void postpone(const std::vector<Decision>& start, const std::vector<Level>& levels) {
        std::vector<Decision> path = start;
        for (const auto& level : levels) {
            if (!level.second) {
                auto other = path;
                other.push_back(level.decision);
                other.back().assigns = false;
                open_.push({level.lower, ++made_, std::move(other)});
            }
            path.push_back(level.decision);
        }
        open_.push({soft_.lower(), ++made_, std::move(path)});
    }

    /// The last variable that failed, else the smallest domain per conflict met (Boussemart et al. 2004; Lecoutre et al. 2009).
    Var choose() {
        if (last_ != no_variable && soft_.open(last_) && soft_.values(last_).size() > 1) return last_;
        Var best = no_variable;
        double best_score = 0;
        for (Var x = 0; x < soft_.size(); ++x) {
            if (!soft_.open(x) || soft_.values(x).size() < 2) continue;
            const double score = soft_.weight(x) / static_cast<double>(soft_.values(x).size());
            if (best != no_variable && score <= best_score) continue;
            best = x;
            best_score = score;
        }
        return best;
    }

    Value value_for(Var x) const {
        if (out_.found && soft_.has(x, out_.values[x])) return out_.values[x];
        return soft_.support(x);
    }

    void solution() {
        out_.cost = soft_.lower();
        out_.found = true;
        out_.values = soft_.assignment();
        soft_.set_upper(out_.cost);
    }

    const SearchLimits& limits_;
    Cost gap_;
    double unit_;
    SoftNet soft_;
    std::size_t root_ = 0;
    std::priority_queue<OpenNode, std::vector<OpenNode>, Later> open_;
    std::size_t made_ = 0;
    std::size_t replayed_ = 0;
    std::size_t piece_ = 1;
    Var last_ = no_variable;
    SearchResult out_;
};

}  // namespace

SearchResult best_first_search(const CostNet& net, const SearchLimits& limits) {
    if (net.impossible) {
        SearchResult none;
        none.proved = true;
        return none;
    }
    return Search(net, limits).run();
}

}  // namespace credence::rt
